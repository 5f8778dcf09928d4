internal import Glibc
internal import LinuxSystem

/// Which state folder has the list of a container's published files: `.bahost/state`.
///
/// An empty list says nothing by itself: it was lost, or it is another host's. Five texts with a NUL
/// after each: `bahost-state 1`, the state folder, the container, the inode of its `.bahost/` in
/// decimal digits, and the app.
package struct ContainerState: Hashable, Sendable {
    /// Absolute, without links.
    package var statePath: String

    /// Where the container was then; absolute, without links.
    package var containerPath: String

    /// Of its `.bahost/`: a copy has another.
    package var inode: UInt64

    /// Whose files the list began with.
    package var app: String

    package static let fileName = "state"
    private static let kind = "bahost-state 1"
    private static let longestBytes = 16_384

    package init(statePath: String, containerPath: String, inode: UInt64, app: String) {
        self.statePath = statePath
        self.containerPath = containerPath
        self.inode = inode
        self.app = app
    }

    /// Nil for what is no such file.
    package init?(untrusted bytes: [UInt8]) {
        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5].isEmpty,
            case let texts = parts.prefix(5).compactMap({ String(validating: $0, as: UTF8.self) }),
            texts.count == 5, texts[0] == ContainerState.kind, Paths.isAbsolute(texts[1]),
            Paths.isAbsolute(texts[2]), let inode = UInt64(texts[3]), !texts[4].isEmpty
        else { return nil }
        self.init(statePath: texts[1], containerPath: texts[2], inode: inode, app: texts[4])
    }

    package var bytes: [UInt8] {
        let texts = [ContainerState.kind, statePath, containerPath, "\(inode)", app]
        return texts.flatMap { Array($0.utf8) + [0] }
    }

    /// Whether the list is in this state folder; absolute, without links.
    func isIn(_ path: String) -> Bool { statePath.utf8.elementsEqual(path.utf8) }

    /// What a container says; nil when it says nothing that can be read.
    static func read(in privateFolder: ConfinedFolder) -> ContainerState? {
        guard let file = try? privateFolder.open(fileName),
            let bytes = try? DescriptorIO.readAll(
                file.raw, limit: longestBytes, subject: fileName)
        else { return nil }
        return ContainerState(untrusted: bytes)
    }

    /// Has the container say it: the old word or the new one, whenever the host is killed.
    ///
    /// - Parameter privateFolder: Of a container that this host has taken.
    /// - Throws: ``SystemError``.
    func write(in privateFolder: ConfinedFolder) throws(SystemError) {
        let path = "\(privateFolder.path)/\(ContainerState.fileName)"
        let draft = "\(path).new"
        _ = try privateFolder.remove("\(ContainerState.fileName).new")
        let file = try Descriptor.open(
            draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        try DescriptorIO.writeAll(file.raw, bytes, subject: draft)
        try SystemError.checkErrno(fsync(file.raw), "fsync", draft)
        try SystemError.checkErrno(unsafe rename(draft, path), "rename", path)
        try privateFolder.sync()
    }
}

/// What a container's word about its list means to the host that has taken it.
package enum ListFinding: Hashable, Sendable {
    /// It is this state's list, or the container says nothing.
    case own

    /// The list was this state's or a state's that is gone, and is lost.
    case lost

    /// It is another state's, in this folder.
    case others(String)

    /// Decides from what was found.
    ///
    /// - Parameters:
    ///   - said: The container's word.
    ///   - statePath: Of this host, absolute, without links.
    ///   - isEmpty: This host's list has nothing of the container.
    ///   - hasApps: This host's database has had downloads of somebody.
    ///   - wasMoved: The container was, and is not where the list has it.
    ///   - hasList: Asked whether a state folder has a database.
    /// - Returns: Whose the list is.
    package static func judge(
        _ said: ContainerState?, statePath: String, isEmpty: Bool, hasApps: Bool,
        wasMoved: Bool = false, hasList: (String) -> Bool
    ) -> ListFinding {
        guard let said else { return .own }
        guard said.isIn(statePath) else {
            // The default folder of the container's old place: nobody runs there any more.
            return !wasMoved && hasList(said.statePath) ? .others(said.statePath) : .lost
        }
        return isEmpty && (!hasApps || wasMoved) ? .lost : .own
    }
}
