internal import Glibc

/// Where this process may make memory cgroups of its own.
///
/// `cgroups(7)`; Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of the kernel.
package struct CgroupPlace: Hashable, Sendable {
    package enum Version: Int, Hashable, Sendable {
        case one = 1
        case two = 2
    }

    package let version: Version

    /// The folder that they are made in.
    package let folder: String

    package init(_ version: Version, folder: String) {
        self.version = version
        self.folder = folder
    }

    /// Looks at this process and its machine.
    ///
    /// - Throws: ``CgroupRefusal`` saying why there is none.
    package static func find() throws(CgroupRefusal) -> CgroupPlace {
        func text(_ path: String) throws(CgroupRefusal) -> String {
            guard let text = ProcFile.text(path) else {
                throw CgroupRefusal("\(path) cannot be read")
            }
            return text
        }
        return try choose(
            memberships: text("/proc/self/cgroup"), mounts: text("/proc/self/mountinfo"),
            facts: CgroupFacts(controllers: delegatedControllers, isWritable: isWritable))
    }

    /// Chooses by what the kernel says.
    ///
    /// Of version 1 a child of our own cgroup. Of version 2, where a cgroup with processes gives its
    /// children no controllers, a child of our own only where that is the root; else a sibling.
    ///
    /// - Parameters:
    ///   - memberships: The text of `/proc/self/cgroup`.
    ///   - mounts: The text of `/proc/self/mountinfo`.
    ///   - facts: About folders.
    /// - Returns: A folder that may be written to.
    /// - Throws: ``CgroupRefusal`` saying why there is none.
    package static func choose(
        memberships: String, mounts: String, facts: CgroupFacts
    ) throws(CgroupRefusal) -> CgroupPlace {
        let own = CgroupMembership(memberships)
        let place: CgroupPlace
        if let path = own.memory {
            let mounted = CgroupMount.all(mounts).filter { $0.hasMemory }
            guard let folder = mounted.compactMap({ $0.folder(of: path) }).first else {
                throw CgroupRefusal("the memory cgroup of this process is not mounted")
            }
            place = CgroupPlace(.one, folder: folder)
        } else {
            place = CgroupPlace(.two, folder: try unified(own.unified, mounts, facts))
        }
        guard facts.isWritable(place.folder) else {
            throw CgroupRefusal("\(place.folder) is not writable")
        }
        return place
    }

    private static func unified(
        _ path: String?, _ mounts: String, _ facts: CgroupFacts
    ) throws(CgroupRefusal) -> String {
        let mounted = CgroupMount.all(mounts).filter { $0.isUnified }
        guard let path, let mount = mounted.first(where: { $0.folder(of: path) != nil }),
            let own = mount.folder(of: path)
        else { throw CgroupRefusal("the cgroup of this process is not mounted") }
        if facts.controllers(own).contains("memory") { return own }
        let end = own == mount.point ? nil : own.utf8.lastIndex(of: Paths.separator)
        let folder = end.map { String(own[..<$0]) } ?? own
        guard folder != own, facts.controllers(folder).contains("memory") else {
            throw CgroupRefusal("the memory controller is not enabled in \(folder)")
        }
        return folder
    }

    /// Of which version the cgroup is that counts this process's memory; nil when there is none.
    package static var memoryVersion: Version? {
        let own = CgroupMembership(ProcFile.text("/proc/self/cgroup") ?? "")
        if own.memory != nil { return .one }
        return own.unified == nil ? nil : .two
    }

    /// Those that the children of a cgroup of version 2 have.
    package static func delegatedControllers(_ folder: String) -> [String] {
        let text = ProcFile.text("\(folder)/cgroup.subtree_control") ?? ""
        return text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Who moves a process between two cgroups of version 2 needs the common ancestor's file too.
    private static func isWritable(_ folder: String) -> Bool {
        unsafe access(folder, W_OK | X_OK) == 0 && access("\(folder)/cgroup.procs", W_OK) == 0
    }
}

/// What a choice among cgroups depends on besides the texts.
package struct CgroupFacts {
    /// Those that a folder's children have: its `cgroup.subtree_control`.
    package let controllers: (String) -> [String]
    package let isWritable: (String) -> Bool

    package init(
        controllers: @escaping (String) -> [String], isWritable: @escaping (String) -> Bool
    ) {
        self.controllers = controllers
        self.isWritable = isWritable
    }
}

/// Why no cgroup of our own can be made.
package struct CgroupRefusal: Error, Hashable, Sendable {
    package let why: String

    package init(_ why: String) {
        self.why = why
    }
}

/// The cgroups of a process, by the text of `/proc/PID/cgroup`.
private struct CgroupMembership {
    /// In the hierarchy of version 1 that has the memory controller.
    private(set) var memory: String?

    /// In the one of version 2.
    private(set) var unified: String?

    init(_ text: String) {
        for line in text[...].parts(at: "\n") {
            let parts = line.parts(at: ":", maxSplits: 2, keepsEmpty: true)
            guard parts.count == 3 else { continue }
            if parts[1].split(separator: ",").contains("memory") {
                memory = String(parts[2])
            } else if parts[0] == "0", parts[1].isEmpty {
                unified = String(parts[2])
            }
        }
    }
}

/// One mounted hierarchy of cgroups: a line of `proc_pid_mountinfo(5)`.
private struct CgroupMount {
    let point: String

    /// The cgroup that is seen there.
    private let root: String
    let isUnified: Bool

    /// Of version 1, with the memory controller.
    let hasMemory: Bool

    static func all(_ text: String) -> [CgroupMount] {
        text[...].parts(at: "\n").compactMap { CgroupMount($0) }
    }

    private init?(_ line: Substring) {
        let fields = line.parts(at: " ")
        guard let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count > dash + 3 else {
            return nil
        }
        let type = fields[dash + 1]
        guard type == "cgroup" || type == "cgroup2" else { return nil }
        root = CgroupMount.plain(fields[3])
        point = CgroupMount.plain(fields[4])
        isUnified = type == "cgroup2"
        hasMemory = !isUnified && fields[dash + 3].split(separator: ",").contains("memory")
    }

    /// The folder of a cgroup; nil when it is not to be seen here.
    func folder(of path: String) -> String? {
        guard Paths.isAbsolute(path), !Paths.names(of: path).contains("..") else { return nil }
        let base = root == "/" ? "" : root
        guard path.utf8.starts(with: base.utf8) else { return nil }
        let rest = Substring(path.utf8.dropFirst(base.utf8.count))
        guard rest.isEmpty || rest.utf8.first == Paths.separator else { return nil }
        return rest.isEmpty || rest == "/" ? point : point + rest
    }

    /// Space, tab, newline and backslash are written as three octal digits.
    private static func plain(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Substring {
    /// Taken apart as the kernel puts it together, by bytes: a name may begin with what combines with
    /// the character before it.
    fileprivate func parts(
        at separator: Unicode.Scalar, maxSplits: Int = .max, keepsEmpty: Bool = false
    ) -> [Substring] {
        utf8.split(
            separator: UInt8(ascii: separator), maxSplits: maxSplits,
            omittingEmptySubsequences: !keepsEmpty
        ).map { Substring($0) }
    }
}
