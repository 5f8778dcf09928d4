/// What a load may take: added up file by file before anything of it is mapped
/// (docs/threat-model.md).
///
/// Non-writable segments and holes are given for nothing, since they are sealed before any code of
/// the load runs; writable segments are paid from the memory limit.
package struct LoadBudget: Hashable, Sendable {
    /// The most that is given for nothing.
    package static let largestNeedBytes: UInt64 = 512 << 20

    /// The most libraries that a load may bring.
    package static let mostLibraries = 64

    package let limitBytes: UInt64
    package private(set) var needBytes: UInt64 = 0
    package private(set) var writableBytes: UInt64 = 0
    package private(set) var files = 0

    package init(limitBytes: UInt64) {
        self.limitBytes = limitBytes
    }

    /// Adds the plugin, or a library that it brings.
    ///
    /// - Throws: ``PluginImageError`` with `needOverLimit` or `writableOverLimit`, naming the sums.
    package mutating func add(_ need: LoadNeed) throws(PluginImageError) {
        let (sum, overflow) = needBytes.addingReportingOverflow(need.addressSpaceBytes)
        let (written, writtenOverflow) = writableBytes.addingReportingOverflow(need.writableBytes)
        needBytes = overflow ? .max : sum
        writableBytes = writtenOverflow ? .max : written
        files += 1
        let who = files == 1 ? "the file takes" : "the file and the libraries it brings take"
        guard needBytes <= Self.largestNeedBytes else {
            throw PluginImageError(
                .needOverLimit,
                "\(who) \(grouped(needBytes)) bytes for segments that cannot be written and for"
                    + " the holes between segments, at most \(grouped(Self.largestNeedBytes)) is"
                    + " accepted")
        }
        guard writableBytes <= limitBytes else {
            throw PluginImageError(
                .writableOverLimit,
                "\(who) \(grouped(writableBytes)) bytes for writable segments, the memory limit is"
                    + " \(grouped(limitBytes))")
        }
        guard files <= Self.mostLibraries + 1 else {
            throw PluginImageError(
                .forbiddenNeeded,
                "the file brings more than \(Self.mostLibraries) libraries of its own")
        }
    }
}

/// A process's memory at one moment, as the kernel's limits count it.
package struct MemoryMark: Hashable, Sendable {
    /// What RLIMIT_DATA is compared with.
    package var dataBytes: UInt64

    /// What RLIMIT_AS is compared with.
    package var addressSpaceBytes: UInt64

    /// Pages made read-only after relocation: written, but no longer counted as data.
    package var relroBytes: UInt64

    package init(dataBytes: UInt64, addressSpaceBytes: UInt64, relroBytes: UInt64) {
        self.dataBytes = dataBytes
        self.addressSpaceBytes = addressSpaceBytes
        self.relroBytes = relroBytes
    }
}

/// The two limits under which a plugin is loaded and runs.
package struct LoadLimits: Hashable, Sendable {
    package let dataBytes: UInt64
    package let addressSpaceBytes: UInt64

    /// What the limit leaves for the plugin's writable segments and all it allocates.
    package let leftBytes: UInt64

    /// - Parameters:
    ///   - budget: Of the plugin and the libraries it brings.
    ///   - before: When the worker was ready; the limit counts from there.
    ///   - now: With the system's libraries that the plugin needs: what they may write is paid,
    ///     what they may not is free.
    package init?(_ budget: LoadBudget, before: MemoryMark, now: MemoryMark) {
        let data = now.dataBytes - min(now.dataBytes, before.dataBytes)
        let relro = now.relroBytes - min(now.relroBytes, before.relroBytes)
        let (paid, paidOverflow) = data.addingReportingOverflow(relro)
        guard !paidOverflow, paid <= budget.limitBytes else { return nil }
        leftBytes = budget.limitBytes - paid
        let (dataLimit, dataOverflow) = now.dataBytes.addingReportingOverflow(leftBytes)
        let (room, roomOverflow) = budget.needBytes.addingReportingOverflow(leftBytes)
        let (space, spaceOverflow) = now.addressSpaceBytes.addingReportingOverflow(room)
        guard !dataOverflow, !roomOverflow, !spaceOverflow else { return nil }
        dataBytes = dataLimit
        addressSpaceBytes = space
    }

    /// What the limit on address space comes down to once the load is over; never more than before.
    package func trimmedAddressSpace(_ loaded: MemoryMark) -> UInt64 {
        let left = dataBytes - min(dataBytes, loaded.dataBytes)
        let (space, overflow) = loaded.addressSpaceBytes.addingReportingOverflow(left)
        return overflow ? addressSpaceBytes : min(addressSpaceBytes, space)
    }
}
