import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// The host or the launcher is killed in the middle of a call: what is left goes by itself.
@Suite struct LostProcessTests {
    /// What the plugin does when it happens.
    enum Deed: String, CaseIterable, Sendable {
        case spinning

        /// It also ignores and blocks every signal.
        case deaf

        /// It and its launcher are stopped from outside.
        case stopped

        var word: String { self == .deaf ? "ignore-signals-and-spin" : "spin" }
    }

    static let machines = users.flatMap { user in
        [
            Machine(user: user), Machine(user: user, isolation: "basic"),
            Machine(user: user, absentLayers: ["pid-namespace"]),
            Machine(user: user, absentLayers: ["user-namespace"]),
        ]
    }

    /// A run in the middle of its plugin's deed.
    private struct Scene {
        let fixture: RunFixture
        let run: ProgramRun
        let launcher: Int32
        let worker: Int32

        init(_ machine: Machine, _ deed: Deed) throws {
            fixture = try machine.fixture()
            run = try machine.start(deed.word, ["--json"], in: fixture)
            let marker = "\(fixture.scratch.path)/worker"
            let host = run.pid
            var found: (launcher: Int32, worker: Int32)?
            let isThere = eventually {
                let alive = ProcessAudit.alive(marked: marker)
                let worker = alive.first { pid in
                    ProcessAudit.parent(of: pid).map { alive.contains($0) } ?? false
                }
                guard let worker, let launcher = ProcessAudit.parent(of: worker),
                    ProcessAudit.parent(of: launcher) == host,
                    ProcessAudit.ticks(of: worker) >= 10
                else { return false }
                found = (launcher, worker)
                return true
            }
            try #require(isThere, "the plugin never ran: \(run.outputSoFar) \(run.errorsSoFar)")
            (launcher, worker) = try #require(found)
            try prepare(deed)
        }

        private func prepare(_ deed: Deed) throws {
            switch deed {
            case .spinning: break
            case .deaf:
                let blocked = UInt64(ProcessAudit.status("SigBlk", of: worker), radix: 16) ?? 0
                try #require(blocked & 1 << 14 != 0, "SIGTERM is not blocked")
            case .stopped:
                for pid in [worker, launcher] {
                    kill(pid, SIGSTOP)
                    let isStopped = eventually {
                        ProcessAudit.status("State", of: pid).hasPrefix("T")
                    }
                    try #require(isStopped)
                }
            }
        }
    }

    @Test(arguments: machines, Deed.allCases)
    func noProcessOutlivesAKilledHost(machine: Machine, deed: Deed) throws {
        let scene = try Scene(machine, deed)
        scene.run.signal(SIGKILL)
        #expect(try scene.run.wait().signal == SIGKILL)
        scene.fixture.expectNoProcess()
    }

    @Test(arguments: machines, Deed.allCases)
    func aKilledLauncherTakesItsWorkerAlongAndIsNamed(machine: Machine, deed: Deed) throws {
        let scene = try Scene(machine, deed)
        kill(scene.launcher, SIGKILL)
        let result = try scene.run.wait()
        scene.fixture.audit()
        #expect(result.status == 34)
        let record = try Record(of: result)
        #expect(record.result == "killed_external")
        #expect(
            record.detail == "the worker's launcher was killed by SIGKILL in bahost_install,"
                + " which the host did not send")
        #expect(result.duration < .seconds(25), "it ended by its wall budget")
    }

    /// The worker alone: its launcher lives on and tells.
    @Test(arguments: machines)
    func aKilledWorkerIsNamed(machine: Machine) throws {
        let scene = try Scene(machine, .deaf)
        kill(scene.worker, SIGKILL)
        let result = try scene.run.wait()
        scene.fixture.audit()
        #expect(result.status == 34)
        #expect(
            try Record(of: result).detail
                == "killed by SIGKILL in bahost_install, which the host did not send")
    }
}
