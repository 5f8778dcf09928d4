internal import CommandLineOptions
internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// What `bahost doctor` shows; as JSON docs/schema/doctor-1.json.
struct DoctorReport: Hashable, Sendable, Encodable {
    struct Isolation: Hashable, Sendable, Encodable {
        let mode: String
        var layers: [String] = []
        var missing: [RunRecord.MissingLayer] = []

        /// What `BAHOST_ABSENT_LAYERS` names.
        let absentLayers: [String]
    }

    struct Memory: Hashable, Sendable, Encodable {
        let limitBytes: UInt64
        @Nullable var promiseBytes: UInt64?
        let runtimeReserveBytes: UInt64
        let isSealed: Bool
    }

    struct Machine: Hashable, Sendable, Encodable {
        let kernel: String
        let architecture: String
        let glibc: String
        let pageBytes: Int
        let isRoot: Bool
        let memoryBytes: UInt64
        let swapBytes: UInt64
        @Nullable var landlockVersion: Int32?
    }

    let schema = 1
    let status: Int32
    let canRun: Bool
    @Nullable var canRunFull: Bool?
    let isolation: Isolation
    @Nullable var memory: Memory?
    let machine: Machine
    let findings: [Finding]

    init(_ facts: DoctorFacts, _ findings: DoctorFindings) {
        status = (findings.hasProblem ? ExitStatus.failed : .ok).number
        canRun = findings.canRun
        _canRunFull = Nullable(wrappedValue: findings.canRunFull)
        var isolation = Isolation(
            mode: facts.isolation.word, absentLayers: facts.absentLayers)
        var memory: Memory?
        if case .ready(let ready) = facts.probe {
            isolation.layers = ready.layers
            isolation.missing = ready.missing.map { RunRecord.MissingLayer($0) }
            let limit = ready.inForce.memoryBytes
            memory = Memory(
                limitBytes: limit, promiseBytes: MemoryPromise.bytes(limit: limit),
                runtimeReserveBytes: ready.reserveBytes,
                isSealed: ready.layers.contains("sealing"))
        }
        self.isolation = isolation
        _memory = Nullable(wrappedValue: memory)
        machine = Machine(
            kernel: facts.kernel.release, architecture: facts.kernel.architecture,
            glibc: facts.glibc, pageBytes: facts.pageBytes, isRoot: facts.user == 0,
            memoryBytes: facts.memory.totalBytes, swapBytes: facts.memory.swapBytes,
            landlockVersion: facts.security.landlockVersion)
        self.findings = findings.all
    }

    /// For people: a line for each finding, and one below it that says what to do.
    var text: String {
        var lines: [String] = []
        for group in Finding.Group.allCases {
            let shown = findings.filter { $0.group == group }
            guard !shown.isEmpty else { continue }
            lines.append(group == .layers ? "layers (\(isolation.mode))" : group.rawValue)
            for finding in shown { lines += DoctorReport.lines(of: finding) }
        }
        if !isolation.absentLayers.isEmpty {
            let names = isolation.absentLayers.joined(separator: ",")
            lines.append("BAHOST_ABSENT_LAYERS=\(TerminalText.escape(names)): treated as absent")
        }
        lines.append(verdict)
        return lines.map { $0 + "\n" }.joined()
    }

    private static func lines(of finding: Finding) -> [String] {
        let mark =
            switch finding.level {
            case .ok: "✔"
            case .note: "!"
            case .problem: "✘"
            }
        let line = "  \(mark) " + TerminalText.escape("\(finding.subject): \(finding.message)")
        return [line] + (finding.advice.map { ["      → " + TerminalText.escape($0)] } ?? [])
    }

    private var verdict: String {
        let problems = findings.filter { $0.level == .problem }.map(\.subject)
        guard problems.isEmpty else {
            return "✘ not as it must be: "
                + TerminalText.escape(problems.joined(separator: ", "))
        }
        let notes = findings.filter { $0.level == .note }.count
        return notes == 0 ? "✔ all is well" : "✔ bahost run works here, with \(notes) notes"
    }
}
