import Containers
import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// A container, and beside it `outside/`, which nobody may touch.
final class ContainerFixture: Sendable {
    let path: String
    let folders: ContainerFolders
    let downloads: ConfinedFolder
    let host: ConfinedFolder
    let purge: FilePurge
    private let scratch: ScratchFolder?

    static let identifier = "6f1c0000-0000-4000-8000-000000000001"

    /// - Parameters:
    ///   - place: A folder in which to make it; nil for one of its own.
    ///   - hasRenameFlags: False to do without those of renameat2(2).
    /// - Throws: What the system said when something could not be made.
    init(in place: String? = nil, hasRenameFlags: Bool = true) throws {
        scratch = try place == nil ? ScratchFolder("container") : nil
        let top = place ?? scratch?.path ?? ""
        path = "\(top)/c"
        for name in ["outside", "c", "c/.bahost", "c/Downloads", "c/Library", "c/tmp"] {
            #expect(unsafe mkdir("\(top)/\(name)", 0o700) == 0)
        }
        func folder(_ name: String) throws -> ConfinedFolder {
            let path = "\(top)/c/\(name)"
            let opened = try Descriptor.open(path, flags: O_RDONLY | O_DIRECTORY)
            return try ConfinedFolder(opened, path: path, hasRenameFlags: hasRenameFlags)
        }
        downloads = try folder("Downloads")
        host = try folder(".bahost")
        folders = ContainerFolders([
            ("Downloads", downloads), ("Library", try folder("Library")),
            ("tmp", try folder("tmp")),
        ])
        purge = FilePurge(folders, privateFolder: host)
    }

    /// A file as the host makes one before it is published, last written long ago.
    func draft(_ bytes: Int = 4_000, seed: UInt64 = 1) throws -> String {
        let draft = "\(path)/.bahost/draft"
        var random = SeededGenerator(seed: seed)
        let data = Data((0..<bytes).map { _ in UInt8.random(in: 97...122, using: &random) })
        try data.write(to: URL(fileURLWithPath: draft))
        let past = timespec(tv_sec: 1_600_000_000 + Int(seed), tv_nsec: 123_456_789)
        #expect(unsafe utimensat(AT_FDCWD, draft, [past, past], 0) == 0)
        return draft
    }

    /// Publishes a file in `Downloads/`.
    func publish(_ name: String = "f", bytes: Int = 4_000, seed: UInt64 = 1) throws
        -> PurgeCandidate
    {
        try downloads.take(
            try draft(bytes, seed: seed), as: name, mark: ContainerFixture.identifier)
        return try candidate(name)
    }

    /// As the store has it of a file in `Downloads/`.
    func candidate(_ name: String) throws -> PurgeCandidate {
        let status = try #require(try downloads.status(name))
        return candidate(name, status.stamp)
    }

    func candidate(_ name: String, _ stamp: FileStamp) -> PurgeCandidate {
        PurgeCandidate(
            rowID: 1, uniqueIdentifier: ContainerFixture.identifier, path: "Downloads/\(name)",
            stamp: stamp, lastUsed: 0)
    }

    /// What still is what was published, by its mark, and whether all was looked through.
    func untouched() throws -> (files: [FoundFile], isComplete: Bool) {
        var files: [FoundFile] = []
        let isComplete = try ContainerScan.eachUntouched(in: folders) { file, mark in
            #expect(mark == ContainerFixture.identifier)
            files.append(file)
        }
        return (files, isComplete)
    }

    /// Whether the file system of a fixture's own place keeps marks.
    static let keepsMarks = (try? ContainerFixture().host.keepsMarks) ?? false

    /// All names in the container that are no folders, sorted.
    func files() throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: path)
        return all.filter { name in
            var status = stat()
            return unsafe lstat("\(path)/\(name)", &status) == 0
                && status.st_mode & S_IFMT != S_IFDIR
        }.sorted()
    }

    func whole(_ name: String) -> String { "\(path)/Downloads/\(name)" }
}
