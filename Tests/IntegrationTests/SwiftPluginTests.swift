import Foundation
import Testing
import TestSupport

/// Plugins written in Swift, with Apple's names.
@Suite struct SwiftPluginTests {
    private func swiftPlugin(_ name: String) -> String { "\(Products.folder)/lib\(name).so" }

    @Test func episodesFetchesTheNewestAndFilesThemAway() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        var episodes: [[String: Any]] = []
        for number in 1...7 {
            let data = TestData.bytes(count: 20_000 * number, seed: UInt64(number))
            try server.serve("e\(number)", data)
            episodes.append([
                "id": "e\(number)", "title": "Number \(number)", "bytes": data.count,
                "url": "\(server.base)/e\(number)", "sha256": try TestData.sha256(data),
                "published": "2026-01-0\(number)T00:00:00Z",
            ])
        }
        let show: [String: Any] = ["show": "Tests", "episodes": episodes]
        let json = try JSONSerialization.data(withJSONObject: show)
        let manifest = try fixture.scratch.write("show.json", json)
        let result = try fixture.run(
            swiftPlugin("Episodes"), ["--manifest", manifest, "--json"] + DownloadTests.network)
        let record = try Record(of: result)
        #expect(record.result == "ok", "\(record.detail ?? "") \(result.errors)")
        #expect(record.downloads.map(\.identifier).sorted() == ["e3", "e4", "e5", "e6", "e7"])
        #expect(record.downloads.allSatisfy { $0.state == "finished" })
        #expect(fixture.scratch.contents(of: "out dir/Library/Episodes").count == 5)
        #expect(fixture.scratch.contents(of: "out dir/Downloads").isEmpty)
        #expect(try #require(record.memory.peakBytes) < 6 << 20)
    }

    @Test func aTrapIsACrashWithItsMessage() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", "trap\n")
        let result = try fixture.run(
            swiftPlugin("SwiftSins"), ["--manifest", manifest, "--json"])
        let record = try Record(of: result)
        #expect(record.result == "crash")
        #expect(record.detail?.contains("Index out of range") == true, "\(record.detail ?? "")")
    }

    @Test func aTaskRunsWithinTheLimits() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", "task\n")
        let result = try fixture.run(
            swiftPlugin("SwiftSins"), ["--manifest", manifest, "--json", "--wall-time", "20s"])
        #expect(try Record(of: result).result == "ok", "\(result.output)")
    }

    /// What a Swift plugin exports: tag, `main`, the eight entry points, whatever the build is.
    @Test func theLibraryExportsTagMainAndEntryPoints() throws {
        let symbols = try runProgram(
            "/usr/bin/readelf", ["--dyn-syms", "-W", swiftPlugin("Episodes")]
        ).lines.compactMap { $0.split(separator: " ").last.map(String.init) }
        for name in [
            "main", "bahost_plugin", "bahost_install", "bahost_update",
            "bahost_check_for_updates", "bahost_should_download", "bahost_download_finished",
            "bahost_download_failed", "bahost_authentication_challenge",
            "bahost_will_terminate",
        ] {
            #expect(symbols.contains(name), "\(name)")
        }
    }

    /// The template builds outside the package with the compiler alone, and runs.
    @Test func theTemplateBuildsAloneAndRuns() throws {
        let fixture = try RunFixture()
        let plugin = "\(fixture.scratch.path)/x.so"
        let built = try runProgram(
            "/usr/bin/cc",
            [
                "-shared", "-fPIC", "-I\(Products.root)/SDK/include",
                "\(Products.root)/SDK/template/plugin.c", "-o", plugin,
            ])
        #expect(built.status == 0, "\(built.errors)")
        let result = try fixture.run(plugin, ["--json"])
        #expect(try Record(of: result).result == "ok", "\(result.output)")
    }
}
