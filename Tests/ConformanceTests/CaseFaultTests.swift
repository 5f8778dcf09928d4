import Conformance
import ExtensionHost
import Sandbox
import Testing
import WireProtocol

/// What a missing layer excuses, and what the host owes whatever the machine gives.
@Suite struct CaseFaultTests {
    private func judge(
        _ seen: CaseObservation, walls: [[SandboxLayer]] = [[.seccomp]]
    ) -> CaseResult {
        ConformanceJudge.judge(
            Sample.testCase(Conformance.Expectation(.ok, .wallTimeout, .cpuLimit), walls: walls),
            seen)
    }

    private func isFailed(_ result: CaseResult) -> Bool { result.word == "fail" }

    @Test(arguments: [Verdict.internalError, .setupError])
    func theHostsOwnFaultsAreNeverExcused(verdict: Verdict) {
        #expect(
            judge(Sample.seen(verdict, "no", missing: ["seccomp"]))
                == .failed("the verdict is \(verdict.rawValue): no"))
    }

    @Test func leftoversAreNeverExcused() {
        var seen = Sample.seen(attempts: [.hole("fork")], missing: ["seccomp"])
        seen.leftovers = ["process 7"]
        #expect(judge(seen) == .failed("left: process 7"))
    }

    @Test func aChangedVictimIsExcusedOnlyByAHoleWithoutLandlock() {
        let walls: [[SandboxLayer]] = [[.landlock, .mountNamespace]]
        let missing = ["landlock", "mount-namespace"]
        var seen = Sample.seen(attempts: [.hole("open")], missing: missing)
        seen.isVictimUntouched = false
        #expect(judge(seen, walls: walls).word == "not-applicable")
        seen.attempts = []
        #expect(judge(seen, walls: walls) == .failed("a file outside the container was changed"))
        seen = Sample.seen(attempts: [.hole("open")], missing: ["seccomp"])
        seen.isVictimUntouched = false
        #expect(isFailed(judge(seen)))
    }

    @Test func memoryWithoutSealingIsEndedOrBounded() {
        var seen = Sample.seen(missing: ["sealing"])
        let bound = seen.memory.promise + 64 << 20
        seen.memory.outside = bound
        #expect(judge(seen, walls: [[.sealing]]).word == "not-applicable")
        seen.memory.outside = bound + 1
        #expect(isFailed(judge(seen, walls: [[.sealing]])))
        seen.verdict = .memoryLimit
        #expect(judge(seen, walls: [[.sealing]]).word == "not-applicable")
    }

    @Test func aRunThatALimitEndsIsOverInTime() {
        let limits = CaseLimits()
        #expect(limits.mostWall == .milliseconds(11_500))
        for verdict in [Verdict.wallTimeout, .cpuLimit] {
            var seen = Sample.seen(verdict)
            seen.workerTime = limits.mostWall
            #expect(judge(seen) == .passed)
            seen.workerTime += .nanoseconds(1)
            #expect(isFailed(judge(seen)))
            seen.missing = [MissingLayer(layer: "seccomp", why: "refused")]
            #expect(isFailed(judge(seen)))
        }
    }

    @Test func processorTimeIsHeldToItsLimitAndASecond() {
        var seen = Sample.seen(.cpuLimit)
        seen.processorTime = .milliseconds(11_250)
        #expect(judge(seen) == .passed)
        seen.processorTime += .nanoseconds(1)
        #expect(isFailed(judge(seen)))
    }

    @Test func whatWasNeverReadyIsExcusedByNothing() {
        var seen = Sample.seen()
        seen.layers = []
        #expect(judge(seen) == .failed("the worker was not ready: ok: "))
        seen.missing = [MissingLayer(layer: "seccomp", why: "refused")]
        #expect(isFailed(judge(seen)))
        seen.verdict = .loadError
        let refused = Sample.testCase(Conformance.Expectation(.loadError))
        #expect(ConformanceJudge.judge(refused, seen) == .passed)
    }

    @Test func memoryThatTheMeterDidNotSeeFails() {
        let testCase = Sample.testCase(Conformance.Expectation(.ok, .memoryLimit), group: .memory)
        var seen = Sample.seen()
        #expect(
            ConformanceJudge.judge(testCase, seen) == .failed("the meter did not see it"))
        seen.memory.wasMetered = true
        #expect(ConformanceJudge.judge(testCase, seen) == .passed)
        let quick = Sample.seen(.memoryLimit, "asked for 9 bytes more")
        #expect(ConformanceJudge.judge(testCase, quick) == .passed)
        #expect(isFailed(ConformanceJudge.judge(testCase, Sample.seen(.memoryLimit, "killed"))))
    }

    @Test func onlyTheKernelsMemoryIsTriedAgain() {
        let testCase = Sample.testCase(Conformance.Expectation(.ok))
        var seen = Sample.seen()
        #expect(!ConformanceJudge.isOnlyKernelMemory(testCase, seen))
        seen.memory.kernel = seen.memory.promise + 1
        #expect(ConformanceJudge.isOnlyKernelMemory(testCase, seen))
        seen.leftovers = ["process 7"]
        #expect(!ConformanceJudge.isOnlyKernelMemory(testCase, seen))
        seen.leftovers = []
        seen.memory.outside = seen.memory.promise + 1
        #expect(!ConformanceJudge.isOnlyKernelMemory(testCase, seen))
    }
}
