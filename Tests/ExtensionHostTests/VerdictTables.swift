import ExtensionHost
import Glibc
import LinuxSystem
import WireProtocol

enum VerdictTables {
    static let endings: [VerdictCase] = [
        VerdictCase("done", .ok, "", .shutdown) {
            $0.wasAskedToEnd = true
            $0.place = .shutdown
            $0.exited(0)
        },
        VerdictCase(
            "its cgroup is full", .memoryLimit,
            "killed by the kernel in bahost_install: the 82,313,216 bytes of its memory cgroup were "
                + "used up", .entry
        ) {
            $0.saw(.cgroupKill(limitBytes: 82_313_216))
            $0.died(SIGKILL, cpu: .seconds(11))
        },
        VerdictCase(
            "its cgroup is full in set-up", .setupError,
            "the worker was killed before it was ready: the 4,096 bytes of its memory cgroup were "
                + "used up", .setup
        ) {
            $0.saw(.cgroupKill(limitBytes: 4096), at: .setup)
            $0.died(SIGKILL)
        },
        VerdictCase(
            "its cgroup is full after our kill", .wallTimeout,
            "bahost_install still ran after 30.0 s", .entry
        ) {
            $0.saw(.terminated(.wallBudget))
            $0.saw(.cgroupKill(limitBytes: 4096))
            $0.died(SIGKILL)
        },
        VerdictCase(
            "exit 0 in a call", .exitedEarly,
            "called exit with status 0 before bahost_install returned", .entry
        ) { $0.exited(0) },
        VerdictCase(
            "exit 137 in a completion", .exitedEarly,
            "called exit with status 137 before bahost_download_failed returned", .completion
        ) {
            $0.place = .call(.downloadFailed)
            $0.exited(137)
        },
        VerdictCase(
            "exit 0 while loading", .exitedEarly,
            "called exit with status 0 while the plugin was loaded", .load
        ) {
            $0.place = .load
            $0.exited(0)
        },
        VerdictCase(
            "exit 0 unasked", .exitedEarly, "called exit with status 0 between two calls", .entry
        ) {
            $0.place = .idle
            $0.exited(0)
        },
        VerdictCase(
            "exit 70 without a record", .exitedEarly,
            "called exit with status 70 before bahost_install returned", .entry
        ) { $0.exited(70) },
        VerdictCase(
            "exit 3 at the end", .exitedEarly, "called exit with status 3 during shutdown",
            .shutdown
        ) {
            $0.wasAskedToEnd = true
            $0.place = .shutdown
            $0.exited(3)
        },
        VerdictCase(
            "lost connection", .protocolError,
            "the worker lost its connection to the host in bahost_install", .entry
        ) { $0.exited(71) },
        VerdictCase(
            "closed control pipe", .protocolError,
            "the worker lost its connection to the host in bahost_install", .entry
        ) { $0.exited(72) },
        VerdictCase(
            "exit in set-up", .setupError, "the worker ended with status 127 before it was ready",
            .setup
        ) {
            $0.place = .setup
            $0.exited(127)
        },
        VerdictCase(
            "signal in set-up", .setupError, "the worker ended by SIGSEGV before it was ready",
            .setup
        ) {
            $0.place = .setup
            $0.died(SIGSEGV)
        },
        VerdictCase(
            "killed in set-up", .killedExternal,
            "killed by SIGKILL before the worker was ready, which the host did not send", .setup
        ) {
            $0.place = .setup
            $0.died(SIGKILL, cpu: .seconds(11))
        },
        VerdictCase(
            "SIGKILL below the CPU limit", .killedExternal,
            "killed by SIGKILL in bahost_install, which the host did not send", .entry
        ) { $0.died(SIGKILL, cpu: .seconds(10) - .nanoseconds(1)) },
        VerdictCase(
            "SIGKILL at the CPU limit", .cpuLimit,
            "used up its CPU time of 10 s in bahost_install", .entry
        ) { $0.died(SIGKILL, cpu: .seconds(10)) },
        VerdictCase(
            "SIGTERM", .killedExternal,
            "killed by SIGTERM in bahost_install, which the host did not send", .entry
        ) { $0.died(SIGTERM) },
        VerdictCase(
            "SIGXCPU", .cpuLimit, "used up its CPU time of 10 s in bahost_install", .entry
        ) { $0.died(SIGXCPU) },
        VerdictCase(
            "SIGXFSZ", .fileLimit, "wrote past 67,108,864 bytes of a file in bahost_install",
            .entry
        ) { $0.died(SIGXFSZ) },
        VerdictCase(
            "SIGSYS blocked", .policyViolation,
            "made a refused system call in bahost_install; call not named: "
                + "signals were blocked, or it was one of another architecture", .entry
        ) { $0.died(SIGSYS) },
        VerdictCase("SIGTRAP", .crash, "SIGTRAP in bahost_install", .entry) { $0.died(SIGTRAP) },
        VerdictCase("a real-time signal", .crash, "signal 40 in bahost_install", .entry) {
            $0.died(40)
        },
        VerdictCase(
            "reaped by somebody else", .internalError, "the worker's end was not seen", .entry
        ) { $0.end = ChildEnd(exitCode: nil, signal: nil, cpuTime: .zero) },
        VerdictCase("no end", .internalError, "the worker's end was not seen", .entry) { _ in },
    ]

