import Conformance
import Foundation
import Testing
import TestSupport

/// The library of hostile techniques itself: it keeps still elsewhere, and speaks in its grammar.
@Suite struct HostilePluginTests {
    /// Loads a plugin and calls it, as no host does.
    private static let driver = """
        #include <bahost/bahost.h>
        #include <dlfcn.h>
        #include <stdio.h>
        static void print(const bahost_host *h, int32_t level, const char *text, uint64_t length)
        {
            (void)h, (void)level;
            printf("%.*s\\n", (int)length, text);
        }
        int main(int count, char **arguments)
        {
            bahost_host host = {.struct_size = sizeof host, .log = print};
            bahost_content_request request = {.manifest_path = arguments[2]};
            void *plugin = dlopen(arguments[1], RTLD_NOW);
            int32_t (*install)(const bahost_host *, const bahost_content_request *) =
                count == 3 && plugin ? dlsym(plugin, "bahost_install") : NULL;
            printf("returned %d\\n", install ? install(&host, &request) : 1);
            return 0;
        }
        """

    private func drive(_ plugin: String, _ word: String, in scratch: ScratchFolder) throws
        -> ProgramResult
    {
        let program = "\(scratch.path)/driver"
        let built = try runProgram(
            "/usr/bin/cc",
            [
                "-I\(Products.root)/SDK/include", try scratch.write("driver.c", Self.driver), "-o",
                program, "-ldl",
            ])
        try #require(built.status == 0, "\(built.errors)")
        return try runProgram(program, [plugin, try scratch.write("manifest", word + "\n")])
    }

    @Test func doesNothingOutsideAWorker() throws {
        let scratch = try ScratchFolder("hostile")
        let refusal = "hello: not done, because RLIMIT_DATA is unlimited here\n"
        let called = try drive(Products.plugin("hostile"), "hello", in: scratch)
        #expect(called.output == "\(refusal)returned -125\n")
        #expect(called.errors.isEmpty)
        let constructor = try scratch.constructor("hello")
        let loaded = try drive(constructor, "hello", in: scratch)
        #expect(loaded.errors == refusal)
    }

    @Test func aTechniqueOfNoNameIsSaid() throws {
        let fixture = try RunFixture()
        let record = try run("no-such-word", fixture)
        #expect(record.log == ["info: there is no technique `no-such-word`"])
        #expect(record.detail == "bahost_install returned -126")
    }

    /// A word in the placeholder is done while the file is loaded, with its argument, once.
    @Test func theConstructorSaysItOnStandardError() throws {
        let fixture = try RunFixture()
        let plugin = try fixture.scratch.constructor("heap-bytes 4096")
        let result = try fixture.run(plugin)
        #expect(result.status == 0, "\(result.errors)")
        let said = result.errors.split(separator: "\n").filter { $0.contains("of heap") }
        #expect(said.count == 1)
        #expect(said.first?.hasSuffix("allowed 4096 bytes of heap") == true, "\(result.errors)")
    }

    @Test func eachAttemptIsOneLine() throws {
        let fixture = try RunFixture()
        #expect(
            try run("socketpair", fixture).log == ["info: refused socketpair: EPERM"])
        #expect(
            try run("own-chmod", RunFixture()).log.prefix(3) == [
                "info: allowed create", "info: allowed fchmod 0700",
                "info: refused fchmod 04755: EPERM",
            ])
        #expect(
            try run("identifier-bytes 256", RunFixture()).log == ["info: refused schedule: 1002"])
    }

    /// Where the wall is missing the technique must notice.
    @Test func aHoleIsSaidAndReturned() throws {
        let fixture = try RunFixture()
        fixture.absentLayers = ["seccomp"]
        let record = try run("socketpair", fixture)
        #expect(record.log == ["info: hole socketpair"])
        #expect(record.detail == "bahost_install returned -1")
    }

    private func run(_ line: String, _ fixture: RunFixture) throws -> Record {
        let manifest = try fixture.scratch.write("manifest", line + "\n")
        return try Record(
            of: fixture.run(fixture.plugin("hostile"), ["--manifest", manifest, "--json"]))
    }
}

extension ScratchFolder {
    /// A copy of the hostile library that does a word while it is loaded.
    func constructor(_ line: String) throws -> String {
        let library = try Data(contentsOf: URL(fileURLWithPath: Products.plugin("hostile")))
        let told = try #require(HostileLibrary.tell(line, in: [UInt8](library)))
        return try write("hostile-constructor.so", Data(told))
    }
}
