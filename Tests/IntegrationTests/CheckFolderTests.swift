import Foundation
import Glibc
import Testing
import TestSupport

/// Folders of plugins, and those that are kept away from.
@Suite struct CheckFolderTests {
    private func crash() throws -> BrokenPlugin {
        try #require(BrokenPlugin.failing.first { $0.rule == "R1" })
    }

    /// A folder with one plugin that loads and one that does not.
    private func folder(_ fixture: RunFixture) throws -> String {
        let folder = "\(fixture.scratch.path)/plugins"
        try FileManager.default.createDirectory(
            atPath: "\(folder)/a-folder.so", withIntermediateDirectories: true)
        try "text".write(toFile: "\(folder)/README", atomically: true, encoding: .utf8)
        let bad = try fixture.compile("bad", try crash().text)
        try FileManager.default.moveItem(atPath: bad, toPath: "\(folder)/bad.so")
        try FileManager.default.copyItem(
            atPath: fixture.plugin("HelloDownload"), toPath: "\(folder)/good.so")
        return folder
    }

    @Test func whatCrashesWhileItIsLoadedIsSkippedUntilItChanges() throws {
        let fixture = try RunFixture()
        let folder = try folder(fixture)
        let (first, result) = try fixture.check(folder)
        #expect(result.status == 1 && first.failed == 1)
        #expect(first.plugins.map(\.file) == ["\(folder)/bad.so", "\(folder)/good.so"])
        #expect(first.plugins.first?.names("failed") == ["R1"])
        let (second, again) = try fixture.check(folder)
        let skipped = try #require(second.plugins.first?.skipped)
        #expect(skipped.verdict == "crash" && skipped.detail.contains("abort"))
        #expect(second.plugins.first?.workers == 0)
        #expect(again.status == 1 && second.plugins.last?.skipped == nil)
        try retries(fixture, folder)
        // Another file in its place is looked at, and lets the name go.
        try FileManager.default.removeItem(atPath: "\(folder)/bad.so")
        try FileManager.default.copyItem(
            atPath: "\(folder)/good.so", toPath: "\(folder)/bad.so")
        let (changed, last) = try fixture.check(folder)
        #expect(last.status == 0 && changed.failed == 0)
    }

    private func retries(_ fixture: RunFixture, _ folder: String) throws {
        let (named, _) = try fixture.check("\(folder)/bad.so")
        #expect(named.plugins.first?.names("failed") == ["R1"])
        let (retried, _) = try fixture.check("--retry", folder)
        #expect(retried.plugins.first?.names("failed") == ["R1"])
    }

    @Test func aDamagedQuarantineIsSetAside() throws {
        let fixture = try RunFixture()
        let folder = try folder(fixture)
        let place = "\(fixture.state)/bahost"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        try "nonsense".write(
            toFile: "\(place)/load-quarantine", atomically: true, encoding: .utf8)
        let (output, result) = try fixture.check(folder)
        #expect(output.plugins.first?.names("failed") == ["R1"])
        #expect(result.errors.contains("is set aside as"))
        #expect(
            (try String(contentsOfFile: "\(place)/load-quarantine.damaged", encoding: .utf8))
                == "nonsense")
        let (second, _) = try fixture.check(folder)
        #expect(second.plugins.first?.skipped != nil)
    }

    @Test func aStateFolderThatCannotBeWrittenIsToldAndNoMore() throws {
        let fixture = try RunFixture()
        let folder = try folder(fixture)
        try "a file".write(toFile: fixture.state, atomically: true, encoding: .utf8)
        let (output, result) = try fixture.check(folder)
        #expect(result.status == 1 && output.plugins.count == 2)
        #expect(result.errors.contains("is not kept"))
    }

    @Test func whatIsNotThereIsNamed() throws {
        let fixture = try RunFixture()
        for word in ["/no/such/plugin.so", "\(fixture.scratch.path)/tmp"] {
            let result = try fixture.runPlain(["check", word])
            #expect(result.status == 66 && result.errors.contains("cannot check \(word)"))
        }
        let result = try fixture.runPlain(
            ["check", fixture.plugin("HelloDownload"), "--manifest", "/no/such"])
        #expect(result.status == 66 && result.errors.contains("--manifest: cannot read /no/such"))
        let least = try fixture.runPlain(
            ["check", "--memory", "1", fixture.plugin("HelloDownload")])
        #expect(least.status == 64 && least.errors.contains("needs at least"))
    }

    @Test func aFIFOIsRefusedWithoutWaiting() throws {
        let fixture = try RunFixture()
        let path = "\(fixture.scratch.path)/pipe.so"
        #expect(unsafe mkfifo(path, 0o644) == 0)
        let (output, result) = try fixture.check(path)
        #expect(result.status == 1)
        #expect(output.plugins.first?.seen("R1").contains("FIFO") ?? false)
    }

    @Test func theUserMayStopIt() throws {
        let fixture = try RunFixture()
        let plugin = try fixture.compile(
            "spin",
            BrokenPlugin("", "spin", "INSTALL { UNUSED; for (;;) ; return 0; }").text)
        let run = try fixture.startPlain(["check", plugin, "--wall-time", "60s"])
        // Its own command line names the plugin, that of a launcher the worker.
        let worker = "\(fixture.scratch.path)/worker"
        #expect(eventually { !ProcessAudit.alive(marked: worker).isEmpty })
        run.signal(SIGINT)
        let result = try run.wait(atMost: .seconds(30))
        #expect(result.status == 130, "\(result.errors)")
        fixture.expectNoProcess()
        #expect(fixture.scratch.contents(of: "tmp").isEmpty)
    }
}
