import Foundation
import Glibc
import Testing
import TestSupport

/// `bahost check` with real plugins.
@Suite struct CheckTests {
    private static let manifests = [
        "HelloDownload": "a 10 - https://cdn.example.com/a\nb 20 - https://cdn.example.com/b\n",
        "LevelPacks": """
        level a 10 - https://cdn.example.com/a
        level b 20 - https://cdn.example.com/b
        level c 30 - https://cdn.example.com/c
        level d 40 - https://cdn.example.com/d

        """,
        "Episodes": #"{"show":"x","episodes":[{"id":"a","title":"t","bytes":10,"#
            + #""url":"https://cdn.example.com/a","published":"2024-01-01T00:00:00Z"}]}"#,
    ]

    private func plugin(_ name: String) -> String {
        name == "Episodes" ? "\(Products.folder)/libEpisodes.so" : Products.plugin(name)
    }

    @Test(arguments: manifests.keys.sorted())
    func theExamplesPass(name: String) throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", try #require(Self.manifests[name]))
        for options in [[], ["--manifest", manifest]] {
            let result = try fixture.runPlain(["check", "--json", plugin(name)] + options)
            let output = try JSONDecoder().decode(
                CheckOutput.self, from: Data(result.output.utf8))
            let checked = try #require(output.plugins.first)
            #expect(result.status == 0 && output.failed == 0, "\(checked.failures)")
            #expect(checked.rules.count == 24)
            #expect(Set(checked.names("warning")).isSubset(of: ["R23"]))
            #expect(checked.wallTimeMs < 60_000)
        }
        fixture.expectNoProcess()
    }

    /// With a manifest nothing is left untried but what has no entry point.
    @Test func aManifestLetsRequestsBeJudged() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write(
            "manifest", try #require(Self.manifests["LevelPacks"]))
        let (output, _) = try fixture.check(plugin("LevelPacks"), "--manifest", manifest)
        #expect(output.plugins.first?.names("notTried") == ["R11"])
        let (without, _) = try fixture.check(plugin("LevelPacks"))
        #expect(without.plugins.first?.names("notTried").contains("R8") ?? false)
    }

    @Test(arguments: BrokenPlugin.failing)
    func aBrokenRuleIsNamedAndNoOther(broken: BrokenPlugin) throws {
        let fixture = try RunFixture()
        let file = try fixture.compile(broken.name, broken.text)
        let (output, result) = try fixture.check(file, "--wall-time", "3s")
        let checked = try #require(output.plugins.first)
        #expect(checked.names("failed") == [broken.rule], "\(checked.failures)")
        #expect(!checked.seen(broken.rule).isEmpty)
        #expect(result.status == 1 && output.failed == 1)
    }

    @Test(arguments: BrokenPlugin.warning)
    func aWarningIsNoFailure(broken: BrokenPlugin) throws {
        let fixture = try RunFixture()
        let file = try fixture.compile(broken.name, broken.text)
        let (output, result) = try fixture.check(file)
        let checked = try #require(output.plugins.first)
        #expect(checked.names("warning") == [broken.rule])
        #expect(result.status == 0 && output.failed == 0, "\(checked.failures)")
    }

    @Test func aCallThatNeverEndsIsNotNearlyInTime() throws {
        let fixture = try RunFixture()
        let file = try fixture.compile("hang", BrokenPlugin.endless.text)
        let (output, _) = try fixture.check(file, "--wall-time", "500ms")
        let checked = try #require(output.plugins.first)
        #expect(checked.names("failed") == ["R4", "R5"])
        #expect(checked.names("warning") == ["R20"])
        #expect(checked.names("notTried").contains("R16"))
    }

    @Test func anOrdinaryUserSeesTheSame() throws {
        let fixture = try RunFixture(as: users.last ?? nil)
        let good = try fixture.check(fixture.plugin("HelloDownload"))
        #expect(good.1.status == 0, "\(good.0.plugins.first?.failures ?? "")")
        let broken = try #require(BrokenPlugin.failing.first { $0.rule == "R18" })
        let (output, _) = try fixture.check(fixture.compile(broken.name, broken.text))
        #expect(output.plugins.first?.names("failed") == ["R18"])
    }

    /// Where the kernel confines no files, a stray one is seen.
    @Test func aStrayFileIsSeenWithoutFileConfinement() throws {
        let fixture = try RunFixture(as: users.last ?? nil)
        let broken = BrokenPlugin(
            "R24", "stray",
            """
            INSTALL
            {
                (void)host;
                char path[4096];
                snprintf(path, sizeof path, "%s/stray", request->app->container_path);
                close(open(path, O_CREAT | O_WRONLY, 0600));
                return 0;
            }
            """)
        let file = try fixture.compile(broken.name, broken.text)
        let (basic, _) = try fixture.check(file, "--isolation", "basic")
        #expect(basic.plugins.first?.names("failed") == ["R24"])
        #expect(basic.plugins.first?.seen("R24").hasPrefix("made container/stray") ?? false)
    }

    @Test func peopleAreToldTheRuleAndItsPage() throws {
        let fixture = try RunFixture()
        let broken = try #require(BrokenPlugin.failing.first { $0.rule == "R22" })
        let file = try fixture.compile(broken.name, broken.text)
        let result = try fixture.runPlain(["check", file])
        #expect(result.status == 1)
        #expect(result.lines.contains { $0.hasPrefix("✘ R22") })
        #expect(result.output.contains("\n       docs/plugin-rules.md#r22\n"))
        #expect(result.output.contains("\nbahost_install "))
        #expect(result.lines.last?.contains(" 1 failed, ") ?? false)
    }
}

/// The record against docs/schema/check-1.json.
@Suite struct CheckSchemaTests {
    /// The schema closes its objects, so the same keys on both sides are the same record.
    private func expectKeys(_ object: [String: Any], _ schema: [String: Any]?) {
        let properties = schema?["properties"] as? [String: Any]
        #expect(Set(object.keys) == Set(properties?.keys.map(\.self) ?? []))
        #expect(Set(schema?["required"] as? [String] ?? []) == Set(object.keys))
    }

    @Test func theRecordHasTheKeysOfItsSchema() throws {
        let fixture = try RunFixture()
        let result = try fixture.runPlain(
            ["check", "--json", fixture.plugin("HelloDownload")])
        let record = try #require(
            JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let text = try Data(
            contentsOf: URL(fileURLWithPath: "\(Products.root)/docs/schema/check-1.json"))
        let schema = try #require(JSONSerialization.jsonObject(with: text) as? [String: Any])
        expectKeys(record, schema)
        let shape = (schema["$defs"] as? [String: Any])?["plugin"] as? [String: Any]
        let plugin = try #require((record["plugins"] as? [[String: Any]])?.first)
        expectKeys(plugin, shape)
        let parts = shape?["properties"] as? [String: [String: Any]]
        for name in ["rules", "calls"] {
            let first = try #require((plugin[name] as? [[String: Any]])?.first)
            expectKeys(first, parts?[name]?["items"] as? [String: Any])
        }
    }
}
