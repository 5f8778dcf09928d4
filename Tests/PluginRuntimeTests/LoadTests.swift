import Foundation
import LinuxSystem
import Testing
import WireProtocol

/// From a path to a loaded plugin, or one sentence.
@Suite struct LoadTests {
    private let workshop: PluginWorkshop

    init() throws {
        workshop = try PluginWorkshop()
    }

    private func refusal(of path: String) throws -> LoadFailure {
        let outcome = try workshop.harness(path, [install()]).run()
        #expect(outcome.end?.exitCode == 74)
        return try #require(outcome.loadFailure)
    }

    private func place(_ name: String) -> String {
        workshop.folder.appendingPathComponent(name).path
    }

    @Test func aMissingFileIsNamedSo() throws {
        #expect(try refusal(of: place("none.so")).sentence == "no such file")
        #expect(try refusal(of: place("none/none.so")).sentence == "no such file")
    }

    @Test func aFifoIsRefusedWithoutWaiting() throws {
        let path = place("fifo.so")
        try #require(unsafe mkfifo(path, 0o644) == 0)
        #expect(try refusal(of: path).sentence == "the file is a FIFO, not a regular file")
    }

    @Test func aFolderIsRefused() throws {
        let path = place("folder.so")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try refusal(of: path).sentence == "the file is a directory, not a regular file")
    }

    @Test func aFileWithoutReadRightIsRefused() throws {
        guard workshop.identity != nil else { return }
        let path = place("closed.so")
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        try #require(unsafe chmod(path, 0o600) == 0)
        #expect(try refusal(of: path).sentence.contains("may not be read by user 60123"))
    }

    @Test(arguments: ["", "text", "\u{7f}ELF"])
    func bytesThatAreNoSharedObjectAreRefused(text: String) throws {
        let path = place("text.so")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let failure = try refusal(of: path)
        #expect(failure.sentence.hasPrefix("the file"))
        #expect(!failure.isMismatch)
    }

    @Test func aLibraryWithoutTagIsRefused() throws {
        let path = try workshop.build("int bahost_install(void) { return 0; }")
        #expect(try refusal(of: path).sentence.contains("has no tag"))
    }

    @Test func anotherMajorIsAMismatch() throws {
        let path = try workshop.build(
            helloSource.replacingOccurrences(
                of: "#include <stdio.h>",
                with: "#include <stdio.h>\n#undef BAHOST_ABI_MAJOR\n#define BAHOST_ABI_MAJOR 9"))
        let failure = try refusal(of: path)
        #expect(failure.isMismatch)
        #expect(failure.sentence.contains("9."))
    }

    @Test func aMissingSymbolIsTheLoadersSentence() throws {
        let path = try workshop.build(
            helloSource + "\nextern int nowhere(void); int (*p)(void) = nowhere;")
        #expect(try refusal(of: path).sentence.contains("nowhere"))
    }

    @Test func pathsWithSpacesAndLettersBeyondAsciiLoad() throws {
        let folder = workshop.folder.appendingPathComponent("a folder ü")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let path = folder.appendingPathComponent("my plügin.so").path
        try FileManager.default.copyItem(atPath: try workshop.build(helloSource), toPath: path)
        #expect(try workshop.harness(path, [install()]).run().returns.map(\.status) == [0])
    }

    @Test func aClosedFolderDoesNotHideThePlugin() throws {
        guard workshop.identity != nil else { return }
        let path = try workshop.build(helloSource)
        try #require(unsafe chmod(workshop.folder.path, 0o700) == 0)
        #expect(try workshop.harness(path, [install()]).run().returns.map(\.status) == [0])
        var harness = workshop.harness(path, [install()])
        harness.setup.absentLayers = ["mount-namespace"]
        let failure = try #require(try harness.run().setupFailure)
        #expect(failure.step == "identity")
        #expect(failure.sentence.contains(workshop.folder.path))
    }

    @Test(arguments: [(0, true), (3, false)])
    func mainIsCalledWhenTheTagSaysSo(status: Int, isLoaded: Bool) throws {
        let path = try workshop.build(
            """
            #include <bahost/bahost.h>
            BAHOST_PLUGIN_EX("Main", "1", BAHOST_TAG_REGISTERS_BY_MAIN, "", 0);
            static int calls;
            int main(int count, char **arguments)
            {
                calls += count == 1 && arguments[0] && !arguments[1];
                return \(status);
            }
            int32_t bahost_install(const bahost_host *h, const bahost_content_request *r)
            {
                return calls == 1 ? 0 : -1;
            }
            """)
        let outcome = try workshop.harness(path, [install()]).run()
        #expect(outcome.returns.map(\.status) == (isLoaded ? [0] : []))
        #expect(outcome.loadFailure?.sentence == (isLoaded ? nil : "the file's main returned 3"))
    }

    @Test(arguments: [
        ("abort();", EvidenceRecord.Kind.signal, SIGABRT), ("fork();", .processRefused, 0),
        ("for (;;) memset(malloc(4096), 1, 4096);", .memoryRefused, 0),
    ])
    func whatAConstructorDoesCountsAsWell(
        sin: String, kind: EvidenceRecord.Kind, signal: Int32
    ) throws {
        let path = try workshop.build(
            helloSource + """

                #include <stdlib.h>
                #include <unistd.h>
                __attribute__((constructor)) static void start(void) { \(sin) }
                """)
        let outcome = try workshop.harness(path, [install()]).run()
        let evidence = try #require(outcome.evidence.first)
        #expect(evidence.kind == kind)
        #expect(evidence.signal == signal)
        #expect(outcome.ready != nil)
        #expect(outcome.returns == [])
    }

    @Test func exitingInAConstructorEndsBeforeLoaded() throws {
        let path = try workshop.build(
            helloSource + "\n#include <unistd.h>\n"
                + "__attribute__((constructor)) static void start(void) { _exit(0); }")
        let outcome = try workshop.harness(path, [install()]).run()
        #expect(outcome.end?.exitCode == 0)
        #expect(outcome.messages.count == 1)
    }

    @Test func writableDataOverTheLimitIsRefused() throws {
        let path = try workshop.build(helloSource + "\nchar room[7 << 20];")
        #expect(try refusal(of: path).sentence.contains("writable segments"))
    }
}
