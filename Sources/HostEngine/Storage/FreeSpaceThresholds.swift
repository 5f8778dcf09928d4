/// How much is kept free on the file system of a container.
///
/// Downloads leave a little more than ``lowBytes`` free: files make way for them, or they wait. When
/// less than that is free, because of somebody else, files go until ``highBytes`` is. Of a small file
/// system no more than a twentieth and a tenth.
package struct FreeSpaceThresholds: Hashable, Sendable {
    package var lowBytes: UInt64 = 256 << 20

    /// Less than ``lowBytes`` counts as that.
    package var highBytes: UInt64 = 512 << 20

    /// What downloads leave free beyond ``lowBytes``, at the most: folders and the database grow with
    /// them, and they are not to set off what is for others.
    private static let mostMargin: UInt64 = 16 << 20

    package init() {}

    /// What downloads leave free.
    ///
    /// - Parameter totalBytes: The size of the file system: ``ConfinedFolder/space()``.
    /// - Returns: In bytes; the database's own floor at the least.
    package func floorBytes(totalBytes: UInt64) -> UInt64 {
        let low = min(lowBytes, totalBytes / 20)
        let margin = min(FreeSpaceThresholds.mostMargin, low / 8)
        return max(SpaceReservations.floorBytes, low + margin)
    }

    /// How much has to go now.
    ///
    /// - Parameters:
    ///   - freeBytes: What the file system has.
    ///   - totalBytes: Its size.
    /// - Returns: In bytes; 0 while enough is free.
    package func missingBytes(freeBytes: UInt64, totalBytes: UInt64) -> UInt64 {
        let low = min(lowBytes, totalBytes / 20)
        guard freeBytes < low else { return 0 }
        return min(max(highBytes, lowBytes), totalBytes / 10) - freeBytes
    }
}
