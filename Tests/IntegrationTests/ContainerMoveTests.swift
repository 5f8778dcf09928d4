import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// An extension's move of a finished file within the container is one rename, whatever its size, and
/// the file stays the system's to take back.
@Suite struct ContainerMoveTests {
    /// What the extension is written in, and so what moves the file.
    enum Language: String, Sendable, CaseIterable {
        /// `rename(2)`.
        case c = "C"
        /// Foundation's `FileManager.moveItem`.
        case swift = "Swift"
    }

    struct Move: Sendable, CustomTestStringConvertible {
        let language: Language
        let isolation: String
        let user: UInt32?
        let size: Int

        var testDescription: String {
            "\(language.rawValue), \(isolation), \(user ?? geteuid()), \(size) bytes"
        }

        /// Where the extension puts it.
        var target: String {
            language == .c ? "Library/levels/big" : "Library/Episodes/big.mp3"
        }
    }

    /// 1 GiB once for each language, where every layer is on.
    static let moves: [Move] = users.flatMap { user in
        ["basic", "auto"].flatMap { isolation in
            Language.allCases.map { language in
                let isLarge = user == nil && isolation == "auto"
                return Move(
                    language: language, isolation: isolation, user: user,
                    size: isLarge ? 1 << 30 : 1 << 20)
            }
        }
    }

    @Test(arguments: moves) func isARename(_ move: Move) throws {
        let fixture = try RunFixture(as: move.user)
        let run = try fetch(move, in: fixture)
        let record = try Record(of: run.result)
        #expect(record.result == "ok", "\(record.detail ?? "") \(run.result.errors)")
        #expect(record.status == 0)
        let hasNamespace = record.isolation.layers.contains("mount-namespace")
        let isMissing = record.isolation.missing.contains { $0.layer == "mount-namespace" }
        #expect(hasNamespace != isMissing && (move.isolation != "basic" || isMissing))
        #expect(fixture.scratch.contents(of: "out dir/Downloads") == [])

        // The row has the stamp of what was published: another inode would not be named.
        let purge = try fixture.runPlain(
            ["storage", "purge", "--dry-run", "--json", "--state", fixture.state, "--output"]
                + [fixture.output])
        #expect(purge.status == 0, "\(purge.errors)")
        #expect(purge.output.contains("\"files\":[\"\(move.target)\"]"), "\(purge.output)")
        #expect(purge.output.contains("\"bytes\":\(move.size)"), "\(purge.output)")
        if let trace = run.trace { expectOneRename(move, in: trace, of: fixture) }
    }

    // MARK: - The run

    private static let calls = """
        trace=%file,write,writev,pwrite64,pwritev,pwritev2,copy_file_range,sendfile,splice,tee,\
        vmsplice,ioctl,ftruncate,fallocate
        """

    /// Runs the extension under strace(1) where that is possible; the trace with what is refused.
    private func fetch(
        _ move: Move, in fixture: RunFixture
    ) throws -> (result: ProgramResult, trace: String?) {
        let server = try NginxServer()
        let options =
            ["--manifest", try serve(move, server, fixture), "--json", "--isolation"]
            + [move.isolation] + DownloadTests.network
        let file = "\(fixture.scratch.path)/trace"
        let tool = [
            SystemCallTrace.program, "-f", "-y", "-s", "64", "-o", file, "-e", Self.calls,
        ]
        // Who is not root may not look into a worker: it is not dumpable.
        let isTraced = SystemCallTrace.isPossible && geteuid() == 0
        let plugin = ReachableCopies.plugin(move.language == .c ? "LevelPacks" : "episodes")
        let result = try fixture.start(plugin, options, under: isTraced ? tool : []).wait()
        fixture.audit()
        let trace = isTraced ? try Data(contentsOf: URL(fileURLWithPath: file)) : nil
        return (result, trace.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Serves a file of zeros that takes no space, and gives the path of a manifest with it.
    private func serve(
        _ move: Move, _ server: NginxServer, _ fixture: RunFixture
    ) throws -> String {
        try server.serve("big", Data())
        try #require(unsafe truncate("\(server.folder.path)/www/big", move.size) == 0)
        let digest = Self.digests[move.size] ?? ""
        let url = "\(server.base)/big"
        guard move.language == .swift else {
            return try fixture.scratch.write("manifest", "level big \(move.size) \(digest) \(url)")
        }
        let episode = """
            {"id": "big", "title": "Big", "bytes": \(move.size), "url": "\(url)",
             "sha256": "\(digest)", "published": "2026-01-01T00:00:00Z"}
            """
        return try fixture.scratch.write(
            "show.json", "{\"show\": \"Tests\", \"episodes\": [\(episode)]}")
    }

    /// SHA-256 of so many zeros.
    private static let digests = [
        1 << 20: "30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58",
        1 << 30: "49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14",
    ]

    // MARK: - What the trace says

    private func expectOneRename(_ move: Move, in text: String, of fixture: RunFixture) {
        #expect(!text.contains("EXDEV"))
        let calls = SystemCallTrace(text).calls
        let renames = calls.filter {
            $0.name.hasPrefix("rename") && $0.arguments.contains("/\(move.target)\"")
        }
        #expect(renames.count == 1, "\(renames)")
        guard let rename = renames.first else { return }
        #expect(rename.arguments.contains("/Downloads/big\", \""), "\(rename)")
        #expect(!calls.contains { Self.copies.contains($0.name) })
        #expect(!text.contains("FICLONE") && !text.contains("_IOC_CLONE"))

        // Nothing is made where the file comes to lie, and nobody reads it by its old name.
        let folder = move.target.split(separator: "/").dropLast().joined(separator: "/")
        let opens = calls.filter { $0.name.hasPrefix("open") || $0.name == "creat" }
        #expect(opens.contains { $0.arguments.contains("O_CREAT") })
        let made = opens.filter {
            $0.arguments.contains("O_CREAT") && $0.arguments.contains("/\(folder)/")
        }
        #expect(made.isEmpty, "\(made)")
        #expect(!opens.contains { $0.arguments.contains("/Downloads/big\"") })
        #expect(bytesWritten(by: rename.thread, in: text) < 1 << 16)
    }

    private static let copies = ["copy_file_range", "sendfile", "splice", "tee", "vmsplice"]

    /// What a thread has written in all, to files and to the host.
    private func bytesWritten(by thread: Substring, in text: String) -> Int {
        text.split(separator: "\n").reduce(0) { sum, line in
            guard line.hasPrefix("\(thread) "), line.contains("write"),
                let result = line.split(separator: " ").last.flatMap({ Int($0) })
            else { return sum }
            return sum + max(0, result)
        }
    }
}
