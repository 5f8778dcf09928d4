internal import ExtensionHost
internal import Sandbox

/// What stopped a technique, told by what was seen and not by what was expected.
package enum StopEvidence {
    /// The layer's name, `host` for the host's own budgets and checks, `itself` for a plugin that
    /// ended itself, nil when nothing had to be stopped.
    ///
    /// - Parameters:
    ///   - testCase: Where an error fits several layers, the one that its walls name.
    ///   - seen: The run.
    /// - Returns: The word of the table and the record.
    package static func stopper(
        of testCase: ConformanceCase, _ seen: CaseObservation
    ) -> String? {
        let walls = testCase.walls.flatMap { $0 }
        switch seen.verdict {
        case .ok, .pluginError:
            guard testCase.expectation.attempts != .allowed else { return nil }
            return ofAttempts(seen, walls) ?? ofComplaints(seen)
        case .badReply, .protocolError: return "host"
        case .loadError, .abiMismatch: return "load rules"
        case .policyViolation:
            return seen.isMissing(SandboxLayer.seccomp.rawValue) ? "worker" : "seccomp"
        case .memoryLimit: return ofMemory(seen)
        case .stackOverflow, .cpuLimit: return "rlimits"
        case .fileLimit: return seen.detail.contains("wrote past") ? "rlimits" : "host"
        case .processLimit: return seen.detail.contains("started a thread") ? "rlimits" : "host"
        case .wallTimeout: return "host"
        case .crash, .exitedEarly: return ofAttempts(seen, walls) ?? "itself"
        case .killedExternal, .interrupted, .setupError, .internalError: return nil
        }
    }

    /// Told at once by the kernel, or seen by the host's samples.
    private static func ofMemory(_ seen: CaseObservation) -> String {
        if seen.detail.contains("cgroup") { return "cgroup" }
        return seen.detail.hasPrefix("held more") ? "host" : "rlimits"
    }

    /// The first refusal that a layer explains.
    private static func ofAttempts(
        _ seen: CaseObservation, _ walls: [SandboxLayer]
    ) -> String? {
        for case .refused(let what, let code) in seen.attempts {
            if let layer = layer(refusing: what, code, seen, walls) { return layer }
        }
        return nil
    }

    private static func layer(
        refusing what: String, _ code: String, _ seen: CaseObservation, _ walls: [SandboxLayer]
    ) -> String? {
        if Int(code) != nil { return "host" }
        let fitting = layers(refusing: what, code).filter { seen.layers.contains($0.rawValue) }
        let layer = fitting.first(where: walls.contains) ?? fitting.first
        return layer?.rawValue ?? (code == "EACCES" ? "file rights" : "kernel")
    }

    /// Those that give this error, the likeliest first.
    private static func layers(refusing what: String, _ code: String) -> [SandboxLayer] {
        switch code {
        case "ENOSYS": [.seccomp]
        case "EPERM": [.seccomp, .capabilities, .sealing, .rlimits]
        case "EACCES": [.landlock]
        case "EXDEV": [.landlock, .mountNamespace]
        case "EROFS": [.mountNamespace]
        case "ESRCH": [.pidNamespace]
        case "ENOENT" where what.contains("/proc"): [.pidNamespace, .mountNamespace]
        case "ENOENT": [.mountNamespace]
        case "ENETUNREACH", "ECONNREFUSED", "EADDRNOTAVAIL": [.networkNamespace]
        case "EMFILE", "EAGAIN", "ENOMEM", "EFBIG", "ENFILE": [.rlimits]
        default: []
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
