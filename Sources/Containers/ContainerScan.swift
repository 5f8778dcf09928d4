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
///
/// What is kept of a look is what was asked for: a plugin can have any number of files.
package enum ContainerScan {
    package struct Result: Sendable {
        /// False when a bound was met or a folder could not be looked into: a file that was not found
        /// may still be there.
        ///
        /// True says only that all was looked through. A file that somebody moves meanwhile is seen
        /// twice or not at all: none is gone before two looks in a row have missed it.
        package let isComplete: Bool

        /// All that lies there, but not what lies in other mounts.
        package let use: FolderUse

        /// How many regular files there are.
        package let regularFiles: UInt64

        fileprivate let found: [FileStamp: FoundFile]

        /// The file that is known by this; nil when none was found, or none was wanted.
        ///
        /// Of several names one, any of them.
        package func file(with stamp: FileStamp) -> FoundFile? { found[stamp] }
    }

    /// Looks at everything, once; plugins may change it meanwhile.
    ///
    /// - Parameters:
    ///   - folders: Where.
    ///   - wanted: What to look for. A file whose path is no UTF-8 or longer than 1,024 bytes, and one
    ///     in another mount, is not found: the host cannot reach it.
    ///   - mostEntries: Where to stop, entries of any kind in all folders together.
    ///   - mostDepth: Into how many folders in one another to go.
    /// - Returns: What was found.
    /// - Throws: ``SystemError`` when one of the folders cannot be read.
    package static func scan(
        _ folders: ContainerFolders, wanted: Set<FileStamp>, mostEntries: UInt64 = 1_000_000,
        mostDepth: Int = 256
    ) throws(SystemError) -> Result {
        var found: [FileStamp: FoundFile] = [:]
        var use = FolderUse()
        var regularFiles: UInt64 = 0
        let isComplete = try walk(folders, mostEntries, mostDepth) { name, path, status in
            use.add(status)
            guard status.kind == .file else { return }
            regularFiles += 1
            guard let path, wanted.contains(status.stamp) else { return }
            // One that was moved meanwhile is seen twice: where it was seen last.
            found[status.stamp] = FoundFile("\(name)/\(path)", status)
        }
        return Result(
            isComplete: isComplete, use: use, regularFiles: regularFiles, found: found)
    }

    /// Looks for files that are still what was published, by their marks, for rows that were lost.
    ///
    /// Whoever can write a file can make its mark up, of any number of files: the body sees to what it
    /// keeps.
    ///
    /// - Parameters:
    ///   - folders: Where.
    ///   - mostEntries: As ``scan(_:wanted:mostEntries:mostDepth:)``.
    ///   - mostDepth: The same.
    ///   - body: Gets each file with one name, and which download it is of.
    /// - Returns: False when not all was looked through.
    /// - Throws: ``SystemError`` when one of the folders cannot be read.
    @discardableResult
    package static func eachUntouched(
        in folders: ContainerFolders, mostEntries: UInt64 = 1_000_000, mostDepth: Int = 256,
        _ body: (_ file: FoundFile, _ mark: String) -> Void
    ) throws(SystemError) -> Bool {
        try walk(folders, mostEntries, mostDepth) { name, path, status in
            guard let path, status.kind == .file, status.links == 1 else { return }
            let file = FoundFile("\(name)/\(path)", status)
            guard let place = folders.place(of: file.path),
                let mark = try? place.folder.untouchedMark(of: place.inner)
            else { return }
            body(file, mark)
        }
    }

    private static func walk(
        _ folders: ContainerFolders, _ mostEntries: UInt64, _ mostDepth: Int,
        _ visit: (_ folder: String, _ path: String?, _ status: EntryStatus) -> Void
    ) throws(SystemError) -> Bool {
        var left = mostEntries
        var isComplete = true
        for (name, folder) in folders.folders {
            let isWhole = try folder.walk(
                mostEntries: left, mostDepth: mostDepth
            ) { path, status in
                left -= min(left, 1)
                visit(name, path, status)
            }
            isComplete = isComplete && isWhole
        }
        return isComplete
    }
}

extension FoundFile {
    fileprivate init(_ path: String, _ status: EntryStatus) {
        self.init(
            path: path, stamp: status.stamp, links: status.links,
            accessedSeconds: status.accessedSeconds)
    }
}
