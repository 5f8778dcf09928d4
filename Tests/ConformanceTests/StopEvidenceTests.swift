import Conformance
import ExtensionHost
import Sandbox
import Testing

/// What stopped a technique, from what was seen.
@Suite struct StopEvidenceTests {
    private func stopper(
        of seen: CaseObservation, _ expectation: Conformance.Expectation = .init(.ok),
        walls: [[SandboxLayer]] = []
    ) -> String? {
        StopEvidence.stopper(of: Sample.testCase(expectation, walls: walls), seen)
    }

    @Test func whatIsAllowedIsStoppedByNothing() {
        var seen = Sample.seen(attempts: [.allowed("heap")])
        seen.memory.outside = 5 << 20
        #expect(stopper(of: seen) == "rlimits")
        #expect(stopper(of: seen, .init(.ok, attempts: .allowed)) == nil)
    }

    @Test func whereSeveralLayersFitTheWallOfTheRowIsNamed() {
        let seen = Sample.seen(attempts: [.refused("mprotect", code: "EPERM")])
        #expect(stopper(of: seen) == "seccomp")
        #expect(stopper(of: seen, walls: [[.sealing]]) == "sealing")
        #expect(stopper(of: seen, walls: [[.landlock]]) == "seccomp")
    }

    @Test(arguments: [
        ("ENOSYS", "x", "seccomp"), ("EPERM", "x", "seccomp"), ("EACCES", "x", "landlock"),
        ("EMFILE", "x", "rlimits"), ("ENOENT", "open /proc/1/mem", "pid-namespace"),
        ("ENOENT", "open /tmp/a", "mount-namespace"), ("ESRCH", "kill", "pid-namespace"),
        ("1001", "schedule", "host"), ("EINVAL", "x", "kernel"),
    ])
    func anErrorNumberNamesALayer(code: String, what: String, layer: String) {
        let seen = Sample.seen(attempts: [.allowed("a"), .refused(what, code: code)])
        #expect(stopper(of: seen) == layer)
    }

    @Test(arguments: [
        ("ENOSYS", "seccomp", "kernel"), ("EACCES", "landlock", "file rights"),
        ("ESRCH", "pid-namespace", "kernel"), ("EMFILE", "rlimits", "kernel"),
    ])
    func aMissingLayerIsNeverNamed(code: String, missing: String, layer: String) {
        let seen = Sample.seen(attempts: [.refused("x", code: code)], missing: [missing])
        #expect(stopper(of: seen) == layer)
    }

    @Test(arguments: [
        (Verdict.policyViolation, "called fork", "seccomp"), (.memoryLimit, "asked for", "rlimits"),
        (.memoryLimit, "held more than 6 bytes", "host"),
        (.memoryLimit, "killed: its memory cgroup", "cgroup"),
        (.fileLimit, "wrote past 1 bytes of a file", "rlimits"),
        (.fileLimit, "wrote more bytes", "host"), (.wallTimeout, "", "host"),
        (.cpuLimit, "", "rlimits"), (.loadError, "", "load rules"), (.exitedEarly, "", "itself"),
        (.processLimit, "started a thread past", "rlimits"),
        (.processLimit, "ran more threads", "host"),
    ])
    func aVerdictNamesALayer(verdict: Verdict, detail: String, layer: String) {
        #expect(stopper(of: Sample.seen(verdict, detail)) == layer)
    }

    @Test func whatFilledTheLimitWasStoppedByIt() {
        var seen = Sample.seen()
        #expect(stopper(of: seen) == nil)
        seen.memory.outside = 4 << 20
        #expect(stopper(of: seen) == "rlimits")
        seen.complaints = ["munmap: Operation not permitted"]
        #expect(stopper(of: seen) == "sealing")
        seen.complaints = ["pipe2: Operation not permitted"]
        #expect(stopper(of: seen) == "seccomp")
        seen.complaints = ["/proc/self/mem: Permission denied"]
        #expect(stopper(of: seen) == "landlock")
    }
}