    static let records: [VerdictCase] = [
        VerdictCase(
            "memory", .memoryLimit, "asked for 65,536 bytes with 12,288 of 6,291,456 left", .entry
        ) {
            $0.recorded(.memoryRefused) {
                $0.askedBytes = 65_536
                $0.leftBytes = 12_288
            }
        },
        VerdictCase(
            "memory for a thread", .memoryLimit,
            "asked for 262,144 bytes for a thread's stack with 0 of 6,291,456 left", .entry
        ) {
            $0.recorded(.memoryRefused) {
                $0.askedBytes = 262_144
                $0.text = "a thread's stack"
            }
        },
        VerdictCase("threads", .processLimit, "started a thread past the limit of 32", .entry) {
            $0.recorded(.threadRefused)
        },
        VerdictCase(
            "fork, named and trapped", .policyViolation,
            "called fork (clone): plugins may not start processes", .entry
        ) {
            $0.namedCall = "fork"
            $0.signalled(SIGSYS) { $0.systemCall = 56 }
        },
        VerdictCase(
            "popen failed, then ptrace", .policyViolation,
            "called ptrace: plugins may not look into processes", .entry
        ) {
            $0.namedCall = "popen"
            $0.signalled(SIGSYS) { $0.systemCall = 101 }
        },
        VerdictCase(
            "system, signals blocked", .policyViolation,
            "called system: plugins may not start processes", .entry
        ) {
            $0.namedCall = "system"
            $0.died(SIGSYS)
        },
        VerdictCase(
            "popen failed, then a crash", .crash, "SIGSEGV in bahost_install", .entry
        ) {
            $0.namedCall = "popen"
            $0.died(SIGSEGV)
        },
        VerdictCase(
            "named, then 70 without a record", .policyViolation,
            "called vfork: plugins may not start processes", .entry
        ) {
            $0.namedCall = "vfork"
            $0.exited(70)
        },
        VerdictCase(
            "a stack of unknown size", .stackOverflow, "used up its stack in bahost_install",
            .entry
        ) {
            $0.signalled(SIGSEGV, address: 0x7f00_0000_0ff8) {
                $0.stackLow = 0x7f00_0000_1000
                $0.stackHigh = 0x7f00_0000_1888
            }
        },
        VerdictCase(
            "trapped fork", .policyViolation, "called fork: plugins may not start processes",
            .entry
        ) { $0.signalled(SIGSYS) { $0.systemCall = 57 } },
        VerdictCase(
            "trapped ptrace", .policyViolation,
            "called ptrace: plugins may not look into processes", .entry
        ) { $0.signalled(SIGSYS) { $0.systemCall = 101 } },
        VerdictCase(
            "trapped bpf", .policyViolation, "called bpf: plugins may not make this call", .entry
        ) { $0.signalled(SIGSYS) { $0.systemCall = 321 } },
        VerdictCase(
            "trapped unknown", .policyViolation,
            "called system call 999: plugins may not make this call", .entry
        ) { $0.signalled(SIGSYS) { $0.systemCall = 999 } },
        VerdictCase(
            "null", .crash, "SIGSEGV at address 0x0 in bahost_install", .entry
        ) { $0.signalled(SIGSEGV) },
        VerdictCase(
            "constructor", .crash, "SIGILL at address 0x7f00 while the plugin was loaded", .load
        ) { $0.signalled(SIGILL, code: 2, address: 0x7f00, at: .load) },
        VerdictCase("abort", .crash, "called abort in bahost_install", .entry) {
            $0.signalled(SIGABRT, code: -6)
        },
        VerdictCase("raise", .crash, "sent itself SIGTERM in bahost_install", .entry) {
            $0.signalled(SIGTERM, code: -6)
        },
        VerdictCase(
            "kill from outside", .killedExternal,
            "killed by SIGTERM in bahost_install, which the host did not send", .entry
        ) { $0.signalled(SIGTERM, code: 0) },
        VerdictCase(
            "CPU", .cpuLimit, "used up its CPU time of 10 s in bahost_install", .entry
        ) { $0.signalled(SIGXCPU, code: 0) },
        VerdictCase(
            "file size", .fileLimit, "wrote past 67,108,864 bytes of a file in bahost_install",
            .entry
        ) { $0.signalled(SIGXFSZ, code: 0) },
        VerdictCase(
            "stack", .stackOverflow, "used up its stack of 262,144 bytes in bahost_install", .entry
        ) {
            $0.signalled(SIGSEGV, address: 0x7f00_0000_0ff8) {
                $0.stackLow = 0x7f00_0000_1000
                $0.stackHigh = 0x7f00_0004_1000
            }
        },
        VerdictCase(
            "main stack, less than its limit by a few pages", .stackOverflow,
            "used up its stack of 1,048,576 bytes in bahost_install", .entry
        ) {
            $0.signalled(SIGSEGV, address: 0x7f00_0000_0ff8) {
                $0.stackLow = 0x7f00_0000_1000
                $0.stackHigh = 0x7f00_000f_f000
            }
        },
        VerdictCase(
            "stack that cannot grow", .memoryLimit,
            "its stack could not grow in bahost_install: the limit of 6,291,456 bytes was used up",
            .entry
        ) {
            $0.signalled(SIGSEGV, address: 0x7f00_0008_0000) {
                $0.stackLow = 0x7f00_0000_1000
                $0.stackHigh = 0x7f00_0010_1000
            }
        },
        VerdictCase(
            "launcher killed", .killedExternal,
            "the worker's launcher was killed by SIGKILL in bahost_install, which the host did not"
                + " send", .entry
        ) {
            $0.saw(
                .launcherEnded(ChildEnd(exitCode: nil, signal: SIGKILL, cpuTime: .zero)))
        },
        VerdictCase(
            "launcher crashed", .internalError,
            "the worker's launcher was killed by SIGSEGV in bahost_install, which the host did not"
                + " send", .entry
        ) {
            $0.saw(
                .launcherEnded(ChildEnd(exitCode: nil, signal: SIGSEGV, cpuTime: .zero)))
        },
        VerdictCase(
            "launcher left", .internalError,
            "the worker's launcher ended with status 71 in bahost_install", .entry
        ) {
            $0.saw(.launcherEnded(ChildEnd(exitCode: 71, signal: nil, cpuTime: .zero)))
        },
        VerdictCase(
            "record in set-up", .setupError, "the worker ended by SIGBUS before it was ready",
            .setup
        ) { $0.signalled(SIGBUS, at: .setup) },
    ]

