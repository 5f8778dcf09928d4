internal import ExtensionHost
internal import Sandbox

/// What stopped a technique, told by what was seen and not by what was expected.
package enum StopEvidence {
    /// The layer's name, `host` for the host's own budgets and checks, `itself` for a plugin that
    /// ended itself, nil when nothing had to be stopped.
    package static func stopper(of seen: CaseObservation) -> String? {
        switch seen.verdict {
        case .ok, .pluginError: return ofAttempts(seen) ?? ofComplaints(seen)
        case .badReply, .protocolError: return "host"
        case .loadError, .abiMismatch: return "load rules"
        case .policyViolation:
            return seen.isMissing(SandboxLayer.seccomp.rawValue) ? "worker" : "seccomp"
        case .memoryLimit: return ofMemory(seen)
        case .stackOverflow, .cpuLimit: return "rlimits"
        case .fileLimit: return seen.detail.contains("wrote past") ? "rlimits" : "host"
        case .processLimit: return seen.detail.contains("started a thread") ? "rlimits" : "host"
        case .wallTimeout: return "host"
        case .crash, .exitedEarly: return ofAttempts(seen) ?? "itself"
        case .killedExternal, .interrupted, .setupError, .internalError: return nil
        }
    }

    /// Told at once by the kernel, or seen by the host's samples.
    private static func ofMemory(_ seen: CaseObservation) -> String {
        if seen.detail.contains("cgroup") { return "cgroup" }
        return seen.detail.hasPrefix("held more") ? "host" : "rlimits"
    }

    /// The first refusal that a layer explains.
    private static func ofAttempts(_ seen: CaseObservation) -> String? {
        for case .refused(let what, let code) in seen.attempts {
            if let layer = layer(refusing: what, code, seen) { return layer }
        }
        return nil
    }

    private static func layer(
        refusing what: String, _ code: String, _ seen: CaseObservation
    ) -> String? {
        func present(_ layer: SandboxLayer) -> String? {
            seen.layers.contains(layer.rawValue) ? layer.rawValue : nil
        }
        if Int(code) != nil { return "host" }
        switch code {
        case "ENOSYS": return present(.seccomp) ?? "kernel"
        case "EPERM": return present(.seccomp) ?? present(.capabilities) ?? "kernel"
        case "EACCES": return present(.landlock) ?? "file rights"
        case "EXDEV", "EROFS": return present(.landlock) ?? present(.mountNamespace) ?? "kernel"
        case "ESRCH": return present(.pidNamespace) ?? "kernel"
        case "ENOENT":
            let isProcess = what.contains("/proc")
            return (isProcess ? present(.pidNamespace) : nil) ?? present(.mountNamespace)
                ?? "kernel"
        case "ENETUNREACH", "ECONNREFUSED", "EADDRNOTAVAIL":
            return present(.networkNamespace) ?? "kernel"
        case "EMFILE", "EAGAIN", "ENOMEM", "EFBIG", "ENFILE": return present(.rlimits) ?? "kernel"
        default: return "kernel"
        }
    }

    /// A technique that holds memory says what did not work in words of the C library.
    private static func ofComplaints(_ seen: CaseObservation) -> String? {
        let maps = ["munmap", "mprotect", "mremap", "madvise", "mmap"]
        for line in seen.complaints where line.hasSuffix("Operation not permitted") {
            if maps.contains(where: line.hasPrefix) {
                return seen.layers.contains("sealing") ? "sealing" : "seccomp"
            }
            return "seccomp"
        }
        if seen.complaints.contains(where: { $0.hasSuffix("Function not implemented") }) {
            return "seccomp"
        }
        if seen.complaints.contains(where: { $0.hasSuffix("Permission denied") }) {
            return seen.layers.contains("landlock") ? "landlock" : "file rights"
        }
        // It filled what it may and got no further.
        return seen.memory.held > seen.memory.limit / 2 ? "rlimits" : nil
    }
}
