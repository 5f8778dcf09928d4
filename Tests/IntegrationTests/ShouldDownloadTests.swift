import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// `--event should-download`: from the download manifest to the answers in the record.
@Suite struct ShouldDownloadTests {
    /// A download manifest with these identifiers.
    private func manifest(_ identifiers: [String]) -> String {
        let packs = identifiers.map { identifier in
            #"{"id":"\#(identifier)","url":"https://cdn.example/x","downloadSize":1,"#
                + #""downloadPolicy":{"onDemand":{}},"host":{"thirdParty":{}}}"#
        }
        return #"{"assetPacks":["# + packs.joined(separator: ",") + "]}"
    }

    private func ask(
        _ fixture: RunFixture, _ identifiers: [String], _ options: [String] = [],
        plugin: String = "hostile"
    ) throws -> (record: Record, result: ProgramResult) {
        let packs = try fixture.scratch.write("packs.json", manifest(identifiers))
        let result = try fixture.run(
            fixture.plugin(plugin),
            ["--event", "should-download", "--packs", packs, "--json"] + options)
        return (try Record(of: result), result)
    }

    @Test func answersAreInTheRecord() throws {
        let fixture = try RunFixture()
        let (record, result) = try ask(fixture, ["return.1", "return.0", "other"])
        #expect(record.result == "ok")
        #expect(result.status == 0)
        #expect(record.packs.map(\.identifier) == ["return.1", "return.0", "other"])
        #expect(record.packs.map(\.shouldDownload) == [true, false, false])
        #expect(record.packs.map(\.code) == [1, 0, 0])
        #expect(record.downloads.isEmpty)
    }

    @Test func onlyNoIsWellToo() throws {
        let fixture = try RunFixture()
        let (record, result) = try ask(fixture, ["a", "b"])
        #expect(record.packs.map(\.shouldDownload) == [false, false])
        #expect(result.status == 0)
    }

    @Test func withoutTheEntryPointEveryPackIsWanted() throws {
        let fixture = try RunFixture()
        let (record, result) = try ask(fixture, ["a", "b"], plugin: "template")
        #expect(record.packs.map(\.shouldDownload) == [true, true])
        #expect(record.packs.map(\.code) == [nil, nil])
        #expect(result.status == 0)
    }

    @Test func packsCanBeChosen() throws {
        let fixture = try RunFixture()
        let (record, _) = try ask(
            fixture, ["return.1", "b", "return.1/2"], ["--pack", "return.1/2", "--pack", "b"])
        #expect(record.packs.map(\.identifier) == ["b", "return.1/2"])
        #expect(record.packs.map(\.shouldDownload) == [false, true])
    }

    /// Many frames, one worker, every answer right.
    @Test func tenThousandPacksGoOverOneWorker() throws {
        let fixture = try RunFixture()
        let names = (0..<10_000).map { number in
            "return.\(number % 3 == 0 ? 1 : 0)/\(number)"
        }
        let plugin = try fixture.compile("packs", Self.countingPlugin)
        let packs = try fixture.scratch.write("packs.json", manifest(names))
        let result = try fixture.run(
            plugin, ["--event", "should-download", "--packs", packs, "--json"])
        let record = try Record(of: result)
        #expect(record.result == "ok", "\(record.detail ?? "")")
        #expect(record.packs.map(\.identifier) == names)
        let wrong = zip(record.packs, names.indices).filter { pack, number in
            pack.shouldDownload != (number % 3 == 0)
        }
        #expect(wrong.isEmpty)
        // The process counts its own calls: 10,000 in one of them.
        #expect(record.log == ["info: call 1", "info: call 10000"])
    }

