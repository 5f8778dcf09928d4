package import LinuxSystem

/// The folders of one container that plugins can write to, all in one mount.
package struct ContainerFolders: Sendable {
    let folders: [(name: String, folder: ConfinedFolder)]

    /// - Parameter folders: Each with its name in the container.
    package init(_ folders: [(name: String, folder: ConfinedFolder)]) {
        self.folders = folders
    }

    /// Where a path of the container leads: the folder, and the path below it; nil for none of them.
    package func place(of path: String) -> (folder: ConfinedFolder, inner: String)? {
        guard let slash = path.utf8.firstIndex(of: Paths.separator) else { return nil }
        let name = path[..<slash].utf8
        let found = folders.first { $0.name.utf8.elementsEqual(name) }
        return found.map { ($0.folder, String(path[path.utf8.index(after: slash)...])) }
    }
}
