internal import Glibc
internal import LinuxSystem

/// Numbers as sentences show them.
package enum Words {
    /// `6,291,456`.
    package static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// `2.0 s`; below one second `250 ms`.
    static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }

    /// `SIGSEGV`; a number without a name is shown as `signal 40`.
    static func signal(_ number: Int32) -> String {
        let names: [Int32: String] = [
            SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL",
            SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
            SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2",
            SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU",
            SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM", SIGPROF: "SIGPROF", SIGSYS: "SIGSYS",
        ]
        return names[number] ?? "signal \(number)"
    }

    /// True for the system calls that start a process or a program.
    static func startsProcess(_ call: String) -> Bool {
        ["fork", "vfork", "clone", "clone3", "execve", "execveat"].contains(call)
    }

    /// Why a system call is not for plugins.
    static func refusal(of call: String) -> String {
        switch call {
        case "ptrace", "process_vm_readv", "process_vm_writev":
            "plugins may not look into processes"
        default: "plugins may not make this call"
        }
    }
}
