internal import LinuxSystem
internal import WireProtocol

/// What the facts mean: a value of values, without a look at the machine.
package struct DoctorFindings: Hashable, Sendable {
    package private(set) var all: [Finding] = []

    /// Whether `bahost run` with that isolation can run here.
    package private(set) var canRun = false

    /// Whether `--isolation full` can; nil when the worker has not told.
    package private(set) var canRunFull: Bool?

    package init(_ facts: DoctorFacts) {
        addLayers(facts)
        addPromises(facts)
        addPrograms(facts)
        addMachine(facts)
        addFolders(facts)
    }

    /// True when something is as it must not be.
    package var hasProblem: Bool { all.contains { $0.level == .problem } }

    mutating func add(
        _ group: Finding.Group, _ subject: String, _ level: Finding.Level, _ message: String,
        advice: String? = nil
    ) {
        all.append(Finding(group, subject, level, message, advice: advice))
    }

    // MARK: - Layers

    /// Every layer by its name, in the order of docs/operator.md.
    package static let layers = [
        "rlimits", "seccomp", "no-new-privileges", "capabilities", "landlock", "identity",
        "user-namespace", "mount-namespace", "pid-namespace", "network-namespace",
        "ipc-namespace", "sealing", "fence", "cgroup",
    ]

    /// Without these a run does not keep what it promises of files, memory and calls.
    private static let loadBearing: Set<String> = [
        "rlimits", "seccomp", "no-new-privileges", "capabilities", "landlock",
    ]

    /// Not even part of `full`.
    private static func isExtra(_ layer: String, user: UInt32) -> Bool {
        layer == "cgroup" || (layer == "identity" && user != 0)
    }

    /// Whether nothing is missing that `--isolation full` asks for.
    static func isFull(_ ready: WorkerReady, user: UInt32) -> Bool {
        ready.missing.allSatisfy { isExtra($0.layer, user: user) }
    }

    private mutating func addLayers(_ facts: DoctorFacts) {
        for name in facts.absentLayers where !DoctorFindings.layers.contains(name) {
            add(
                .layers, name, .note, "BAHOST_ABSENT_LAYERS names it, and there is no such layer",
                advice: "the names are \(DoctorFindings.layers.joined(separator: ", "))")
        }
        guard case .ready(let ready) = facts.probe else { return }
        for layer in DoctorFindings.layers {
            if ready.layers.contains(layer) {
                add(.layers, layer, .ok, DoctorFindings.inForce(layer, facts))
            } else if layer == "identity", facts.user != 0 {
                add(
                    .layers, layer, .ok, "not for an ordinary user, whose workers are the same user"
                )
            } else {
                let why =
                    ready.missing.first { $0.layer == layer }?.why ?? "the worker has not told"
                add(
                    .layers, layer, level(of: layer, facts), "missing: \(why)",
                    advice: LayerAdvice(facts).advice(for: layer, why: why))
            }
        }
    }

    private func level(of layer: String, _ facts: DoctorFacts) -> Finding.Level {
        if layer == "cgroup" { return .note }
        switch facts.isolation {
        case .full: return .problem
        case .automatic: return DoctorFindings.loadBearing.contains(layer) ? .problem : .note
        case .basic:
            let isBasic = DoctorFindings.loadBearing.contains(layer) && layer != "landlock"
            return isBasic ? .problem : .note
        }
    }

    private static func inForce(_ layer: String, _ facts: DoctorFacts) -> String {
        if layer == "cgroup" { return "possible for a host of many runs; bahost run does without" }
        guard layer == "landlock", let version = facts.security.landlockVersion else {
            return "in force"
        }
        let later = [
            (2, "moving files between folders (5.19)"), (3, "truncating (6.2)"),
            (4, "TCP ports (6.7)"), (5, "device controls (6.10)"),
            (6, "abstract sockets and signals (6.12)"),
        ].filter { $0.0 > version }.map(\.1)
        let without = later.isEmpty ? "" : ", without \(later.joined(separator: ", "))"
        return "in force, ABI \(version)\(without)"
    }

    // MARK: - Promises

    private mutating func addPromises(_ facts: DoctorFacts) {
        switch facts.probe {
        case .failed(let why):
            add(
                .promises, "run", .problem, "a run cannot start: \(why)",
                advice: facts.programs.worker == nil
                    ? "make install puts bahost-worker in place; BAHOST_WORKER names another" : nil)
        case .ready(let ready):
            canRun = true
            addRun(ready, facts)
            addMemoryPromise(ready, facts)
        }
    }

    private mutating func addRun(_ ready: WorkerReady, _ facts: DoctorFacts) {
        let word = facts.isolation.word
        add(.promises, "run", .ok, "bahost run --isolation \(word) runs here")
        guard facts.isolation != .basic else {
            add(
                .promises, "files", .note, "files are not confined, and memory is not sealed",
                advice: "leave --isolation basic out")
            return
        }
        let missing = ready.missing.map(\.layer).filter {
            !DoctorFindings.isExtra($0, user: facts.user)
        }
        canRunFull = missing.isEmpty
        let list = missing.joined(separator: ", ")
        add(
            .promises, "full", missing.isEmpty ? .ok : .note,
            missing.isEmpty
                ? "--isolation full is possible"
                : "--isolation full is not possible: without \(list)")
    }

    /// Above, it is none: the kernel says so with the largest number.
    private static let mostLimitBytes: UInt64 = 1 << 50

    private mutating func addMemoryPromise(_ ready: WorkerReady, _ facts: DoctorFacts) {
        let limit = ready.inForce.memoryBytes
        guard limit <= DoctorFindings.mostLimitBytes else {
            return add(
                .promises, "memory", .problem, "there is no limit on memory", advice: "see rlimits")
        }
        let size = ByteCount(bytes: MemoryPromise.bytes(limit: limit) ?? limit)
        let bound =
            "with a limit of \(ByteCount(bytes: limit)) nothing holds more than \(size) "
            + "and the reserve of \(ByteCount(bytes: ready.reserveBytes))"
        guard !ready.layers.contains("sealing") else {
            return add(.promises, "memory", .ok, bound)
        }
        add(
            .promises, "memory", .note,
            "\(bound); unsealed, for about 2 ms at a time also what of runtime and plugin is "
                + "read-only", advice: facts.isolation == .basic ? nil : "see sealing")
    }
}
