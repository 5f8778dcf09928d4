import DownloadScheduler
import DownloadStore
import Foundation
import Glibc
import HostEngine
import LinuxSystem
import TestSupport

/// A container with published files, their rows, and the keeper of both.
final class StorageFixture {
    let scratch: ScratchFolder
    let store: DownloadStore
    let keeper: StorageKeeper
    let container: String

    /// - Parameter folder: Where the container is; a folder of the fixture's own otherwise.
    /// - Throws: What could not be made.
    init(in folder: String? = nil) throws {
        scratch = try ScratchFolder("storage")
        container = "\(folder ?? scratch.path)/c"
        try FileManager.default.createDirectory(
            atPath: "\(scratch.path)/state", withIntermediateDirectories: false)
        store = try DownloadStore(folder: "\(scratch.path)/state")
        keeper = StorageKeeper(try GroupContainer(path: container, owner: nil), store: store)
    }

    /// Puts a file there as a download does, used so many seconds after 1970.
    @discardableResult
    func publish(
        _ name: String, bytes: Int = 100, lastUsed: Int = 1_000,
        uniqueIdentifier: String = UUID().uuidString
    ) throws -> String {
        let source = path(".bahost/\(name).part")
        try Data(repeating: 7, count: bytes).write(to: URL(fileURLWithPath: source))
        let downloads = try ConfinedFolder("\(container)/Downloads")
        try downloads.take(source, as: name, mark: uniqueIdentifier)
        setAccessTime("Downloads/\(name)", lastUsed)
        var row = PublishedFile(
            app: "app", identifier: name, uniqueIdentifier: uniqueIdentifier,
            container: container, path: "Downloads/\(name)",
            stamp: try stamp("Downloads/\(name)"), publishedAt: 1_000, lastUsed: 1_000)
        row.rowID = 0
        _ = try store.changePublished([.rebuilt(row)])
        return uniqueIdentifier
    }

    func stamp(_ path: String) throws -> FileStamp {
        var status = Glibc.stat()
        guard unsafe lstat(self.path(path), &status) == 0 else { throw POSIXError(.ENOENT) }
        return FileStamp(status)
    }

    private func setAccessTime(_ path: String, _ seconds: Int) {
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: omitted)]
        unsafe utimensat(AT_FDCWD, self.path(path), times, 0)
    }

    /// UTIME_OMIT.
    private let omitted = (1 << 30) - 2

    func path(_ path: String) -> String { "\(container)/\(path)" }

    func row(_ name: String) throws -> PublishedFile? {
        try rows().first { $0.identifier == name }
    }

    func rows() throws -> [PublishedFile] { try store.publishedFiles(container: container) }

    func change(_ name: String, _ change: (Int64) -> PublishedChange) throws {
        guard let row = try row(name) else { throw POSIXError(.ENOENT) }
        _ = try store.changePublished([change(row.rowID)])
    }

    /// Names below `Downloads/`.
    var downloads: [String] { scratch.contents(of: "c/Downloads") }
    var privateNames: [String] { scratch.contents(of: "c/.bahost") }

    /// A row of a finished download that nobody was told of.
    func admitUndelivered(_ name: String, uniqueIdentifier: String) throws {
        var record = DownloadRecord(
            app: "app", identifier: name, uniqueIdentifier: uniqueIdentifier, kind: .url,
            url: "https://example.com/\(name)", group: "group.app")
        record.host = "example.com:443"
        record.state = .waiting
        let admitted = try store.admit([record], replacing: [])
        _ = try store.commit(
            admitted.map {
                .finished(
                    FinishedDownload(
                        rowID: $0.rowID, path: "Downloads/\(name)", receivedBytes: 100,
                        sha256: [UInt8](repeating: 0, count: 32)))
            })
    }
}