    static let terminations: [VerdictCase] = [
        VerdictCase(
            "wall", .wallTimeout, "bahost_install still ran after 2.0 s", .entry
        ) {
            $0.wallBudget = .seconds(2)
            $0.saw(.terminated(.wallBudget))
            $0.died(SIGKILL, cpu: .seconds(60))
        },
        VerdictCase(
            "wall while loading", .wallTimeout, "loading the plugin still ran after 250 ms", .load
        ) {
            $0.wallBudget = .milliseconds(250)
            $0.saw(.terminated(.wallBudget), at: .load)
            $0.died(SIGKILL)
        },
        VerdictCase(
            "day", .wallTimeout, "the app's runtime of today is used up", .entry
        ) { $0.saw(.terminated(.dailyRuntime)) },
        VerdictCase("host", .interrupted, "the host was stopping", .entry) {
            $0.saw(.terminated(.hostStopping))
        },
        VerdictCase("user", .interrupted, "interrupted by the user", .completion) {
            $0.saw(.terminated(.userInterrupt), at: .call(.downloadFinished))
        },
        VerdictCase("memory", .memoryLimit, "held more than 6,291,456 bytes", .entry) {
            $0.saw(.terminated(.memoryBudget))
        },
        VerdictCase(
            "written", .fileLimit, "wrote more bytes, or made more files, than one worker may",
            .entry
        ) {
            $0.saw(.terminated(.writtenBytes))
        },
        VerdictCase(
            "unseen", .fileLimit,
            "the container cannot be looked through: more than 256 folders in one another, or a "
                + "folder without rights", .setup
        ) { $0.saw(.terminated(.containerUnseen), at: .setup) },
        VerdictCase(
            "set-up", .setupError, "the worker was not ready after 10.0 s", .setup
        ) { $0.saw(.terminated(.setupDeadline), at: .setup) },
        VerdictCase(
            "shutdown", .wallTimeout, "the worker still ran after it was asked to end", .shutdown
        ) { $0.saw(.terminated(.shutdownDeadline), at: .shutdown) },
        VerdictCase(
            "host calls", .protocolError, "made more than 100,000 host calls", .entry
        ) { $0.saw(.terminated(.hostCallBound)) },
        VerdictCase("frames", .protocolError, "sent rubbish", .entry) {
            $0.saw(.terminated(.protocolError("sent rubbish")))
        },
        VerdictCase("set-up step", .setupError, "landlock: not permitted", .setup) {
            $0.saw(
                .setupFailed(SetupFailure(step: "landlock", sentence: "not permitted")), at: .setup)
        },
        VerdictCase("no plugin", .loadError, "x.so is not an ELF file", .inspect) {
            $0.saw(
                .loadFailed(LoadFailure(isMismatch: false, sentence: "x.so is not an ELF file")),
                at: .inspect)
        },
        VerdictCase("other major", .abiMismatch, "needs ABI 2", .load) {
            $0.saw(.loadFailed(LoadFailure(isMismatch: true, sentence: "needs ABI 2")), at: .load)
        },
    ]

    static let replies: [VerdictCase] = [
        VerdictCase(
            "42", .badReply, "bahost_install returned 42; allowed are 0 and negative numbers",
            .entry
        ) { $0.saw(.replied(.install, 42)) },
        VerdictCase(
            "2", .badReply,
            "bahost_download_finished returned 2; allowed are 0, 1 and negative numbers",
            .completion
        ) { $0.saw(.replied(.downloadFinished, 2)) },
        VerdictCase("-7", .pluginError, "bahost_update returned -7", .entry) {
            $0.saw(.replied(.update, -7))
        },
        VerdictCase(
            "-7 and one", .pluginError,
            "bahost_install returned -7; 1 collected request was discarded", .entry
        ) {
            $0.saw(.replied(.install, -7))
            $0.discardedRequests = 1
        },
        VerdictCase(
            "-7 and three", .pluginError,
            "bahost_install returned -7; 3 collected requests were discarded", .entry
        ) {
            $0.saw(.replied(.install, -7))
            $0.discardedRequests = 3
            $0.exited(0)
        },
    ]
}
