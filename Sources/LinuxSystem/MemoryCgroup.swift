internal import Glibc

/// A memory cgroup that this process has made.
///
/// It stays until ``remove()`` succeeds. `cgroups(7)`; Documentation/admin-guide/cgroup-v2.rst and
/// cgroup-v1/memory.rst of the kernel.
package final class MemoryCgroup {
    package let folder: String
    private let version: CgroupPlace.Version
    private let limitFile: OwnedDescriptor
    private let eventFile: OwnedDescriptor
    private let members: OwnedDescriptor

    /// The limit in force.
    package private(set) var limitBytes: UInt64 = .max

    /// Makes one under the first free name `bahost-PID-N`.
    package static func make(in place: CgroupPlace) throws(SystemError) -> MemoryCgroup {
        var number = 1
        while true {
            let folder = "\(place.folder)/bahost-\(getpid())-\(number)"
            do throws(SystemError) {
                return try MemoryCgroup(place.version, folder)
            } catch let error where error.code == EEXIST && number < 4096 {
                number += 1
            }
        }
    }

    private init(_ version: CgroupPlace.Version, _ folder: String) throws(SystemError) {
        try SystemError.checkErrno(unsafe mkdir(folder, 0o755), "mkdir", folder)
        do throws(SystemError) {
            limitFile = try Descriptor.open(
                "\(folder)/\(MemoryCgroup.limitName(version))", flags: O_WRONLY)
            eventFile = try Descriptor.open(
                "\(folder)/\(MemoryCgroup.eventName(version))", flags: O_RDONLY)
            members = try Descriptor.open("\(folder)/cgroup.procs", flags: O_WRONLY)
        } catch {
            unsafe _ = rmdir(folder)
            throw error
        }
        self.version = version
        self.folder = folder
        // What is swapped out counts as held. Not every kernel has these.
        let settings =
            switch version {
            case .one: [("memory.swappiness", "0")]
            case .two: [("memory.swap.max", "0"), ("memory.oom.group", "0")]
            }
        for (name, value) in settings {
            guard let file = try? Descriptor.open("\(folder)/\(name)", flags: O_WRONLY) else {
                continue
            }
            _ = DescriptorIO.write(file.raw, Array(value.utf8)[...])
        }
    }

    private static func limitName(_ version: CgroupPlace.Version) -> String {
        switch version {
        case .one: "memory.limit_in_bytes"
        case .two: "memory.max"
        }
    }

    private static func eventName(_ version: CgroupPlace.Version) -> String {
        switch version {
        case .one: "memory.oom_control"
        case .two: "memory.events"
        }
    }

    /// Who writes `0` here joins; open for writing.
    var membership: Int32 { members.raw }

    /// Sets the limit, in whole pages as the kernel rounds it.
    ///
    /// - Throws: ``SystemError``; of version 1 with EBUSY when more is held already.
    package func setLimit(_ bytes: UInt64) throws(SystemError) {
        guard bytes != limitBytes else { return }
        // More than the kernel can count is no limit.
        let number = bytes > UInt64(Int64.max) ? nil : bytes
        let none = version == .one ? "-1" : "max"
        try DescriptorIO.writeAll(
            limitFile.raw, Array((number.map(String.init) ?? none).utf8), subject: folder)
        limitBytes = bytes
    }

    /// What is held and cannot be given up at once: all but the clean cache of files.
    ///
    /// Nil when it cannot be read.
    package var heldBytes: UInt64? {
        let names =
            switch version {
            case .one: ("memory.usage_in_bytes", "cache", "dirty", "writeback")
            case .two: ("memory.current", "file", "file_dirty", "file_writeback")
            }
        guard let used = text(names.0).flatMap({ UInt64($0.prefix { $0 != "\n" }) }),
            let statistics = text("memory.stat")
        else { return nil }
        var clean = MemoryCgroup.value(of: names.1, in: statistics) ?? 0
        for name in ["shmem", names.2, names.3] {
            clean -= min(clean, MemoryCgroup.value(of: name, in: statistics) ?? 0)
        }
        return used - min(used, clean)
    }

    /// How many processes the kernel has ended for want of memory here; nil where it does not count.
    package var kills: UInt64? {
        var room = [UInt8](repeating: 0, count: 1024)
        let count = unsafe room.withUnsafeMutableBytes { bytes in
            unsafe pread(eventFile.raw, bytes.baseAddress, bytes.count, 0)
        }
        guard count > 0 else { return nil }
        return MemoryCgroup.value(
            of: "oom_kill", in: String(decoding: room[0..<count], as: UTF8.self))
    }

    /// The number in the line of this name.
    package static func value(of name: String, in text: String) -> UInt64? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2, fields[0] == name { return UInt64(fields[1]) }
        }
        return nil
    }

    private func text(_ name: String) -> String? {
        guard let file = try? Descriptor.open("\(folder)/\(name)", flags: O_RDONLY),
            let bytes = try? DescriptorIO.readAll(file.raw, limit: 65_536, subject: name)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Removes it; false while there is a process in it.
    ///
    /// `rmdir(2)`.
    package func remove() -> Bool {
        unsafe rmdir(folder) == 0 || errno == ENOENT
    }
}

extension MemoryCgroup {
    /// Most entries looked at, and most folders removed, by one sweep.
    package static let sweptEntries = 4096
    package static let sweptFolders = 64

    /// Removes empty ones that hosts have left behind which are no more.
    package static func sweep(_ place: CgroupPlace) {
        var seen = 0
        var removed = 0
        FolderNames.each(in: place.folder) { name in
            seen += 1
            if let host = host(of: name), kill(host, 0) != 0, errno == ESRCH,
                unsafe rmdir("\(place.folder)/\(name)") == 0
            {
                removed += 1
            }
            return seen < sweptEntries && removed < sweptFolders ? .no : .yes
        }
    }

    /// The process that made the cgroup of this name; nil for a name that is not of our making.
    package static func host(of name: String) -> Int32? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "bahost",
            let host = Int32(parts[1]), host > 0, "\(host)" == parts[1],
            let number = Int32(parts[2]), number > 0, "\(number)" == parts[2]
        else { return nil }
        return host
    }
}
