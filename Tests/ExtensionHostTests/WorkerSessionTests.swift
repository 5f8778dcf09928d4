import ExtensionHost
import Foundation
import LinuxSystem
import Testing
import WireProtocol

@Suite(.serialized)
struct WorkerSessionTests {
    @Test func aGoodRunIsOk() throws {
        let run = try SessionRun("good")
        let outcome = try run.finish()
        #expect(outcome.verdict == .ok)
        #expect(outcome.exitCode == 0)
        #expect(outcome.ready != nil)
        #expect(outcome.loaded != nil)
        #expect(run.session.isDone)
        #expect(run.session.nextDeadline == nil)
    }

    @Test func aMissingProgramIsAnError() throws {
        let setup = WorkerSetup(pluginPath: "/x", containerPath: "/")
        let plan = WorkerPlan(workerPath: "/nonexistent/worker", setup: setup)
        #expect(
            throws: ExtensionHostError(
                .cannotStart, subject: "execve /nonexistent/worker", systemCode: ENOENT)
        ) { try LauncherPool().start(plan, now: BootClock.now()) }
    }

    @Test(
        arguments: [
            ("early", .setupError, "the worker ended with status 3 before it was ready"),
            ("exit0", .exitedEarly, "called exit with status 0 before bahost_install returned"),
            ("crash", .crash, "SIGSEGV at address 0x0 in bahost_install"),
            ("abort", .crash, "SIGABRT in bahost_install"),
            (
                "garbage", .protocolError,
                "sent a malformed frame: frame does not begin with the protocol's magic number"
            ),
            ("hangup", .protocolError, "closed its connection to the host"),
            ("closed", .ok, ""),
        ] as [(String, Verdict, String)])
    func aMisbehavingWorkerGetsItsVerdict(mode: String, verdict: Verdict, detail: String) throws {
        let outcome = try SessionRun(mode).finish()
        #expect(outcome.verdict == verdict)
        #expect(outcome.detail == detail)
    }

    /// The last one has closed the control pipe, so that the warning meets nobody.
    @Test(arguments: ["half", "stop", "spin", "deaf"])
    func aWorkerThatHangsIsEndedSoonAfterItsBudget(mode: String) throws {
        let run = try SessionRun(mode, wallBudget: .milliseconds(200))
        let start = BootClock.now()
        let outcome = try run.finish()
        #expect(outcome.verdict == .wallTimeout)
        #expect(outcome.detail == "bahost_install still ran after 200 ms")
        #expect(outcome.signal == SIGKILL)
        // Budget, grace and the second of the contract, with room for a busy machine's start.
        #expect(BootClock.now() - start < .milliseconds(200 + 500 + 1000) + .seconds(4))
    }

    @Test func aSilentWorkerIsEndedAtTheSetUpDeadline() throws {
        let run = try SessionRun("silent") { $0.terms.setupTime = .milliseconds(100) }
        #expect(try run.finish().verdict == .setupError)
    }

    @Test func thePluginIsWarnedThroughTheControlPipe() throws {
        let outcome = try SessionRun("warned", wallBudget: .milliseconds(200)).finish()
        #expect(outcome.log == ["notice: warned 1"])
        #expect(outcome.verdict == .wallTimeout)
    }

    @Test func anInterruptEndsARunningCall() throws {
        let run = try SessionRun("warned")
        let outcome = try run.finish { session, event in
            try SessionRun.callOnce(session, event)
            if case .loaded = event { session.interrupt(now: BootClock.now()) }
        }
        #expect(outcome.verdict == .interrupted)
        #expect(outcome.log == ["notice: warned 3"])
    }

    @Test func aFloodOfOutputIsCutAndTheRunGoesOn() throws {
        let run = try SessionRun("flood")
        #expect(try run.finish().verdict == .ok)
        let lines = run.printed(.output)
        #expect(lines.count == 257)
        #expect(lines.last == OutputLines.suppressed)
        #expect(run.printed(.error) == ["half a line"])
    }

    @Test func aPipeKeptOpenByADescendantDelaysTheEndByOneSecondAtMost() throws {
        let run = try SessionRun("leak")
        let start = BootClock.now()
        let outcome = try run.finish()
        #expect(outcome.verdict == .ok)
        // The descendant itself stays for ten.
        #expect(BootClock.now() - start < .seconds(6))
    }

    @Test func hostCallsCanBeAnsweredLater() throws {
        let run = try SessionRun("ask")
        var asked: UInt32?
        let outcome = try run.finish { session, event in
            try SessionRun.callOnce(session, event)
            if case .hostCall(.releaseExclusive, let sequence) = event {
                asked = sequence
                session.reply(.status(-5), sequence: sequence)
            }
        }
        #expect(asked == 7)
        #expect(outcome.verdict == .pluginError)
        #expect(outcome.status == -5)
        #expect(outcome.hostCalls == 1)
    }

    /// Each reply has 64 KiB; 4,000 of them would be held without a bound.
    @Test func aWorkerThatReadsNoRepliesIsNotReadFurther() throws {
        let run = try SessionRun("asking", wallBudget: .seconds(1))
        var download = DownloadDescription()
        download.url = String(repeating: "u", count: 1000)
        let answer = HostReply.downloads(Array(repeating: download, count: 60))
        let outcome = try run.finish { session, event in
            try SessionRun.callOnce(session, event)
            if case .hostCall(_, let sequence) = event { session.reply(answer, sequence: sequence) }
        }
        #expect(outcome.verdict == .wallTimeout)
        // 1 MiB here, and what the socket holds.
        #expect(outcome.hostCalls > 16)
        #expect(outcome.hostCalls < 100)
    }

    @Test func theWorkerGetsExactlyItsEnvironmentAndDescriptors() throws {
        let run = try SessionRun("show") { $0.timeZone = "Europe/Berlin" }
        _ = try run.finish()
        #expect(
            run.printed(.output) == [
                "env LANG=C.UTF-8", "env SWIFT_BACKTRACE=enable=no", "env TZ=Europe/Berlin",
                "arg 0", "arg launcher", "fd 0", "fd 1", "fd 2", "fd 3", "fd 4", "fd 5",
            ])
    }

    @Test func memoryIsSampledWhilePluginCodeRuns() throws {
        let outcome = try SessionRun("memory") { $0.terms.limits.memoryBytes = 64 << 20 }.finish()
        #expect(outcome.verdict == .ok)
        #expect(outcome.peakSource == .sampled)
        #expect(outcome.peakBytes > 16 << 20)
        #expect(outcome.peakBytes < 32 << 20)
    }

    @Test func aWorkerKilledFromOutsideIsNotBlamed() throws {
        let run = try SessionRun("good")
        let outcome = try run.finish { session, event in
            guard case .loaded = event else { return }
            kill(try #require(session.pid), SIGKILL)
        }
        #expect(outcome.verdict == .killedExternal)
        let detail = "killed by SIGKILL between two calls, which the host did not send"
        #expect(outcome.detail == detail)
    }

    @Test func aCallNeedsALoadedIdleWorker() throws {
        let run = try SessionRun("good")
        let call = EntryCall.content(.install, AppDescription(), manifestBytes: 0)
        let refused = ExtensionHostError(.notIdle, subject: "bahost_install")
        #expect(throws: refused) { try run.session.call(call, now: BootClock.now()) }
        _ = try run.finish()
        #expect(throws: refused) { try run.session.call(call, now: BootClock.now()) }
    }

    @Test func severalCallsShareOneWorker() throws {
        let run = try SessionRun("good")
        var returns = 0
        let outcome = try run.finish { session, event in
            let now = BootClock.now()
            switch event {
            case .returned where returns == 1: session.shutDown(now: now)
            case .returned:
                returns += 1
                try session.call(
                    .finished(DownloadDescription(), path: "Downloads/a"), now: now)
            default: try SessionRun.callOnce(session, event)
            }
        }
        #expect(outcome.verdict == .ok)
        #expect(
            run.events.contains(
                .returned(
                    .downloadFinished, EntryReturn(status: 0, heldBytes: 0, wasCalled: true))))
    }

    @Test func droppingASessionKillsItsChild() throws {
        var run: SessionRun? = try SessionRun("silent")
        let pid = try #require(try run?.waitForProcess())
        #expect(kill(pid, 0) == 0)
        run = nil
        // Killed at once; reaped by its launcher, or by init when that has gone first.
        let limit = BootClock.now() + .seconds(10)
        while kill(pid, 0) == 0, BootClock.now() < limit { sched_yield() }
        #expect(kill(pid, 0) == -1)
    }

    @Test(arguments: ["good", "crash", "garbage", "half"])
    func nothingStaysOpenAfterTheEnd(mode: String) throws {
        let run = try SessionRun(mode, wallBudget: .milliseconds(300))
        // Before anything is read: one of them closes its end at once.
        let held = Set(try run.session.openDescriptors.map { try target(of: $0) })
        #expect(held.count == 5)
        // The counter sees what is open.
        #expect(try targets(of: "self").filter { held.contains($0) }.count == 5)
        let pid = try run.waitForProcess()
        let outcome = try run.finish { try SessionRun.callOnce($0, $1) }
        #expect(run.session.openDescriptors == [])
        #expect(try targets(of: "self").filter { held.contains($0) } == [])
        #expect(outcome.exitCode != nil || outcome.signal != nil)
        #expect(kill(pid, 0) == -1)
    }

    private func target(of descriptor: Int32) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }

    /// Where a process's descriptors lead; other tests of this process open and close theirs.
    private func targets(of process: String) throws -> [String] {
        let folder = "/proc/\(process)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
    }
}

struct WorkerPlanTests {
    @Test(arguments: [
        ("Europe/Berlin", true), ("UTC0", true), ("Etc/GMT+3", true), ("", false),
        ("/etc/passwd", false), (":/etc/localtime", false), ("../x", false), ("a b", false),
        (String(repeating: "A", count: 64), true), (String(repeating: "A", count: 65), false),
    ])
    func onlySimpleTimeZonesArePassedOn(text: String, isSimple: Bool) {
        #expect(WorkerPlan.simpleTimeZone(text) == (isSimple ? text : nil))
    }
}
