import Foundation
import Glibc
import Testing
import TestSupport

/// `bahost doctor` starts a worker here and tells the truth about it.
@Suite struct DoctorTests {
    private struct Report: Decodable {
        struct Isolation: Decodable {
            struct Missing: Decodable {
                let layer: String
                let why: String
            }

            let layers: [String]
            let missing: [Missing]
            let absentLayers: [String]
        }

        struct Finding: Decodable {
            let group: String
            let subject: String
            let level: String
            let message: String
            let advice: String?
        }

        let status: Int
        let canRun: Bool
        let canRunFull: Bool?
        let isolation: Isolation
        let findings: [Finding]

        func level(of subject: String) -> String? {
            findings.first { $0.subject == subject }?.level
        }
    }

    private func look(
        _ fixture: RunFixture, _ options: [String] = []
    ) throws -> (report: Report, result: ProgramResult) {
        let result = try fixture.runPlain(["doctor", "--json"] + options)
        fixture.expectNoProcess()
        try SchemaCheck.expectValid(result.output, against: "doctor-1.json")
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
        #expect(result.status.map { Int($0) } == report.status, "\(result.errors)")
        return (report, result)
    }

    @Test(arguments: users) func saysOfTheLayersWhatARunSays(user: UInt32?) throws {
        let fixture = try RunFixture(as: user)
        let report = try look(fixture).report
        let run = try Record(
            of: fixture.run(ReachableCopies.plugin("HelloDownload"), ["--json"]))
        // The doctor also looks whether a cgroup could be had, which a run never has.
        let layers = Set(report.isolation.layers).subtracting(["cgroup"])
        #expect(layers == Set(run.isolation.layers))
        let missing = Set(report.isolation.missing.map(\.layer)).subtracting(["cgroup"])
        #expect(missing == Set(run.isolation.missing.map(\.layer)).subtracting(["cgroup"]))
        #expect(report.canRun)
    }

    @Test(arguments: users) func saysWhetherFullIsolationIsPossible(user: UInt32?) throws {
        let fixture = try RunFixture(as: user)
        let automatic = try look(fixture).report
        let full = try look(fixture, ["--isolation", "full"]).report
        let run = try Record(
            of: fixture.run(
                ReachableCopies.plugin("HelloDownload"), ["--json", "--isolation", "full"]))
        #expect(automatic.canRunFull == (run.result == "ok"))
        #expect(full.canRunFull == (run.result == "ok"))
        #expect((full.status == 0) == (run.result == "ok"))
    }

    /// One basic layer, one that a run can do without, and all that can be missing.
    static let machines = users.flatMap { user in
        [["seccomp"], ["landlock"], ["sealing"], ["user-namespace"], MissingLayerTests.layers].map {
            Machine(user: user, absentLayers: $0)
        }
    }

    @Test(arguments: machines) func anImitatedMachineIsToldAsOne(machine: Machine) throws {
        let fixture = try machine.fixture()
        let found = try look(fixture)
        #expect(found.report.isolation.absentLayers == machine.absentLayers)
        for layer in machine.absentLayers {
            let finding = found.report.findings.first { $0.subject == layer }
            #expect(finding?.level != "ok")
            #expect(finding?.message.hasPrefix("missing: ") == true)
            #expect(finding?.advice == "take \(layer) out of BAHOST_ABSENT_LAYERS")
        }
        let breaks = !Set(machine.absentLayers).isDisjoint(with: ["seccomp", "landlock", "rlimits"])
        #expect(found.report.status == (breaks ? 1 : 0), "\(found.result.output)")
        #expect(found.report.canRunFull == false)
        #expect(try look(fixture, ["--isolation", "full"]).report.status == 1)
        let text = try fixture.runPlain(["doctor"]).output
        let names = machine.absentLayers.joined(separator: ",")
        #expect(text.contains("BAHOST_ABSENT_LAYERS=\(names): treated as absent\n"))
    }

    @Test(arguments: users) func basicIsolationLeavesOutAllButFour(user: UInt32?) throws {
        let report = try look(RunFixture(as: user), ["--isolation", "basic"]).report
        let expected: Set = ["rlimits", "seccomp", "no-new-privileges", "capabilities"]
        #expect(Set(report.isolation.layers).subtracting(["identity"]) == expected)
        #expect(report.status == 0)
        #expect(report.level(of: "files") == "note")
        #expect(report.canRunFull == nil)
    }

    @Test func withoutAWorkerTheStatusIsOne() throws {
        let folder = try ScratchFolder("doctor")
        let result = try runProgram(
            Products.program("bahost"), ["doctor"],
            environment: ["BAHOST_WORKER": "\(folder.path)/none", "HOME": folder.path])
        #expect(result.status == 1)
        #expect(result.output.contains("  ✘ run: a run cannot start: BAHOST_WORKER names "))
        #expect(result.output.contains("✘ not as it must be: run, worker\n"))
    }

    @Test func aWorkerThatIsNoneOfOursIsToldAndLeavesNothing() throws {
        let result = try runProgram(
            Products.program("bahost"), ["doctor", "--json"],
            environment: ["BAHOST_WORKER": "/bin/true"])
        #expect(result.status == 1)
        try SchemaCheck.expectValid(result.output, against: "doctor-1.json")
        #expect(result.output.contains("\"canRun\":false"))
    }

    @Test func withoutTheAuditLibraryThereIsNoSealingAndItsPlaceIsNamed() throws {
        let folder = try ScratchFolder("doctor")
        let worker = "\(folder.path)/bahost-worker"
        try copyProgram(Products.program("bahost-worker"), to: worker)
        let result = try runProgram(
            Products.program("bahost"), ["doctor"], environment: ["BAHOST_WORKER": worker])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("  ! sealing: missing: "))
        #expect(result.output.contains("\(folder.path)/libbahost-seal.so"))
    }

    @Test(.enabled(if: users.count > 1)) func aStateFolderThatCannotBeWrittenIsAProblem() throws {
        let fixture = try RunFixture(as: 65_534)
        unsafe chown(fixture.scratch.path, 0, 0)
        let found = try look(fixture)
        #expect(found.report.status == 1)
        #expect(found.report.level(of: "state") == "problem")
    }

    @Test func leavesNothingBehind() throws {
        let fixture = try RunFixture()
        _ = try look(fixture)
        #expect(fixture.scratch.contents(of: "tmp").isEmpty)
        #expect(fixture.scratch.contents(of: "state").isEmpty)
    }
}
