internal import ExtensionHost
internal import FaultServer
internal import HostEngine
internal import LinuxSystem
internal import URLPolicy
package import WireProtocol

/// What every case of the suite is run with.
package struct SuiteSettings: Hashable, Sendable {
    package var isolation: IsolationMode

    /// Layers to treat as refused by the kernel, by name.
    package var absentLayers: [String]
    package let workerPath: String
    package let runtimeFolders: [String]

    package init(
        isolation: IsolationMode, absentLayers: [String], workerPath: String,
        runtimeFolders: [String]
    ) {
        self.isolation = isolation
        self.absentLayers = absentLayers
        self.workerPath = workerPath
        self.runtimeFolders = runtimeFolders
    }
}

/// What came of one run of a case, before it is judged.
struct CaseRun {
    var observation = CaseObservation()

    /// True when the user's signal ended it.
    var wasInterrupted = false
    var minimumMemoryBytes: UInt64?
}

/// Runs cases in this process, one after the other, against the real engine.
struct CaseRunner {
    private let settings: SuiteSettings
    private let folder: SuiteFolder
    let library: HostileLibrary

    /// Serves what completions are about.
    private let server: FaultServer

    private static let served = "/file"
    private static let missing = "/missing"

    init(
        settings: SuiteSettings, librarySource: String, temporaryFolder: String
    ) throws(ConformanceError) {
        self.settings = settings
        // What has lost its parent comes to this process, and so is seen when it is left.
        try ConformanceError.whereNoRoom(ProcessConfinement.adoptOrphans)
        folder = try SuiteFolder(in: temporaryFolder)
        library = try HostileLibrary(source: librarySource, folder: folder.plugins)
        server = try ConformanceError.whereNoRoom { () throws(SystemError) in
            try FaultServer(routes: [
                CaseRunner.served: .honest(FaultContent(Array("a small file\n".utf8))),
                CaseRunner.missing: .status(404),
            ])
        }
    }

    /// Runs a case once.
    ///
    /// - Parameters:
    ///   - testCase: What to try.
    ///   - stop: The user's signals.
    /// - Returns: What was seen.
    /// - Throws: ``ConformanceError`` when it could not be tried at all.
    func run(
        _ testCase: ConformanceCase, stop: borrowing StopSignals
    ) throws(ConformanceError) -> CaseRun {
        let place = try folder.fresh()
        let request = try request(testCase, in: place)
        let meter =
            testCase.group == .memory
            ? try ConformanceError.whereNoRoom(MemoryMeter.started) : nil
        let before = Leftovers.now()
        let start = BootClock.now()
        var lines = LineTaker()
        let report = try CaseRunner.report(request, stop: stop) { lines.take($0) }
        var run = CaseRun()
        run.observation = CaseObservation(
            report, limit: request.limits.memoryBytes, launcher: testCase.launcher,
            meter: meter?.stop())
        run.observation.wallTime = BootClock.now() - start
        run.observation.attempts = lines.attempts
        run.observation.complaints = lines.complaints
        run.observation.isVictimUntouched = place.isVictimUntouched
        run.observation.leftovers = before.found(container: place.container)
        run.wasInterrupted = report.wasInterrupted
        run.minimumMemoryBytes = report.minimumMemoryBytes
        return run
    }

    private static func report(
        _ request: RunRequest, stop: borrowing StopSignals,
        observe: (RunNotice) -> Void
    ) throws(ConformanceError) -> RunReport {
        do throws(RunError) {
            return try withoutActuallyEscaping(observe) { observe throws(RunError) in
                try RunEngine.run(request, stop: stop, observe: observe)
            }
        } catch {
            throw ConformanceError(.notRunnable, error.message)
        }
    }

    private func request(
        _ testCase: ConformanceCase, in place: CaseFolder
    ) throws(ConformanceError) -> RunRequest {
        var request = RunRequest(
            pluginPath: try library.place(testCase, outside: place.outside),
            containerPath: place.container, statePath: place.state,
            workerPath: settings.workerPath, rules: CaseRunner.rules(testCase))
        request.limits = testCase.limits.worker
        request.writtenBytes = testCase.limits.writtenBytes
        request.wallBudget = testCase.limits.wall
        request.isolation = settings.isolation
        request.absentLayers = settings.absentLayers
        request.runtimeFolders = settings.runtimeFolders
        if testCase.place == .pack {
            request.event = .shouldDownload
            request.packs = try CaseRunner.packs(testCase)
        } else if testCase.place != .constructor {
            try SuiteFolder.write(
                place.manifest, Array(manifest(testCase, place).utf8), mode: 0o644)
            request.manifest = .file(place.manifest)
        }
        return request
    }

    /// Nothing but this machine is ever contacted: wishes for an address of no one's are collected
    /// and then discarded, because the technique fails.
    private static func rules(_ testCase: ConformanceCase) -> URLRules {
        let names = testCase.discardsItsWishes ? ["127.0.0.1", "example.com"] : ["127.0.0.1"]
        return URLRules(
            domains: DomainAllowList(names.compactMap { DomainPattern(untrusted: $0) }),
            addresses: AddressPolicy(allowsLoopback: true, allowsPrivate: false))
    }

    private static func packs(
        _ testCase: ConformanceCase
    ) throws(ConformanceError) -> [AssetPackDescription] {
        do throws(WireError) {
            return [try AssetPackDescription(identifier: testCase.identifier)]
        } catch {
            throw ConformanceError(.notRunnable, "\(error)")
        }
    }

    private func manifest(_ testCase: ConformanceCase, _ place: CaseFolder) -> String {
        switch testCase.place {
        case .finished: download(testCase, CaseRunner.served)
        case .failed: download(testCase, CaseRunner.missing)
        default: "\(testCase.line(outside: place.outside))\n"
        }
    }

    /// Asks for a file, by an identifier that is what the completion does.
    private func download(_ testCase: ConformanceCase, _ path: String) -> String {
        "schedule-lines\n\(testCase.identifier) 0 - \(server.url(path))\n"
    }
}

extension ConformanceCase {
    /// True when it ends by an error of the plugin's, with which all it asked for is discarded.
    var discardsItsWishes: Bool { expectation.verdicts == [.pluginError] }

    /// What a completion or a pack is called so that the library does the word.
    var identifier: String {
        if case .text(let number) = argument, word == "return" { return "return.\(number)" }
        return "sin.\(word)"
    }
}

extension CaseLauncher {
    /// The most that is believed of what a runtime has in writable pages of its own.
    ///
    /// 1.7 MiB and 5.2 MiB in a debug build.
    var mostReserveBytes: UInt64 {
        switch self {
        case .bare: 2 << 20
        case .swift: 8 << 20
        }
    }
}

extension CaseObservation {
    init(_ report: RunReport, limit: UInt64, launcher: CaseLauncher, meter: MeterReading?) {
        self.init()
        verdict = report.verdict
        detail = report.detail
        logBytes = report.log.reduce(0) { $0 + $1.utf8.count }
        layers = report.ready?.layers ?? []
        missing = report.ready?.missing ?? []
        memory.limit = limit
        memory.reserve = min(report.ready?.reserveBytes ?? 0, launcher.mostReserveBytes)
        workerTime = report.wallTime
        processorTime = report.cpuTime
        memory.sampled = report.peakBytes
        guard let meter else { return }
        memory.wasMetered = meter.wasSeen
        memory.believed = meter.believed
        memory.outside = meter.outside(baseline: report.baselineBytes)
        memory.kernel = meter.kernel
    }
}
