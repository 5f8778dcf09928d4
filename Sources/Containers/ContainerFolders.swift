package import LinuxSystem

/// The folders of one container that plugins can write to, all in one mount.
package struct ContainerFolders: Sendable {
    let folders: [(name: String, folder: ConfinedFolder)]

    /// - Parameter folders: Each with its name in the container.
    package init(_ folders: [(name: String, folder: ConfinedFolder)]) {
        self.folders = folders
    }

    /// Where a path of the container leads: the folder, and the path below it; nil for none of them.
    func place(of path: String) -> (folder: ConfinedFolder, inner: String)? {
        guard let slash = path.firstIndex(of: "/") else { return nil }
        let name = path[..<slash]
        guard let found = folders.first(where: { $0.name == name }) else { return nil }
        return (found.folder, String(path[path.index(after: slash)...]))
    }
}
