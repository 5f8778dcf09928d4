import DownloadScheduler
import Glibc
import HostEngine
import LinuxSystem
import TestSupport
import Testing
import TransferEngine

/// One case per row of the table.
@Suite struct ReconciliationTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        var state = DownloadState.downloading
        var received: UInt64 = 0
        var size: UInt64? = 100
        var hasHash = false
        var isDelivered = false
        var partial: UInt64?
        var version: PartialVersion?
        var published: Reconciliation.Published?
        let action: Reconciliation.Action

        var testDescription: String { name }

        var found: Reconciliation.Found {
            Reconciliation.Found(partialBytes: partial, version: version, published: published)
        }

        var record: DownloadRecord {
            var record = DownloadRecord(
                app: "a", identifier: "file", uniqueIdentifier: "own", kind: .url, url: "u",
                group: "g")
            record.state = state
            record.receivedBytes = received
            record.sizeBytes = size
            record.sha256 = hasHash ? [UInt8](repeating: 0, count: 32) : nil
            record.isDelivered = isDelivered
            return record
        }
    }

    private static let ours = Reconciliation.Published.file(bytes: 100, mark: "own")
    private static let others = Reconciliation.Published.file(bytes: 100, mark: "other")
    private static let unmarked = Reconciliation.Published.file(bytes: 100, mark: nil)
    private static let lost = Reconciliation.Action.fail(
        DownloadFailure(
            domain: .errno, code: ENOENT,
            message: "the file of file was gone before the extension was told of it"))

    static let partials: [Row] = [
        Row(name: "nothing fetched", action: .nothing),
        Row(name: "file and row agree", received: 40, partial: 40, action: .resume(from: 40)),
        Row(name: "the row is behind", received: 40, partial: 50, action: .resume(from: 40)),
        Row(name: "the file is behind", received: 50, partial: 40, action: .resume(from: 40)),
        Row(name: "the file is empty", received: 50, partial: 0, action: .startOver),
        Row(name: "the file is gone", received: 50, action: .startOver),
        Row(name: "the row knows of nothing", partial: 40, action: .startOver),
        Row(name: "all is there", received: 100, partial: 100, action: .resume(from: 100)),
        Row(name: "the file is too long", received: 100, partial: 101, action: .resume(from: 100)),
        Row(name: "the row has too much", received: 101, partial: 101, action: .startOver),
        Row(
            name: "no size", received: 101, size: nil, partial: 101, action: .resume(from: 101)),
        Row(name: "an empty download", size: 0, partial: 0, action: .startOver),
    ]

    private static func said(_ total: UInt64?) -> PartialVersion? {
        Validator(stored: "\"v\"").map { PartialVersion($0, totalBytes: total) }
    }

    private static func adopted(_ bytes: UInt64, _ total: UInt64?) -> Reconciliation.Action {
        said(total).map { .adopt(from: bytes, $0) } ?? .nothing
    }

    /// The file says itself what its bytes are of.
    static let versions: [Row] = [
        Row(
            name: "says its version", received: 40, partial: 90, version: said(100),
            action: adopted(90, 100)),
        Row(
            name: "says its version, the row knows of nothing", partial: 90, version: said(100),
            action: adopted(90, 100)),
        Row(
            name: "says its version, all is there", partial: 100, version: said(100),
            action: adopted(100, 100)),
        Row(
            name: "says its version, too long", received: 40, partial: 101, version: said(100),
            action: .resume(from: 40)),
        Row(
            name: "says its version, no total", partial: 100, version: said(nil),
            action: adopted(100, nil)),
        Row(
            name: "says its version, no total, too long", partial: 101, version: said(nil),
            action: .startOver),
        Row(name: "says its version, empty", partial: 0, version: said(100), action: .startOver),
        Row(
            name: "says its version, failed", state: .failed, partial: 90, version: said(100),
            action: .removePartial),
    ]

    static let publications: [Row] = [
        Row(name: "published and marked", published: ours, action: .verifyPublished),
        Row(
            name: "published and marked, part known", received: 50, published: ours,
            action: .verifyPublished),
        Row(
            name: "published and marked, no size", size: nil, published: ours,
            action: .verifyPublished),
        Row(
            name: "no mark, a hash", hasHash: true, published: unmarked, action: .verifyPublished),
        Row(
            name: "no mark, a hash, no size", size: nil, hasHash: true, published: unmarked,
            action: .nothing),
        Row(name: "no mark, no hash", published: unmarked, action: .nothing),
        Row(
            name: "no mark, no hash, part known", received: 50, published: unmarked,
            action: .startOver),
        Row(name: "another's mark", hasHash: true, published: others, action: .nothing),
        Row(name: "another size", size: 99, hasHash: true, published: ours, action: .nothing),
        Row(
            name: "a partial file goes first", received: 50, partial: 60, published: ours,
            action: .resume(from: 50)),
        Row(name: "no file", received: 50, published: .other, action: .startOver),
    ]

    static let ends: [Row] = [
        Row(name: "to deliver", state: .finished, published: ours, action: .nothing),
        Row(
            name: "to deliver, changed by the plugin", state: .finished,
            published: .file(bytes: 3, mark: nil), action: .nothing),
        Row(name: "to deliver, gone", state: .finished, action: lost),
        Row(name: "to deliver, no file", state: .finished, published: .other, action: lost),
        Row(
            name: "to deliver, gone, with a partial", state: .finished, partial: 5, action: lost),
        Row(name: "delivered, gone", state: .finished, isDelivered: true, action: .nothing),
        Row(
            name: "delivered, no file", state: .finished, isDelivered: true, published: .other,
            action: .nothing),
        Row(
            name: "finished, with a partial", state: .finished, partial: 5, published: ours,
            action: .removePartial),
        Row(name: "failed", state: .failed, action: .nothing),
        Row(name: "failed, with a partial", state: .failed, partial: 5, action: .removePartial),
        Row(
            name: "cancelled, with a partial", state: .cancelled, partial: 0,
            action: .removePartial),
    ]

    @Test(arguments: partials + versions + publications + ends)
    func eachRowHasItsAction(row: Row) {
        let found = row.found
        #expect(Reconciliation.action(for: row.record, found: found) == row.action)
    }

    @Test(arguments: [DownloadState.created, .waiting, .paused])
    func whatWaitsIsAsWhatWasInFlight(state: DownloadState) {
        for row in ReconciliationTests.partials + ReconciliationTests.publications {
            var record = row.record
            record.state = state
            let found = row.found
            #expect(Reconciliation.action(for: record, found: found) == row.action)
        }
    }

    @Test func orphansAreWhatBelongsToNoDownload() {
        let names = ["a.partial", "b.partial", ".partial", "manifest", "manifest.partial", "x"]
        let orphans = Reconciliation.orphans(among: names) { $0 == "a" }
        #expect(orphans == ["b.partial", ".partial", "manifest", "manifest.partial"])
    }

    @Test func theDiskIsLookedAtAsTheHostLeftIt() throws {
        let scratch = try ScratchFolder()
        let container = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        let record = ReconciliationTests.partials[0].record
        #expect(try container.found(for: record) == Reconciliation.Found())
        try scratch.write("a/.bahost/own.partial", "12345")
        #expect(try container.found(for: record) == Reconciliation.Found(partialBytes: 5))
        try container.downloads.take(
            container.partialPath(of: record), as: "file", mark: "own")
        let found = try container.found(for: record)
        let marks: [String?] = ["own", nil]
        #expect(
            marks.contains { found.published == .file(bytes: 5, mark: $0) }
                && found.partialBytes == nil)
        try container.downloads.remove("file")
        #expect(unsafe symlink("/etc/passwd", "\(scratch.path)/a/Downloads/file") == 0)
        #expect(try container.found(for: record).published == .other)
    }

    @Test func orphansAreRemovedFromTheDisk() throws {
        let scratch = try ScratchFolder()
        let container = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        for name in ["a.partial", "b.partial", "manifest"] {
            try scratch.write("a/.bahost/\(name)", "x")
        }
        #expect(throws: SystemError.self) {
            _ = try container.removeOrphans(limit: 2) { _ in false }
        }
        #expect(scratch.contents(of: "a/.bahost").count == 3)
        #expect(try container.removeOrphans(limit: 3) { $0 == "a" } == 2)
        #expect(scratch.contents(of: "a/.bahost") == ["a.partial"])
    }
}
