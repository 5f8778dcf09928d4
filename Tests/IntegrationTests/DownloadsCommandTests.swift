import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// `bahost downloads` beside real runs, and after them.
@Suite struct DownloadsCommandTests {
    /// A run that fetches a few large files slowly, and the commands on its store.
    private struct Desk {
        static let names = ["level-0", "level-1", "level-2"]
        let server: NginxServer
        let fixture: RunFixture
        private let options: [String]

        init(as user: UInt32? = nil, mebibytes: Int = 52) throws {
            server = try NginxServer(rate: "12m")
            fixture = try RunFixture(as: user)
            var lines = ""
            for (seed, name) in Desk.names.enumerated() {
                let data = TestData.bytes(count: mebibytes << 20, seed: UInt64(seed))
                try server.serve(name, data)
                lines += "level \(name) \(data.count) \(try TestData.sha256(data)) "
                lines += "\(server.base)/\(name)\n"
            }
            try server.serve("levels.txt", Data(lines.utf8))
            options = ["--manifest", "\(server.base)/levels.txt"] + DownloadTests.network
        }

        func start() throws -> ProgramRun {
            try fixture.start(fixture.plugin("LevelPacks"), options)
        }

        /// Leaves a store with three downloads that have begun.
        func interruptARun() throws {
            let run = try start()
            #expect(hasBegun)
            run.signal(SIGINT)
            #expect(try run.wait().status == 130)
        }

        var hasBegun: Bool {
            eventually(within: .seconds(60)) {
                fixture.partialCount == 3 && fixture.partialBytes > 3 << 20
            }
        }

        func downloads(_ words: String...) throws -> ProgramResult {
            try startDownloads(words).wait()
        }

        func startDownloads(_ words: [String]) throws -> ProgramRun {
            try fixture.startPlain(
                ["downloads"] + words + ["--state", fixture.state, "--output", fixture.output])
        }

        func list(_ words: String...) throws -> Listing {
            let result = try startDownloads(["list", "--json"] + words).wait()
            #expect(result.status == 0, "\(result.errors)")
            try SchemaCheck.expectValid(result.output, against: "downloads-1.json")
            return try JSONDecoder().decode(Listing.self, from: Data(result.output.utf8))
        }
    }

    private struct Listing: Decodable {
        struct Download: Decodable {
            let identifier: String
            let state: String
            let bytes: Int
            let priority: Int64
        }

        let holder: Int32?
        let counts: [String: Int]
        let downloads: [Download]
    }

    @Test(arguments: users) func besideARunItIsReadAndNotChanged(user: UInt32?) throws {
        let desk = try Desk(as: user)
        let run = try desk.start()
        #expect(desk.hasBegun)
        let listing = try desk.list()
        #expect(listing.holder == run.pid)
        #expect(listing.downloads.map(\.identifier).sorted() == Desk.names)
        #expect(listing.downloads.allSatisfy { ["waiting", "downloading"].contains($0.state) })
        for verb in ["cancel", "promote"] {
            let result = try desk.downloads(verb, "level-0")
            #expect(result.status == 73)
            #expect(result.errors.contains("in use by the host with process id \(run.pid)"))
        }
        run.signal(SIGINT)
        #expect(try run.wait().status == 130)
        #expect(try desk.list().holder == nil)
    }

    @Test(arguments: users) func whatIsCancelledIsGoneAndBegunAnewWhenAskedFor(
        user: UInt32?
    ) throws {
        let desk = try Desk(as: user)
        try desk.interruptARun()
        let begun = try desk.list().downloads.map(\.bytes)
        #expect(begun.allSatisfy { $0 > 0 })
        let cancel = try desk.downloads("cancel", "level-1", "level-2", "level-1")
        #expect(cancel.status == 0, "\(cancel.errors)")
        #expect(cancel.lines.count == 2)
        #expect(cancel.lines.first?.hasPrefix("level-1: cancelled, ") == true)
        #expect(desk.fixture.partialCount == 1)
        let only = try desk.list("--only", "cancelled")
        #expect(only.downloads.map(\.identifier).sorted() == ["level-1", "level-2"])
        let again = try desk.downloads("cancel", "level-1")
        #expect(again.status == 66)
        #expect(again.errors.contains("\"level-1\" of bahost.run has been cancelled already"))
        let run = try desk.start().wait()
        #expect(run.status == 0, "\(run.errors)")
        let partly = desk.server.requests.filter { $0.contains(" 206 bytes=") }
        #expect(partly.allSatisfy { $0.contains("/level-0 ") })
        #expect(try desk.list().counts == ["finished": 3])
        let finished = try desk.downloads("promote", "level-0")
        #expect(finished.status == 66)
        #expect(finished.errors.contains("has finished already; nothing is changed"))
    }

