import Conformance
import ExtensionHost
import Sandbox
import Testing

/// What must come of a case, held against what was seen.
@Suite struct ConformanceJudgeTests {
    private static let refused = Attempt.refused("socket", code: "EPERM")

    private func judge(
        _ expectation: Conformance.Expectation, _ seen: CaseObservation
    ) -> CaseResult {
        ConformanceJudge.judge(Sample.testCase(expectation), seen)
    }

    @Test func anyOfTheVerdictsPasses() {
        let expectation = Conformance.Expectation(.ok, .crash)
        #expect(judge(expectation, Sample.seen(.ok)) == .passed)
        #expect(judge(expectation, Sample.seen(.crash)) == .passed)
        #expect(
            judge(expectation, Sample.seen(.memoryLimit, "held too much"))
                == .failed("the verdict is memory_limit: held too much"))
    }

    @Test func theSentenceMustSayWhatIsAskedFor() {
        let expectation = Conformance.Expectation(.policyViolation, says: "fork")
        #expect(judge(expectation, Sample.seen(.policyViolation, "called fork: no")) == .passed)
        #expect(
            judge(expectation, Sample.seen(.policyViolation, "called bpf"))
                == .failed("the sentence does not say \"fork\": called bpf"))
    }

    @Test func aHoleFailsWhateverIsAskedFor() {
        for rule in [AttemptRule.any, .allowed, .refused()] {
            let seen = Sample.seen(attempts: [Self.refused, .allowed("a"), .hole("connect")])
            let result = judge(Conformance.Expectation(.ok, attempts: rule), seen)
            #expect(result == .failed("it went through: connect"))
        }
    }

    @Test func whatMustBeRefusedMustSaySo() {
        let expectation = Conformance.Expectation(.ok, attempts: .refused())
        #expect(judge(expectation, Sample.seen(attempts: [Self.refused])) == .passed)
        #expect(judge(expectation, Sample.seen()) == .failed("nothing was refused"))
        #expect(
            judge(expectation, Sample.seen(attempts: [.allowed("socket")]))
                == .failed("nothing was refused"))
    }

    @Test func whatIsNotHereIsNotApplicableUnlessMoreIsWrong() {
        let expectation = Conformance.Expectation(.ok, attempts: .refused())
        let absent = Attempt.notHere("x32")
        #expect(
            judge(expectation, Sample.seen(attempts: [absent])) == .notApplicable("not here: x32"))
        #expect(
            judge(expectation, Sample.seen(attempts: [absent, .hole("a")]))
                == .failed("it went through: a"))
        #expect(
            judge(expectation, Sample.seen(.crash, attempts: [absent]))
                == .failed("the verdict is crash"))
    }

    @Test func theCodeOfARefusalCounts() {
        let expectation = Conformance.Expectation(.ok, attempts: .refused("EMFILE"))
        #expect(
            judge(expectation, Sample.seen(attempts: [.refused("open", code: "EMFILE")]))
                == .passed)
        #expect(
            judge(expectation, Sample.seen(attempts: [Self.refused]))
                == .failed("it was refused with EPERM, not with EMFILE"))
    }

    @Test func whatMustBeAllowedMustNotBeRefused() {
        let expectation = Conformance.Expectation(.ok, attempts: .allowed)
        #expect(judge(expectation, Sample.seen(attempts: [.allowed("open")])) == .passed)
        #expect(judge(expectation, Sample.seen()) == .failed("it did not say what it was allowed"))
        #expect(
            judge(expectation, Sample.seen(attempts: [.allowed("open"), Self.refused]))
                == .failed("it was refused and may not be: socket: EPERM"))
    }

    @Test func memoryIsHeldToThePromiseToTheByte() {
        var seen = Sample.seen()
        seen.memory.reserve = 4096
        seen.memory.outside = seen.memory.promise
        #expect(judge(Conformance.Expectation(.ok), seen) == .passed)
        seen.memory.outside += 1
        guard case .failed(let reason) = judge(Conformance.Expectation(.ok), seen) else {
            Issue.record("one byte too many passed")
            return
        }
        #expect(reason.hasPrefix("held \(seen.memory.promise + 1) of at most"))
    }

    @Test(arguments: [MemoryMatter.files, .names])
    func otherMattersAreNotHeldToIt(matter: MemoryMatter) {
        var expectation = Conformance.Expectation(.ok)
        expectation.matter = matter
        var seen = Sample.seen()
        seen.memory.outside = 1 << 40
        #expect(judge(expectation, seen) == .passed)
    }

    @Test func logOverItsBoundFails() {
        var expectation = Conformance.Expectation(.ok)
        expectation.mostLogBytes = 100
        var seen = Sample.seen()
        seen.logBytes = 100
        #expect(judge(expectation, seen) == .passed)
        seen.logBytes = 101
        #expect(judge(expectation, seen) == .failed("101 bytes of log were kept, of at most 100"))
    }

    @Test func tracesFail() {
        var seen = Sample.seen()
        seen.isVictimUntouched = false
        #expect(
            judge(Conformance.Expectation(.ok), seen)
                == .failed("a file outside the container was changed"))
        seen = Sample.seen()
        seen.leftovers = ["process 7", "tmp/a"]
        #expect(judge(Conformance.Expectation(.ok), seen) == .failed("left: process 7, tmp/a"))
    }

    @Test func aFaultWithoutItsLayerIsNotApplicable() {
        let seen = Sample.seen(attempts: [.hole("socket")], missing: ["seccomp"])
        #expect(
            judge(Conformance.Expectation(.ok), seen)
                == .notApplicable("without seccomp (refused): it went through: socket"))
    }

    @Test func oneOfItsLayersIsEnoughToExpectIt() {
        let testCase = Sample.testCase(
            Conformance.Expectation(.ok), walls: [[.landlock, .mountNamespace]])
        let hole = [Attempt.hole("open")]
        let one = Sample.seen(attempts: hole, missing: ["landlock"])
        #expect(ConformanceJudge.judge(testCase, one) == .failed("it went through: open"))
        let both = Sample.seen(attempts: hole, missing: ["landlock", "mount-namespace"])
        guard case .notApplicable = ConformanceJudge.judge(testCase, both) else {
            Issue.record("both are missing")
            return
        }
    }

    @Test func everyWallMustStand() {
        let testCase = Sample.testCase(
            Conformance.Expectation(.ok), walls: [[.landlock], [.pidNamespace]])
        for missing in ["landlock", "pid-namespace"] {
            let seen = Sample.seen(attempts: [.hole("open")], missing: [missing])
            #expect(
                ConformanceJudge.judge(testCase, seen)
                    == .notApplicable("without \(missing) (refused): it went through: open"))
        }
    }

    @Test func aMissingLayerExcusesNothingElse() {
        let other = Sample.seen(attempts: [.hole("socket")], missing: ["landlock"])
        #expect(judge(Conformance.Expectation(.ok), other) == .failed("it went through: socket"))
        let without = Sample.testCase(Conformance.Expectation(.ok), walls: [])
        let all = Sample.seen(attempts: [.hole("x")], missing: ["seccomp", "landlock"])
        #expect(ConformanceJudge.judge(without, all) == .failed("it went through: x"))
        let held = Sample.seen(missing: ["seccomp"])
        #expect(judge(Conformance.Expectation(.ok), held) == .passed)
    }
}
