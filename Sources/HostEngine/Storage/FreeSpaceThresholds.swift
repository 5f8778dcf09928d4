/// How much is kept free on the file system of a container.
///
/// Downloads leave ``lowBytes`` free: files make way for them, or they wait. When less is free
/// because of somebody else, files go until ``highBytes`` is. Of a small file system no more than a
/// twentieth and a tenth.
package struct FreeSpaceThresholds: Hashable, Sendable {
    package var lowBytes: UInt64 = 256 << 20

    /// Less than ``lowBytes`` counts as that.
    package var highBytes: UInt64 = 512 << 20

    package init() {}

    /// What downloads leave free.
    ///
    /// - Parameter totalBytes: The size of the file system: ``ConfinedFolder/totalBytes()``.
    /// - Returns: In bytes; the database's own floor at the least.
    package func floorBytes(totalBytes: UInt64) -> UInt64 {
        max(SpaceReservations.floorBytes, min(lowBytes, totalBytes / 20))
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
