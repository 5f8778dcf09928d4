package import LinuxSystem

/// A regular file in a container, as it was when it was seen.
package struct FoundFile: Hashable, Sendable {
    /// Relative to the container.
    package let path: String
    package let stamp: FileStamp

    /// How many names it has: with more than one it is nobody's to take back.
    package let links: UInt64

    /// Since 1970.
    package let accessedSeconds: Int64

    package init(path: String, stamp: FileStamp, links: UInt64, accessedSeconds: Int64) {
        self.path = path
        self.stamp = stamp
        self.links = links
        self.accessedSeconds = accessedSeconds
    }
}

/// Looking through a container for the files that the host has put there.
package enum ContainerScan {
    package struct Result: Sendable {
        /// Regular files, those apart whose path is no UTF-8 or longer than 1,024 bytes, and those
        /// in other mounts: the host cannot reach them, and they count in ``use`` alone.
        package let files: [FoundFile]

        /// False when a bound was met or a folder could not be looked into: a file that was not found
        /// may still be there.
        package let isComplete: Bool

        /// All that lies there.
        package let use: FolderUse

        private let places: [FileStamp: Int]

        init(files: [FoundFile], isComplete: Bool, use: FolderUse) {
            self.files = files
            self.isComplete = isComplete
            self.use = use
            // One that was moved meanwhile is seen twice: any of its places will do.
            places = Dictionary(files.indices.map { (files[$0].stamp, $0) }) { $1 }
        }

        /// The file that is known by this; nil when none was found.
        package func file(with stamp: FileStamp) -> FoundFile? { places[stamp].map { files[$0] } }
    }

    /// Looks at everything, once; plugins may change it meanwhile.
    ///
    /// - Parameters:
    ///   - folders: Where.
    ///   - mostEntries: Where to stop, entries of any kind in all folders together.
    ///   - mostDepth: Into how many folders in one another to go.
    /// - Returns: What was found.
    /// - Throws: ``SystemError`` when one of the folders cannot be read.
    package static func scan(
        _ folders: ContainerFolders, mostEntries: UInt64 = 1_000_000, mostDepth: Int = 256
    ) throws(SystemError) -> Result {
        var files: [FoundFile] = []
        var use = FolderUse()
        var isComplete = true
        for (name, folder) in folders.folders {
            let left = mostEntries - min(use.files, mostEntries)
            let isWhole = try folder.walk(
                mostEntries: left, mostDepth: mostDepth
            ) { path, status in
                use.files += 1
                use.bytes += status.usedBytes
                guard let path, status.kind == .file else { return }
                files.append(
                    FoundFile(
                        path: "\(name)/\(path)", stamp: status.stamp, links: status.links,
                        accessedSeconds: status.accessedSeconds))
            }
            isComplete = isComplete && isWhole
        }
        return Result(files: files, isComplete: isComplete, use: use)
    }

    /// Which download a file is of, when it is still what was published; nil for all others.
    ///
    /// For rows that were lost. Whoever can write the file can make it up.
    package static func untouchedMark(
        of file: FoundFile, in folders: ContainerFolders
    ) -> String? {
        guard file.links == 1, let place = folders.place(of: file.path) else { return nil }
        return try? place.folder.untouchedMark(of: place.inner)
    }
}