    private static let countingPlugin = #"""
        #include <bahost/bahost.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        BAHOST_PLUGIN("counting", "1");
        static unsigned calls;
        int32_t bahost_should_download(const bahost_host *host, const bahost_asset_pack *pack)
        {
            char text[64];
            calls++;
            snprintf(text, sizeof text, "call %u", calls);
            if (calls == 1 || calls >= 10000)
                host->log(host, BAHOST_LOG_INFO, text, strlen(text));
            return atoi(pack->identifier + strlen("return."));
        }
        """#

    static let many = (0..<300).map { "return.\($0 % 2)/\($0)" }

    @Test func aNegativeAnswerStopsNothing() throws {
        let fixture = try RunFixture()
        let (record, result) = try ask(fixture, ["return.1", "return.-7", "return.-8", "b"])
        #expect(record.result == "plugin_error")
        #expect(result.status == 20)
        #expect(record.packs.map(\.shouldDownload) == [true, nil, nil, false])
        #expect(record.packs.map(\.code) == [1, -7, -8, 0])
        #expect(
            record.detail == "bahost_should_download returned -7 for pack return.-7, "
                + "and negative numbers for 1 other pack")
    }

    @Test func aWrongAnswerEndsTheRunAndIsNamed() throws {
        let fixture = try RunFixture()
        let (record, result) = try ask(fixture, Self.many + ["return.2", "b"])
        #expect(record.result == "bad_reply")
        #expect(result.status == 21)
        #expect(record.packs.dropLast(2).allSatisfy { $0.shouldDownload != nil })
        #expect(record.packs.suffix(2).map(\.code) == [2, nil])
        #expect(record.packs.suffix(2).map(\.shouldDownload) == [nil, nil])
        #expect(
            record.detail == "bahost_should_download returned 2 for pack return.2; "
                + "allowed are 0, 1 and negative numbers")
    }

    /// The 45th of the second batch: everything before it is told, and nothing else is named.
    @Test(arguments: ["spin", "sleep", "stop-self"])
    func aCallThatHangsIsNamed(word: String) throws {
        let fixture = try RunFixture()
        let (record, result) = try ask(fixture, Self.many + ["sin.\(word)", "b"])
        #expect(record.result == "wall_timeout")
        #expect(result.status == 29)
        // The budget, the grace and a second; the rest is room for a busy machine.
        #expect(result.duration < .seconds(12.5))
        guard word != "stop-self" else {
            // A stopped process tells nothing more: what it told before stands.
            #expect(record.packs.prefix(256).allSatisfy { $0.shouldDownload != nil })
            return
        }
        #expect(
            record.detail
                == "bahost_should_download still ran after 1.0 s, for pack sin.\(word)")
        #expect(record.packs.prefix(300).map(\.code) == (0..<300).map { $0 % 2 })
        #expect(record.packs.suffix(2).map(\.code) == [nil, nil])
    }

    @Test func aShorterWallTimeHoldsForEachPack() throws {
        let fixture = try RunFixture()
        let (record, _) = try ask(fixture, ["sin.spin"], ["--wall-time", "300ms"])
        #expect(
            record.detail == "bahost_should_download still ran after 300 ms, for pack sin.spin")
    }

    @Test func whatWasAnsweredBeforeACrashStands() throws {
        let fixture = try RunFixture()
        let (record, result) = try ask(fixture, Self.many + ["sin.abort", "b"])
        #expect(record.result == "crash")
        #expect(result.status == 31)
        #expect(record.detail == "called abort in bahost_should_download")
        // The last milliseconds' answers died with the worker.
        #expect(record.packs.prefix(256).map(\.code) == (0..<256).map { $0 % 2 })
        let told = record.packs.prefix { $0.code != nil }.count
        #expect(record.packs.dropFirst(told).allSatisfy { $0.code == nil })
        #expect(told <= 300)
    }

    @Test func nothingCanBeScheduled() throws {
        let fixture = try RunFixture()
        let (record, _) = try ask(
            fixture, ["sin.negative-return"], ["--allow-domain", "example.com"])
        #expect(record.packs.map(\.code) == [-7])
        #expect(record.downloads.isEmpty)
        #expect(record.refused.map(\.identifier) == ["one", "two", "three"])
        #expect(record.refused.allSatisfy { $0.name == "notAllowedNow" })
    }

    @Test func aPluginThatIsMissingHasAnsweredNothing() throws {
        let fixture = try RunFixture()
        let packs = try fixture.scratch.write("packs.json", manifest(["a"]))
        let result = try fixture.run(
            "/nowhere.so", ["--event", "should-download", "--packs", packs, "--json"])
        let record = try Record(of: result)
        #expect(record.result == "load_error")
        #expect(record.packs.map(\.identifier) == ["a"])
        #expect(record.packs.map(\.shouldDownload) == [nil])
    }

    @Test func badInputIsNamed() throws {
        let fixture = try RunFixture()
        let good = try fixture.scratch.write("good.json", manifest(["a"]))
        let bad = try fixture.scratch.write("bad.json", #"{"assetPacks":[{"id":7}]}"#)
        let fifo = "\(fixture.scratch.path)/fifo"
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        let cases: [([String], Int32, String)] = [
            (["--packs", good, "--pack", "zz"], 64, "--pack: \"zz\" is not in \(good)"),
            (
                ["--packs", bad], 66,
                "--packs: \(bad): assetPacks[0].id: must be a string, but is a number"
            ),
            (
                ["--packs", "/nowhere.json"], 66,
                "--packs: cannot read /nowhere.json: No such file or directory"
            ),
            (["--packs", "/"], 66, "--packs: cannot read /: Is a directory"),
            (
                ["--packs", "/dev/zero"], 66,
                "--packs: cannot read /dev/zero: it is larger than 16 MiB"
            ),
            (["--packs", fifo], 66, "--packs: cannot read \(fifo): it is a FIFO"),
        ]
        for (options, status, message) in cases {
            let result = try fixture.run(
                fixture.plugin("hostile"), ["--event", "should-download", "--json"] + options)
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors == "bahost run: \(message)\n")
            #expect(result.output.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.output))
    }
}
