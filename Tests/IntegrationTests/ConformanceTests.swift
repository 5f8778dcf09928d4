import Conformance
import Foundation
import Testing
import TestSupport

/// `bahost conformance` as people run it: nothing fails, nothing is left out, nothing is left behind.
@Suite(.serialized) struct ConformanceTests {
    /// The part of the record that is looked at.
    struct Suite: Decodable {
        struct Case: Decodable {
            struct Memory: Decodable {
                let limitBytes: Int
                let promiseBytes: Int?
                let heldBytes: Int?
                let believedBytes: Int?
                let outsideBytes: Int?
            }

            let number: String
            let group: String
            let technique: String
            let place: String
            let launcher: String
            let memory: Memory
            let stoppedBy: String?
            let verdict: String?
            let result: String
            let reason: String?
        }

        struct Totals: Decodable, Equatable {
            let cases: Int
            let techniques: Int
            let passed: Int
            let failed: Int
            let notApplicable: Int
            let notTried: Int
        }

        struct Isolation: Decodable {
            struct Missing: Decodable { let layer: String }

            let missing: [Missing]
        }

        let isolation: Isolation
        let cases: [Case]
        let totals: Totals
        let interrupted: Bool

        var failures: [String] {
            cases.filter { $0.result == "fail" }
                .map { "\($0.number) \($0.technique) \($0.place): \($0.reason ?? "")" }
        }
    }

    private func run(
        _ options: [String] = [], as user: UInt32? = nil, without layers: [String] = []
    ) throws -> (Suite, ProgramResult) {
        let fixture = try RunFixture(as: user)
        fixture.absentLayers = layers
        let result = try fixture.runPlain(
            ["conformance", "--json"] + options, atMost: .seconds(900))
        fixture.audit()
        let suite = try JSONDecoder().decode(Suite.self, from: Data(result.output.utf8))
        return (suite, result)
    }

