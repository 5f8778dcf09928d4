internal import ExtensionHost
internal import Glibc
internal import HostEngine
package import LinuxSystem
internal import Sandbox
package import WireProtocol

/// What came of one case, and what it was judged by.
package struct CaseOutcome: Hashable, Sendable {
    package let testCase: ConformanceCase
    package let result: CaseResult

    /// Nil when it was not tried.
    package let observation: CaseObservation?

    package init(
        _ testCase: ConformanceCase, _ result: CaseResult, _ observation: CaseObservation? = nil
    ) {
        self.testCase = testCase
        self.result = result
        self.observation = observation
    }

    /// What stopped it; nil when nothing had to, or it was not tried.
    package var stopper: String? {
        observation.flatMap { StopEvidence.stopper(of: testCase, $0) }
    }
}

/// What the machine gives, found by a plugin that does no wrong.
package struct MachineFinding: Hashable, Sendable {
    package var layers: [String] = []
    package var missing: [MissingLayer] = []

    /// Why plugins in Swift cannot be run; nil when they can.
    package var withoutSwift: String?

    package init() {}
}

/// The whole suite: tells each outcome as it comes.
package struct ConformanceSuite {
    /// Tries of a case that only the kernel's memory, which is the whole machine's, lets fail.
    private static let mostTries = 3

    private let runner: CaseRunner
    package let machine: MachineFinding

    /// Finds out what the machine gives.
    ///
    /// - Parameters:
    ///   - settings: What every case is run with.
    ///   - librarySource: The folder with the suite's plugins.
    ///   - temporaryFolder: Where its private folder is made.
    ///   - memoryBytes: The limit of most cases.
    ///   - stop: The user's signals.
    /// - Throws: ``ConformanceError`` when there is nothing to try, or nothing can be tried.
    package init(
        settings: SuiteSettings, librarySource: String, temporaryFolder: String,
        memoryBytes: UInt64, stop: borrowing StopSignals
    ) throws(ConformanceError) {
        runner = try CaseRunner(
            settings: settings, librarySource: librarySource, temporaryFolder: temporaryFolder)
        var machine = MachineFinding()
        var hello = Catalogue.hello(memoryBytes: memoryBytes)
        let bare = try ConformanceSuite.probe(hello, runner, stop: stop)
        machine.layers = bare.layers
        machine.missing = bare.missing
        hello.launcher = .swift
        if settings.runtimeFolders.isEmpty {
            machine.withoutSwift = "there is no Swift runtime"
        } else {
            _ = try ConformanceSuite.probe(hello, runner, stop: stop)
        }
        self.machine = machine
    }

    private static func probe(
        _ hello: ConformanceCase, _ runner: CaseRunner, stop: borrowing StopSignals
    ) throws(ConformanceError) -> CaseObservation {
        let run = try runner.run(hello, stop: stop)
        if let minimum = run.minimumMemoryBytes {
            throw ConformanceError(
                .limitTooSmall,
                WorkerLimits.tooLittle(
                    memoryBytes: hello.limits.worker.memoryBytes, minimum: minimum))
        }
        guard run.observation.verdict == .ok || run.wasInterrupted else {
            throw ConformanceError(
                .notRunnable,
                "a plugin that does no wrong (\(hello.launcher.rawValue)) ended with "
                    + "\(run.observation.verdict.rawValue): \(run.observation.detail)")
        }
        return run.observation
    }

    /// Tries the cases in order.
    ///
    /// - Parameters:
    ///   - cases: All of them get an outcome, unless the user stops it.
    ///   - stop: The user's signals.
    ///   - tell: Told of each outcome.
    /// - Returns: False when the user stopped it.
    /// - Throws: ``ConformanceError`` when a case could not be tried for want of room.
    package func run(
        _ cases: [ConformanceCase], stop: borrowing StopSignals, tell: (CaseOutcome) -> Bool
    ) throws(ConformanceError) -> Bool {
        for testCase in cases {
            guard stop.next() == nil else { return false }
            if let reason = try obstacle(to: testCase) {
                guard tell(CaseOutcome(testCase, .notApplicable(reason))) else { return true }
                continue
            }
            guard let outcome = try outcome(of: testCase, stop: stop) else { return false }
            guard tell(outcome) else { return true }
        }
        return true
    }

    /// Why a case is not tried; nil when it is.
    ///
    /// Only one file may be missing: what it needs is not on every machine that builds the suite.
    private func obstacle(
        to testCase: ConformanceCase
    ) throws(ConformanceError) -> String? {
        if testCase.launcher == .swift, let reason = machine.withoutSwift { return reason }
        if let layer = testCase.harmsWithout,
            let missing = machine.missing.first(where: { $0.layer == layer.rawValue })
        {
            return "not tried: it would do harm without \(missing.layer) (\(missing.why))"
        }
        let name = HostileLibrary.name(of: testCase)
        guard !runner.library.has(name) else { return nil }
        guard testCase.shape == "needs-icu" else {
            throw ConformanceError(.libraryMissing, "\(name) of the suite is missing")
        }
        return "the suite was built on a machine without what this file needs"
    }

    /// Nil when the user stopped it.
    private func outcome(
        of testCase: ConformanceCase, stop: borrowing StopSignals
    ) throws(ConformanceError) -> CaseOutcome? {
        var best: CaseObservation?
        for _ in 0..<ConformanceSuite.mostTries {
            let run = try runner.run(testCase, stop: stop)
            guard !run.wasInterrupted else { return nil }
            let seen = run.observation
            guard ConformanceJudge.isOnlyKernelMemory(testCase, seen) else {
                best = seen
                break
            }
            if seen.memory.kernel <= best?.memory.kernel ?? .max { best = seen }
        }
        return best.map { CaseOutcome(testCase, ConformanceJudge.judge(testCase, $0), $0) }
    }
}
