import Foundation
import Testing
import WireProtocol

/// The libraries that a plugin needs, and what they may take.
@Suite struct EnvelopeTests {
    private let workshop: PluginWorkshop

    init() throws {
        workshop = try PluginWorkshop()
    }

    /// A library in the plugin's folder, under the name that it is needed by.
    private func library(
        _ text: String, name: String = "private", soname: String? = nil
    ) throws -> String {
        let own = "bahost-test-\(name).so"
        return try workshop.build(text, name: name, ["-Wl,-soname,\(soname ?? own)"])
    }

    private func plugin(
        with libraries: [String], runPath: String = "$ORIGIN", _ more: String = "",
        tags: String = "--enable-new-dtags"
    ) throws -> String {
        try workshop.build(
            helloSource + more, name: "plugin",
            ["-Wl,--no-as-needed"] + libraries + ["-Wl,\(tags),-rpath,\(runPath)"])
    }

    private func refusal(of plugin: String) throws -> String {
        try #require(try workshop.harness(plugin, [install()]).run().loadFailure).sentence
    }

    @Test func aLibraryBesideThePluginIsLoadedWithIt() throws {
        let library = try library("int answer(void) { return 42; }")
        let plugin = try plugin(
            with: [library], "\nextern int answer(void); int (*p)(void) = answer;")
        let outcome = try workshop.harness(plugin, [install()]).run()
        #expect(outcome.loadFailure == nil)
        #expect(outcome.returns.map(\.wasCalled) == [true])
    }

    @Test func aLibraryOfTheSystemIsLoadedForThePlugin() throws {
        let outcome = try workshop.harness(plugin(with: ["-lresolv"]), [install()]).run()
        #expect(outcome.loadFailure == nil)
        #expect(outcome.returns.map(\.wasCalled) == [true])
    }

    @Test func aLibraryIsHeldToThePluginsRules() throws {
        let library = try workshop.build(
            "int answer;", name: "private", ["-Wl,-soname,bahost-test-private.so,-z,execstack"])
        let sentence = try refusal(of: plugin(with: [library]))
        #expect(sentence.hasPrefix("the file's library \"bahost-test-private.so\" is refused: "))
        #expect(sentence.contains("executable stack"))
    }

    @Test func writableSegmentsOfPluginAndLibrariesAreSummed() throws {
        let library = try library("char room[4 << 20];")
        let sentence = try refusal(of: plugin(with: [library], "\nchar more[3 << 20];"))
        #expect(sentence.contains("the file and the libraries it brings take 7,"))
        #expect(sentence.contains("the memory limit is 6,291,456"))
    }

    @Test func aLibraryThatSaysItIsAnotherIsRefused() throws {
        let plugin = try plugin(with: [library("int answer;")])
        _ = try library("int answer;", soname: "other.so")
        #expect(try refusal(of: plugin).contains("it is another library (DT_SONAME)"))
    }

    @Test(arguments: ["glibc-hwcaps", "tls"])
    func aFolderThatTheLoaderLooksInFirstIsRefused(name: String) throws {
        let plugin = try plugin(with: [library("int answer;")])
        try FileManager.default.createDirectory(
            at: workshop.folder.appendingPathComponent(name), withIntermediateDirectories: false)
        #expect(try refusal(of: plugin).contains("beside it is a folder \(name)"))
    }

    @Test func theOldKindOfRunPathIsRefused() throws {
        let plugin = try plugin(with: [library("int answer;")], tags: "--disable-new-dtags")
        #expect(try refusal(of: plugin).contains("DT_RPATH"))
    }

    @Test func aSystemLibraryPastTheLimitIsNamed() throws {
        let runtime = try PluginWorkshop()
        let library = try PluginWorkshop.build(
            "char room[64 << 20] = {1};", in: runtime.folder, name: "big",
            ["-Wl,-soname,bahost-test-big.so"])
        let below = runtime.folder.appendingPathComponent("below")
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: false)
        try FileManager.default.moveItem(
            atPath: library, toPath: below.appendingPathComponent("bahost-test-big.so").path)
        let plugin = try plugin(
            with: [below.appendingPathComponent("bahost-test-big.so").path], runPath: below.path)
        var harness = workshop.harness(plugin, [install()])
        harness.setup.runtimeFolders = [runtime.folder.path]
        harness.setup.isolation = .basic
        let sentence = try #require(try harness.run().loadFailure).sentence
        #expect(
            sentence.hasPrefix(
                "bahost-test-big.so needs more writable memory than the limit leaves"))
    }

    @Test func aLimitBelowTheWorkersOwnNeedNamesTheLeast() throws {
        let plugin = try workshop.build(helloSource)
        var harness = workshop.harness(plugin, [install()])
        harness.setup.limits.memoryBytes = 1
        let least = try #require(try harness.run().setupFailure?.minimumBytes)
        harness.setup.limits.memoryBytes = least - 1
        #expect(try harness.run().setupFailure?.minimumBytes == least)
        harness.setup.limits.memoryBytes = least
        let outcome = try harness.run()
        #expect(outcome.setupFailure == nil)
        #expect(outcome.returns.map(\.wasCalled) == [true])
    }

    @Test func theStrictRuleTakesTheReserveOffTheLimit() throws {
        let plugin = try workshop.build(helloSource)
        var harness = workshop.harness(plugin, [install()])
        let reserve = try #require(try harness.run().ready?.reserveBytes)
        harness.setup.memoryRule = .strict
        let outcome = try harness.run()
        let ready = try #require(outcome.ready)
        #expect(ready.reserveBytes == 0)
        // The reserve of two runs differs by a few pages.
        let left = (6 << 20) - Int64(ready.inForce.memoryBytes)
        #expect(abs(left - Int64(reserve)) < 256 << 10)
        #expect(reserve > 0)
        #expect(outcome.returns.map(\.wasCalled) == [true])
    }
}
