internal import Digests
internal import DownloadScheduler
internal import ExtensionHost
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

extension RunRecord {
    /// The record of a run that took place.
    init(_ report: RunReport, request: RunRequest, options: RunOptions) {
        self.init(
            plugin: request.pluginPath, event: request.event.rawValue, result: report.verdict,
            memoryLimitBytes: Int64(clamping: request.limits.memoryBytes),
            isolationMode: request.isolation.word)
        detail = report.detail
        stage = report.stage
        worker = Worker(exitCode: report.exitCode, signal: report.signal)
        wallTimeMs = report.wallTime.wholeMilliseconds
        cpuTimeMs = report.cpuTime.wholeMilliseconds
        if let ready = report.ready { describe(ready, report) }
        limits = Limits(request: request, ready: report.ready)
        downloads = report.downloads.map { Download($0, in: request.containerPath) }
        refused = report.refused.map { Refusal($0) }
        packs = report.packs.map { Pack($0) }
        log = report.log
    }

    private mutating func describe(_ ready: WorkerReady, _ report: RunReport) {
        memory.baselineBytes = Int64(clamping: report.baselineBytes)
        memory.runtimeReserveBytes = Int64(clamping: ready.reserveBytes)
        memory.peakBytes = Int64(clamping: report.peakBytes)
        memory.peakSource = report.peakSource.rawValue
        isolation.layers = ready.layers
        isolation.missing = ready.missing.map { MissingLayer($0) }
    }
}

extension RunRecord.MissingLayer {
    init(_ missing: WireProtocol.MissingLayer) {
        self.init(layer: missing.layer, why: missing.why)
    }
}

extension RunRecord.Limits {
    init(request: RunRequest, ready: WorkerReady?) {
        self.init()
        let asked = request.limits
        let held = ready?.inForce
        func limit(
            _ key: KeyPath<WorkerLimits, UInt64>, _ layer: String, scale: UInt64 = 1
        ) -> RunRecord.Limit {
            // The kernel's word for none: nothing holds it.
            let inForce = held.map { $0[keyPath: key] }.flatMap { $0 == .max ? nil : $0 }
            return RunRecord.Limit(
                asked: RunRecord.scaled(asked[keyPath: key], scale),
                inForce: inForce.map { RunRecord.scaled($0, scale) },
                layer: inForce == nil ? nil : layer)
        }
        memoryBytes = limit(\.memoryBytes, "rlimits")
        stackBytes = limit(\.stackBytes, "rlimits")
        fileSizeBytes = limit(\.fileSizeBytes, "rlimits")
        openFiles = limit(\.openFiles, "rlimits")
        cpuTimeMs = limit(\.cpuSeconds, "rlimits", scale: 1000)
        let layers = Set(ready?.layers ?? [])
        let isCounted = layers.isSuperset(of: ["rlimits", "user-namespace"])
        threads = limit(\.threads, isCounted ? "rlimits" : "allocator")
        let written = Int64(clamping: request.writtenBytes)
        writtenBytes = RunRecord.Limit(asked: written, inForce: written, layer: "host")
        let wall = request.wallBudget.wholeMilliseconds
        wallTimeMs = RunRecord.Limit(asked: wall, inForce: wall, layer: "host")
    }
}

extension RunRecord {
    /// `number * scale`, or the greatest number where that is too large.
    fileprivate static func scaled(_ number: UInt64, _ scale: UInt64) -> Int64 {
        let (product, overflow) = number.multipliedReportingOverflow(by: scale)
        return Int64(clamping: overflow ? .max : product)
    }
}

extension RunRecord.Download {
    init(_ record: DownloadRecord, in container: String) {
        self.init(
            identifier: record.identifier, kind: record.kind == .manifest ? .manifest : .url,
            url: record.url, state: RunRecord.State(record.state), essential: record.isEssential,
            bytes: Int64(clamping: record.receivedBytes))
        sha256 = record.resultSha256.map(SHA256Digest.hex)
        path = record.finishedPath.map { "\(container)/\($0)" }
        error = record.error.map { RunRecord.Failure($0) }
    }
}

extension RunRecord.Pack {
    init(_ answer: PackAnswer) {
        self.init(identifier: answer.identifier, shouldDownload: answer.shouldDownload)
        if case .returned(let status) = answer.reply { code = status }
    }
}

extension RunRecord.State {
    init(_ state: DownloadState) {
        self =
            switch state {
            case .created: .created
            case .waiting: .waiting
            case .downloading: .downloading
            case .paused: .paused
            case .finished: .finished
            case .failed: .failed
            case .cancelled: .cancelled
            }
    }
}

extension RunRecord.Failure {
    init(_ failure: DownloadFailure) {
        let domain: RunRecord.Domain =
            switch failure.domain {
            case .apple: .apple
            case .bahost: .bahost
            case .http: .http
            case .transport: .transport
            case .errno: .errno
            }
        self.init(
            domain: domain, code: failure.code,
            name: RunRecord.Failure.name(of: failure), message: failure.message)
    }

    /// For people.
    var sentence: String { "\(message) (\(name))" }

    private static func name(of failure: DownloadFailure) -> String {
        switch failure.domain {
        case .apple, .bahost: RefusalCode(rawValue: failure.code)?.name ?? "\(failure.code)"
        case .http: "http\(failure.code)"
        case .transport: "transport\(failure.code)"
        case .errno: "errno\(failure.code)"
        }
    }
}

extension RunRecord.Refusal {
    init(_ refusal: ExtensionHost.Refusal) {
        self.init(
            identifier: refusal.identifier,
            domain: refusal.domain == .apple ? .apple : .bahost, code: refusal.code.rawValue,
            name: refusal.name, message: refusal.message)
    }
}

extension IsolationMode {
    /// As the option has it.
    package var word: String {
        switch self {
        case .basic: "basic"
        case .automatic: "auto"
        case .full: "full"
        }
    }
}