    /// The counts are what the cases say.
    private func expectConsistent(_ suite: Suite, _ result: ProgramResult) {
        #expect(suite.failures.isEmpty, "\(suite.failures.joined(separator: "\n"))")
        #expect(result.status == 0, "\(result.errors)")
        #expect(!suite.interrupted)
        let count = { (word: String) in suite.cases.count { $0.result == word } }
        #expect(
            suite.totals
                == Suite.Totals(
                    cases: suite.cases.count,
                    techniques: Set(suite.cases.map(\.number)).count, passed: count("pass"),
                    failed: 0, notApplicable: count("not-applicable"), notTried: 0))
    }

    /// Every technique, as root and as an ordinary user.
    @Test(arguments: users)
    func everyTechniqueIsHeld(user: UInt32?) throws {
        let (suite, result) = try run(as: user)
        expectConsistent(suite, result)
        #expect(suite.totals.techniques >= 80)
        if suite.isolation.missing.allSatisfy({ $0.layer == "cgroup" }) {
            #expect(suite.totals.notApplicable == 0, "\(suite.cases.compactMap(\.reason))")
        }
        let groups = Dictionary(grouping: suite.cases, by: \.group).mapValues { $0.count }
        let catalogue = Catalogue.cases(memoryBytes: 6 << 20, isWide: true)
        #expect(
            groups == Dictionary(grouping: catalogue, by: \.group.rawValue).mapValues { $0.count })
        for testCase in suite.cases where testCase.group == "memory" && testCase.verdict != nil {
            guard !testCase.technique.hasPrefix("c10-"), !testCase.technique.hasPrefix("c12-")
            else { continue }
            let (held, promise) = (testCase.memory.heldBytes, testCase.memory.promiseBytes)
            #expect(held ?? .max <= promise ?? 0, "\(testCase.number)")
        }
    }

    /// A machine without a layer: what needs it is not applicable and says why, the rest holds.
    @Test(arguments: users, [["landlock"], ["user-namespace"], []])
    func aDegradedMachineFailsNothing(user: UInt32?, layers: [String]) throws {
        var options = [
            "file system", "other processes", "signals", "threads", "b1-", "M14", "exits",
        ]
        .flatMap { ["--filter", $0] }
        if layers.isEmpty { options += ["--isolation", "basic"] }
        let (suite, result) = try run(options, as: user, without: layers)
        expectConsistent(suite, result)
        let reasons = suite.cases.compactMap(\.reason)
        #expect(reasons.allSatisfy { $0.contains("without ") }, "\(reasons)")
        if layers == ["landlock"] {
            #expect(reasons.allSatisfy { $0.contains("without landlock ") }, "\(reasons)")
        }
        if layers.isEmpty { #expect(reasons.contains { $0.contains("without sealing") }) }
    }

    @Test func theMeterSeesWhatIsHeld() throws {
        let (suite, result) = try run(["--filter", "a0-nothing", "--filter", "a0-map"])
        expectConsistent(suite, result)
        for place in ["entry", "constructor"] {
            func held(_ word: String) -> Int {
                let found = suite.cases.first {
                    $0.technique == word && $0.place == place && $0.launcher == "bare"
                }
                return found?.memory.outsideBytes ?? 0
            }
            #expect(held("a0-nothing") < 1 << 20)
            #expect(held("a0-map") > held("a0-nothing") + 3 << 20)
        }
    }

    @Test func theMemoryLimitIsTheUsersAndTooSmallOneIsRefused() throws {
        let (suite, result) = try run(["--memory", "9M", "--filter", "a0-map"])
        expectConsistent(suite, result)
        #expect(Set(suite.cases.map(\.memory.limitBytes)) == [9 << 20])
        let fixture = try RunFixture()
        let refused = try fixture.runPlain(["conformance", "--memory", "4K"])
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--memory 4096"), "\(refused.errors)")
        fixture.audit()
    }

    @Test func theTableIsForPeopleAndTheReportForMachines() throws {
        let fixture = try RunFixture()
        let report = "\(fixture.scratch.path)/report.xml"
        let result = try fixture.runPlain(
            ["conformance", "--filter", "fork", "--junit", report])
        fixture.audit()
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines.first?.hasPrefix("no. ") == true)
        #expect(result.lines.last?.contains(" 0 failed, 0 not applicable") == true)
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.contains("<testsuite name=\"processes\""))
    }

    @Test func whatCannotBeDoneIsSaidAtOnce() throws {
        let fixture = try RunFixture()
        let cases: [([String], [String: String], Int32, String)] = [
            (["--filter", "nothing-like-that"], [:], 64, "no technique fits"),
            (["--junit", "/nowhere/report.xml"], [:], 73, "cannot make /nowhere/report.xml"),
            ([], ["BAHOST_CONFORMANCE": "/nowhere"], 35, "BAHOST_CONFORMANCE names /nowhere"),
            ([], ["BAHOST_CONFORMANCE": fixture.scratch.path], 35, "hostile.so"),
            (["--filter", "hello"], ["TMPDIR": "/nowhere"], 64, "no technique fits"),
            (["--filter", "fork"], ["TMPDIR": "/nowhere"], 73, "/nowhere/bahost-conformance-"),
        ]
        for (options, environment, status, sentence) in cases {
            let result = try fixture.runPlain(["conformance"] + options, environment: environment)
            #expect(result.status == status, "\(options) \(result.errors)")
            #expect(result.errors.contains(sentence), "\(options) \(result.errors)")
        }
        fixture.audit()
    }

    @Test func stoppedByTheUserItSaysWhatWasDone() throws {
        let fixture = try RunFixture()
        let run = try fixture.startPlain(["conformance", "--filter", "memory"])
        #expect(eventually { run.outputSoFar.split(separator: "\n").count > 2 })
        run.signal(SIGINT)
        let result = try run.wait()
        fixture.audit()
        #expect(result.status == 130)
        let last = result.lines.last ?? ""
        #expect(last.contains("(interrupted: ") && last.contains(" 0 failed"), "\(last)")
    }
}
