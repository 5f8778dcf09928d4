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
        let purge = try purgeable(in: fixture)
        #expect(purge.contains("\"files\":[\"\(move.target)\"]"), "\(purge)")
        #expect(purge.contains("\"bytes\":\(move.size)"), "\(purge)")
        if let trace = run.trace { #expect(faults(of: move, in: trace) == []) }
    }

    /// What the host says that it could take back.
    private func purgeable(in fixture: RunFixture) throws -> String {
        let purge = try fixture.runPlain(
            ["storage", "purge", "--dry-run", "--json", "--state", fixture.state, "--output"]
                + [fixture.output])
        #expect(purge.status == 0, "\(purge.errors)")
        return purge.output
    }

    // MARK: - The run

    private static let calls = """
        trace=%file,write,writev,pwrite64,pwritev,pwritev2,copy_file_range,sendfile,splice,tee,\
        vmsplice,ioctl,ftruncate,fallocate
        """

    /// Runs the extension under strace(1) where that is possible; the trace with what is refused.
    private func fetch(
        _ move: Move, in fixture: RunFixture, by other: String? = nil
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
        let plugin =
            other ?? ReachableCopies.plugin(move.language == .c ? "LevelPacks" : "episodes")
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

    /// What is no single rename in a trace; empty for one.
    private func faults(of move: Move, in text: String) -> [String] {
        let calls = SystemCallTrace(text).calls
        var faults: [String] = []
        let renames = calls.filter {
            $0.name.hasPrefix("rename") && $0.arguments.contains("/\(move.target)\"")
                && $0.arguments.contains("/Downloads/big\", ")
        }
        if renames.count != 1 { faults.append("\(renames.count) renames") }
        if text.contains("EXDEV") { faults.append("EXDEV") }
        let clones = ["FICLONE", "_IOC_CLONE"].filter(text.contains)
        faults += clones + calls.map(\.name).filter(Self.copies.contains)

        // Nothing is made where the file comes to lie, and nobody opens it by its old name.
        let folder = move.target.split(separator: "/").dropLast().joined(separator: "/")
        for call in calls where call.name.hasPrefix("open") || call.name == "creat" {
            let isMade = call.name == "creat" || call.arguments.contains("O_CREAT")
            if isMade && call.arguments.contains("/\(folder)/") { faults.append("made") }
            if call.arguments.contains("/Downloads/big\"") { faults.append("opened") }
        }
        let thread = renames.first?.thread ?? ""
        if bytesWritten(by: thread, in: text) > 1 << 16 { faults.append("written") }
        return faults
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

    /// A plugin that copies and removes, as `mv` does between file systems.
    private static let copier = """
        #include <bahost/bahost.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <unistd.h>
        BAHOST_PLUGIN("Copier", "1.0");
        int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
        {
            FILE *manifest = fopen(request->manifest_path, "re");
            char name[256], digits[65], url[1024];
            unsigned long long size;
            bahost_download_request wish;
            if (fscanf(manifest, "level %255s %llu %64s %1023s", name, &size, digits, url) != 4)
                return -1;
            fclose(manifest);
            bahost_request_init(&wish, name, url, size);
            return host->schedule(host, &wish);
        }
        int32_t bahost_download_finished(const bahost_host *host, const bahost_download *download,
                                         const char *path)
        {
            static char block[65536], target[4096];
            snprintf(target, sizeof target, "%s/Library/levels", getenv("HOME"));
            mkdir(target, 0700);
            snprintf(target, sizeof target, "%s/Library/levels/big", getenv("HOME"));
            int from = open(path, O_RDONLY | O_CLOEXEC);
            int to = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
            for (ssize_t count; (count = read(from, block, sizeof block)) > 0;)
                if (write(to, block, count) != count)
                    return -2;
            unlink(path);
            return close(from) | close(to) ? -3 : BAHOST_FINISHED_KEEP;
        }
        """

    /// So that the other test is known to see one.
    @Test func aCopyIsNoRename() throws {
        let fixture = try RunFixture()
        let copier = try fixture.compile(
            "copier", Self.copier, ["-fvisibility=hidden", "-Wl,-z,now", "-Wl,-z,noexecstack"])
        let move = Move(language: .c, isolation: "auto", user: nil, size: 1 << 20)
        let run = try fetch(move, in: fixture, by: copier)
        #expect(run.result.status == 0, "\(run.result.errors)")
        #expect(FileManager.default.fileExists(atPath: "\(fixture.output)/\(move.target)"))
        #expect(try purgeable(in: fixture).contains("\"files\":[]"))
        if let trace = run.trace {
            #expect(faults(of: move, in: trace).sorted() == ["0 renames", "made", "opened"])
        }
    }
}
