import ExtensionHost
import Foundation
import LinuxSystem
import TestSupport
import Testing
import WireProtocol

@Suite(.serialized)
struct LauncherPoolTests {
    private func plan(_ mode: String = "good") throws -> WorkerPlan {
        var plan = WorkerPlan(
            workerPath: try #require(FakeWorker.path),
            setup: WorkerSetup(pluginPath: "/\(mode)", containerPath: "/"))
        plan.timeZone = nil
        return plan
    }

    @Test func workersOfOnePlanShareALauncherAndOthersDoNot() throws {
        let pool = LauncherPool()
        for _ in 0..<3 { #expect(try SessionRun(pool, plan()).finish().verdict == .ok) }
        #expect(pool.launcherCount == 1)
        var other = try plan()
        other.setup.isolation = .basic
        #expect(try SessionRun(pool, other).finish().verdict == .ok)
        #expect(pool.launcherCount == 2)
    }

    @Test func aPreparedLauncherIsTheOneThatIsUsed() throws {
        let pool = LauncherPool()
        pool.prepare(try plan(), now: BootClock.now())
        #expect(pool.launcherCount == 1)
        #expect(try SessionRun(pool, plan()).finish().verdict == .ok)
        #expect(pool.launcherCount == 1)
        var missing = try plan()
        missing.workerPath = "/nonexistent/worker"
        pool.prepare(missing, now: BootClock.now())
        #expect(pool.launcherCount == 1)
    }

    @Test func killedLaunchersAreReplaced() throws {
        let pool = LauncherPool()
        #expect(try SessionRun(pool, plan()).finish().verdict == .ok)
        pool.killAll()
        #expect(try SessionRun(pool, plan()).finish().verdict == .ok)
    }

    @Test func aLauncherWithoutWorkIsEndedAfterItsTime() throws {
        let pool = LauncherPool(idleTime: .seconds(5))
        #expect(pool.nextDeadline == nil)
        _ = try SessionRun(pool, plan()).finish()
        let due = try #require(pool.nextDeadline)
        pool.endIdle(now: Instant(nanoseconds: due.nanoseconds - 1))
        #expect(pool.launcherCount == 1)
        pool.endIdle(now: due)
        #expect(pool.launcherCount == 0)
        #expect(pool.nextDeadline == nil)
        #expect(try SessionRun(pool, plan()).finish().verdict == .ok)
    }

    @Test func aLauncherWithAWorkerIsNotIdle() throws {
        let pool = LauncherPool(idleTime: .zero)
        let run = try SessionRun(pool, plan("silent"))
        _ = try run.waitForProcess()
        #expect(pool.nextDeadline == nil)
        pool.endIdle(now: BootClock.now())
        #expect(pool.launcherCount == 1)
    }

    @Test func aLauncherKilledFromOutsideEndsItsRunAndTheNextOneIsFine() throws {
        let pool = LauncherPool()
        let run = try SessionRun(pool, plan("warned"))
        let worker = try run.waitForProcess()
        let parent = try #require(ProcessAudit.parent(of: worker))
        let outcome = try run.finish { session, event in
            try SessionRun.callOnce(session, event)
            if case .loaded = event { kill(parent, SIGKILL) }
        }
        #expect(outcome.verdict == .killedExternal)
        #expect(
            outcome.detail
                == "the worker's launcher was killed by SIGKILL in bahost_install,"
                + " which the host did not send")
        #expect(try SessionRun(pool, plan()).finish().verdict == .ok)
    }

    @Test func aLauncherKilledWhileItWasIdleIsReplaced() throws {
        let pool = LauncherPool()
        let run = try SessionRun(pool, plan())
        let launcher = try #require(ProcessAudit.parent(of: run.waitForProcess()))
        #expect(try run.finish().verdict == .ok)
        kill(launcher, SIGKILL)
        #expect(eventually { ProcessAudit.status("State", of: launcher).hasPrefix("Z") })
        #expect(try SessionRun(pool, plan()).finish().verdict == .ok)
        #expect(pool.launcherCount == 1)
    }

    @Test func aPluginThatNeedsTheRuntimeStartsAnewWithIt() throws {
        let pool = LauncherPool()
        var plan = try plan("swift")
        plan.setup.runtimeFolders = ["/somewhere"]
        let outcome = try SessionRun(pool, plan).finish()
        #expect(outcome.verdict == .ok)
        #expect(pool.launcherCount == 2)
    }

    @Test func theRuntimeCannotBeAskedForTwice() throws {
        let outcome = try SessionRun(LauncherPool(), plan("swift")).finish()
        #expect(outcome.verdict == .protocolError)
    }
}
