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

    /// What ends with .so and cannot be one is not passed over in silence.
    @Test func everyNameOfAFolderIsAccountedFor() throws {
        let fixture = try RunFixture()
        let folder = "\(fixture.scratch.path)/odd"
        try FileManager.default.createDirectory(
            atPath: "\(folder)/a-folder.so", withIntermediateDirectories: true)
        #expect(unsafe mkfifo("\(folder)/b-pipe.so", 0o644) == 0)
        #expect(unsafe symlink("/no/such", "\(folder)/c-link.so") == 0)
        let name =
            Array("\(folder)/d".utf8CString.dropLast()) + [CChar(truncatingIfNeeded: 0xFF)]
            + Array(".so".utf8CString)
        let raw = unsafe open(name, O_CREAT | O_WRONLY, 0o644)
        #expect(raw >= 0)
        close(raw)
        let (output, result) = try fixture.check(folder)
        #expect(result.status == 1 && output.failed == 3)
        #expect(output.plugins.count { $0.skipped?.verdict == "not_checked" } == 3)
        #expect(
            output.plugins.map { $0.skipped?.detail } == [
                "it is not a regular file", "it is a link that leads nowhere",
                "its name is not UTF-8",
            ])
        let people = try fixture.runPlain(["check", folder])
        #expect(people.output.contains("c-link.so\n✘ not checked: it is a link"))
    }

    @Test func aFIFOIsNoManifest() throws {
        let fixture = try RunFixture()
        let path = "\(fixture.scratch.path)/pipe\u{1b}[31m"
        #expect(unsafe mkfifo(path, 0o644) == 0)
        let result = try fixture.runPlain(
            ["check", fixture.plugin("HelloDownload"), "--manifest", path])
        #expect(result.status == 66 && result.errors.contains("it is not a regular file"))
        #expect(!result.errors.contains("\u{1b}"))
    }

    @Test func whatIsFinishedIsKeptWhenTheUserStopsIt() throws {
        let fixture = try RunFixture()
        let spin = try fixture.compile("spin", BrokenPlugin.endless.text)
        let bad = try fixture.compile("bad", try crash().text)
        let run = try fixture.startPlain(["check", "--json", bad, spin, "--wall-time", "60s"])
        #expect(
            eventually {
                ProcessAudit.alive(marked: "\(fixture.scratch.path)/worker").count > 0
                    && run.outputSoFar.isEmpty && fixture.quarantineNames(bad)
            })
        run.signal(SIGINT)
        let result = try run.wait(atMost: .seconds(30))
        #expect(result.status == 130, "\(result.errors)")
        let output = try JSONDecoder().decode(CheckOutput.self, from: Data(result.output.utf8))
        #expect(output.plugins.map(\.file) == [bad, spin])
        #expect(output.plugins.first?.names("failed") == ["R1"])
        #expect(output.plugins.last?.skipped?.verdict == "not_checked")
        #expect(output.plugins.last?.skipped?.detail.contains("interrupted") ?? false)
    }

    @Test func theTimeOfAFileIsBounded() throws {
        let fixture = try RunFixture()
        let slow = try fixture.compile(
            "slow", BrokenPlugin("", "slow", "INSTALL { UNUSED; usleep(300000); return 0; }").text)
        let (output, result) = try fixture.check(slow, "--file-time", "1s")
        let plugin = try #require(output.plugins.first)
        #expect(result.status == 0 && plugin.wallTimeMs < 5_000)
        #expect(plugin.seen("R19") == "the time is up (1 s)")
        #expect(plugin.names("passed") == ["R1", "R2", "R3"])
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
        let plugin = try fixture.compile("spin", BrokenPlugin.endless.text)
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

extension RunFixture {
    /// What is there has been loaded, and ended badly.
    fileprivate func quarantineNames(_ path: String) -> Bool {
        let file = "\(state)/bahost/load-quarantine"
        return (try? String(contentsOfFile: file, encoding: .utf8))?.contains(path) ?? false
    }
}
