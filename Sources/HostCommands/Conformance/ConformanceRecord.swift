internal import Conformance
internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// What `bahost conformance --json` prints.
struct ConformanceRecord: Hashable, Sendable, Encodable {
    var schema = 1
    var machine: Machine
    var isolation: RunRecord.Isolation
    @Nullable var withoutSwift: String?
    var cases: [Case]
    var totals: Totals
    var interrupted: Bool
    var wallTimeMs: Int64

    struct Machine: Hashable, Sendable, Encodable {
        var kernel: String
        var architecture: String
        var processors: Int
        var memoryBytes: Int64
        var root: Bool
    }

    struct Case: Hashable, Sendable, Encodable {
        var number: String
        var group: String
        var technique: String
        var place: String
        var launcher: String
        var limits: Limits
        var memory: Memory
        var attempts: [Attempt]
        @Nullable var stoppedBy: String?
        @Nullable var verdict: String?
        @Nullable var detail: String?
        var result: String
        @Nullable var reason: String?
        @Nullable var wallTimeMs: Int64?
    }

    /// What the worker ran under.
    struct Limits: Hashable, Sendable, Encodable {
        var memoryBytes: Int64
        var stackBytes: Int64
        var wallTimeMs: Int64
        var cpuTimeMs: Int64
        var fileSizeBytes: Int64
        var writtenBytes: Int64
        var openFiles: Int64
        var threads: Int64
    }

    /// What the technique said of one thing that it tried.
    struct Attempt: Hashable, Sendable, Encodable {
        var what: String
        var result: String
        @Nullable var code: String?
    }

    struct Memory: Hashable, Sendable, Encodable {
        var limitBytes: Int64
        @Nullable var promiseBytes: Int64?
        @Nullable var heldBytes: Int64?
        @Nullable var believedBytes: Int64?
        @Nullable var sampledBytes: Int64?
        @Nullable var outsideBytes: Int64?
        @Nullable var kernelBytes: Int64?
    }

    struct Totals: Hashable, Sendable, Encodable {
        var cases: Int
        var techniques: Int
        var passed: Int
        var failed: Int
        var notApplicable: Int
        var notTried: Int
    }
}

extension ConformanceRecord {
    init(
        _ outcomes: [CaseOutcome], of count: Int, finding: MachineFinding, mode: IsolationMode,
        wallTime: Duration, wasInterrupted: Bool
    ) {
        let totals = ConformanceTotals(outcomes)
        self.init(
            machine: Machine(MachineFacts.read()),
            isolation: RunRecord.Isolation(
                mode: mode.word, layers: finding.layers,
                missing: finding.missing.map { RunRecord.MissingLayer($0) }),
            withoutSwift: finding.withoutSwift, cases: outcomes.map { Case($0) },
            totals: Totals(
                cases: totals.cases, techniques: totals.techniques, passed: totals.passed,
                failed: totals.failed, notApplicable: totals.notApplicable,
                notTried: count - totals.cases),
            interrupted: wasInterrupted, wallTimeMs: wallTime.wholeMilliseconds)
    }
}

extension ConformanceRecord.Machine {
    init(_ facts: MachineFacts) {
        self.init(
            kernel: facts.kernel, architecture: facts.architecture,
            processors: facts.processors, memoryBytes: Int64(clamping: facts.memoryBytes),
            root: facts.isRoot)
    }
}

extension ConformanceRecord.Case {
    init(_ outcome: CaseOutcome) {
        let testCase = outcome.testCase
        let seen = outcome.observation
        self.init(
            number: testCase.number, group: testCase.group.rawValue,
            technique: testCase.technique, place: testCase.place.rawValue,
            launcher: testCase.launcher.rawValue,
            limits: ConformanceRecord.Limits(testCase.limits),
            memory: ConformanceRecord.Memory(
                limitBytes: Int64(clamping: testCase.limits.worker.memoryBytes)),
            attempts: (seen?.attempts ?? []).map { ConformanceRecord.Attempt($0) },
            stoppedBy: outcome.stopper, verdict: seen?.verdict.rawValue, detail: seen?.detail,
            result: outcome.result.word, reason: outcome.result.reason,
            wallTimeMs: seen?.wallTime.wholeMilliseconds)
        guard let held = seen?.memory else { return }
        memory.promiseBytes = Int64(clamping: held.promise)
        memory.heldBytes = Int64(clamping: held.held)
        memory.believedBytes = held.believed.map { Int64(clamping: $0) }
        memory.sampledBytes = Int64(clamping: held.sampled)
        memory.outsideBytes = Int64(clamping: held.outside)
        memory.kernelBytes = Int64(clamping: held.kernel)
    }
}

extension ConformanceRecord.Limits {
    init(_ limits: CaseLimits) {
        let worker = limits.worker
        self.init(
            memoryBytes: Int64(clamping: worker.memoryBytes),
            stackBytes: Int64(clamping: worker.stackBytes),
            wallTimeMs: limits.wall.wholeMilliseconds,
            cpuTimeMs: Duration.seconds(Int64(clamping: worker.cpuSeconds)).wholeMilliseconds,
            fileSizeBytes: Int64(clamping: worker.fileSizeBytes),
            writtenBytes: Int64(clamping: limits.writtenBytes),
            openFiles: Int64(clamping: worker.openFiles),
            threads: Int64(clamping: worker.threads))
    }
}

extension ConformanceRecord.Attempt {
    init(_ attempt: Attempt) {
        switch attempt {
        case .allowed(let what): self.init(what: what, result: "allowed")
        case .refused(let what, let code): self.init(what: what, result: "refused", code: code)
        case .hole(let what): self.init(what: what, result: "hole")
        case .notHere(let what): self.init(what: what, result: "not-here")
        }
    }
}
