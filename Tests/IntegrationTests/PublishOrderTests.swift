import Foundation
import Testing
import TestSupport

/// What is told as finished is on the disk, also after a power cut: the order of the system calls.
@Suite struct PublishOrderTests {
    static let count = 40
    static let calls =
        "trace=fdatasync,fsync,syncfs,rename,renameat,renameat2,pwrite64,pwritev,write"

    @Test(
        .enabled(
            if: SystemCallTrace.isPossible, "strace(1) is missing or may not trace here"))
    func filesAreSyncedThenNamedThenTheirFolderSyncedThenTheirRowsStored() throws {
        let fixture = try RunFixture()
        let trace = try traceOfARun(fixture)
        let publications = TracedPublication.all(in: trace)
        #expect(Set(publications.map(\.name)) == Set(names), "\(publications.map(\.name))")
        #expect(publications.count == Self.count)
        for publication in publications { expectOrder(of: publication, in: trace) }
        let folderSyncs = trace.calls.filter { $0.isSync && $0.path.hasSuffix("/Downloads") }
        #expect((1..<Self.count).contains(folderSyncs.count), "not published in groups")
        print("publish order: \(Self.count) files, \(folderSyncs.count) groups")
    }

    private var names: [String] { (10..<10 + Self.count).map { "file-\($0)" } }

    private func traceOfARun(_ fixture: RunFixture) throws -> SystemCallTrace {
        let server = try NginxServer()
        var manifest = ""
        for (seed, name) in names.enumerated() {
            let data = TestData.bytes(count: 20_000 + seed, seed: UInt64(seed))
            try server.serve(name, data)
            let digest = try TestData.sha256(data)
            manifest += "\(name) \(data.count) \(digest) \(server.base)/\(name)\n"
        }
        let trace = "\(fixture.scratch.path)/trace"
        // Strings long enough for a page of the database, each byte as four.
        let tool = [
            SystemCallTrace.program, "-f", "-y", "-s", "20000", "-o", trace, "-e", Self.calls,
        ]
        let options = ["--manifest", try fixture.scratch.write("manifest", manifest)]
        let result = try fixture.start(
            fixture.plugin("HelloDownload"), options + DownloadTests.network, under: tool
        ).wait()
        #expect(result.status == 0, "\(result.errors)")
        return SystemCallTrace(
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: trace)), as: UTF8.self))
    }

    /// Each step ends before the next begins.
    private func expectOrder(of publication: TracedPublication, in trace: SystemCallTrace) {
        let (name, rename) = (publication.name, publication.rename)
        let isPartial = { (call: SystemCallTrace.Call) in
            call.path.hasSuffix("/\(publication.partial)")
        }
        let written = trace.calls.last { $0.isWrite && isPartial($0) }?.end ?? .max
        #expect(
            trace.calls.contains { call in
                call.begin > written && call.end < rename.begin
                    && (call.name == "syncfs" || call.isSync && isPartial(call))
            }, "\(name) has its name before its bytes are on the disk")
        // Only a finished row holds the file's path.
        let row = trace.calls.first { call in
            call.isWrite && call.isOfLog && call.arguments.contains("Downloads/\(name)")
        }
        guard let row else {
            Issue.record("no row of \(name)")
            return
        }
        #expect(
            trace.calls.contains { call in
                call.isSync && call.path.hasSuffix("/Downloads") && call.begin > rename.end
                    && call.end < row.begin
            }, "\(name) has its row before its name is on the disk")
        #expect(
            trace.calls.contains { $0.isSync && $0.isOfLog && $0.begin > row.end },
            "the row of \(name) is not on the disk")
    }
}

extension SystemCallTrace.Call {
    fileprivate var isSync: Bool { name == "fsync" || name == "fdatasync" }
    fileprivate var isWrite: Bool { name.hasPrefix("pwrite") || name == "write" }
    fileprivate var isOfLog: Bool { path.hasSuffix("/downloads.sqlite-wal") }
}