    @Test func ofSeveralAllAreChangedOrNone() throws {
        let desk = try Desk()
        try desk.interruptARun()
        for verb in ["cancel", "promote"] {
            let result = try desk.downloads(verb, "level-0", "no\u{1B}ne", "level-1")
            #expect(result.status == 66)
            #expect(
                result.errors
                    == "bahost downloads: there is no download \"no\\u{1b}ne\" of bahost.run\n")
        }
        let untouched = try desk.list()
        #expect(untouched.counts == ["waiting": 3])
        #expect(untouched.downloads.allSatisfy { $0.priority < .max })
        #expect(try desk.downloads("cancel", "--app", "other", "level-0").status == 66)
        let promote = try desk.downloads("promote", "level-2", "--json")
        #expect(promote.status == 0, "\(promote.errors)")
        try SchemaCheck.expectValid(promote.output, against: "downloads-1.json")
        let first = try desk.list().downloads.filter { $0.priority == .max }
        #expect(first.map(\.identifier) == ["level-2"])
    }

    @Test func watchTellsWhatChangesUntilNothingIsUnfinished() throws {
        let desk = try Desk(mebibytes: 20)
        let run = try desk.start()
        #expect(desk.hasBegun)
        let watch = try desk.startDownloads(["watch", "--json"])
        let text = try desk.startDownloads(["watch"])
        #expect(try run.wait().status == 0)
        let result = try watch.wait()
        #expect(result.status == 0, "\(result.errors)")
        let ends = result.lines.filter { $0.contains("\"state\":\"finished\"") }
        #expect(ends.count == 3)
        #expect(result.lines.count > 3)
        for line in [result.lines.first, result.lines.last].compactMap(\.self) {
            try SchemaCheck.expectValid(line + "\n", against: "downloads-1.json")
        }
        let lines = try text.wait().lines
        for name in Desk.names {
            #expect(lines.contains("\(name): finished, 20.0 MiB (Downloads/\(name))"))
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func watchIsInterruptedWithStatus130(
        signal: Int32
    ) throws {
        let desk = try Desk()
        try desk.interruptARun()
        let watch = try desk.startDownloads(["watch"])
        #expect(eventually { watch.outputSoFar.split(separator: "\n").count == 3 })
        watch.signal(signal)
        #expect(try watch.wait().status == 130)
    }

    @Test func withoutAStoreItSaysSoAndMakesNone() throws {
        let fixture = try RunFixture()
        for words in [["list"], ["watch"], ["cancel", "x"], ["promote", "x"]] {
            let result = try fixture.runPlain(["downloads"] + words + ["--state", "none"])
            #expect(result.status == 66)
            #expect(result.errors.contains("\(fixture.scratch.path)/none: No such file"))
        }
        #expect(!FileManager.default.fileExists(atPath: "\(fixture.scratch.path)/none"))
        try FileManager.default.createDirectory(
            atPath: fixture.state, withIntermediateDirectories: false)
        let list = try fixture.runPlain(["downloads", "list", "--state", fixture.state])
        #expect(list.status == 0)
        #expect(list.output.isEmpty)
        let cancel = try fixture.runPlain(["downloads", "cancel", "x", "--state", fixture.state])
        #expect(cancel.status == 66)
        #expect(!fixture.scratch.contents(of: "state").contains("downloads.sqlite"))
    }

    @Test func aDatabaseThatIsNoneIsNamed() throws {
        let fixture = try RunFixture()
        try FileManager.default.createDirectory(
            atPath: fixture.state, withIntermediateDirectories: false)
        _ = try fixture.scratch.write("state/downloads.sqlite", "no database at all")
        let list = try fixture.runPlain(["downloads", "list", "--state", fixture.state])
        #expect(list.status == 66)
        #expect(list.errors.contains("the database is damaged: \(fixture.state)"))
    }
}
