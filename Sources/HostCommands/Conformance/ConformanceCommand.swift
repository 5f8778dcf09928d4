internal import CommandLineOptions
internal import Conformance
internal import HostEngine
internal import LinuxSystem

/// `bahost conformance`: from the options to the exit status.
struct ConformanceCommand {
    let options: ConformanceOptions
    let surroundings: Surroundings

    /// What every case has without `--memory`.
    private static let memory = ByteCount.mebibytes(6)

    func execute() -> ExitStatus {
        do {
            try ProcessConfinement.hideMemory()
            return try run(stop: StopSignals())
        } catch let error as RunError {
            return fail(error.message, .setupError)
        } catch let error as ConformanceError {
            return fail(error.message, ConformanceCommand.status(of: error.code))
        } catch let error as CommandLineOptionsError {
            return fail(error.message, .usage)
        } catch {
            return fail("\(error)", .internalError)
        }
    }

    private static func status(of code: ConformanceError.Code) -> ExitStatus {
        switch code {
        case .libraryMissing, .notRunnable: .setupError
        case .noRoom: .outputFailed
        case .limitTooSmall: .usage
        }
    }

    private func run(stop: borrowing StopSignals) throws -> ExitStatus {
        let cases = try chosenCases()
        let report = try junitFile()
        let start = BootClock.now()
        let suite = try ConformanceSuite(
            settings: settings(), librarySource: surroundings.conformanceFolder(),
            temporaryFolder: PathText.absolute(surroundings.temporaryFolder, in: "/"),
            memoryBytes: memory.bytes, stop: stop)
        let display = ConformanceDisplay(cases, isJSON: options.isJSON)
        display.begin()
        let end = ConformanceCommand.tryAll(cases, of: suite, stop: stop, display)
        let wallTime = BootClock.now() - start
        let record = ConformanceRecord(
            display.outcomes, of: cases.count, finding: suite.machine, mode: options.isolation,
            wallTime: wallTime, wasInterrupted: end != .whole)
        let status = display.finish(record, wallTime: wallTime)
        if let report {
            try report.write(
                JUnitReport.text(of: display.outcomes, notTried: display.notTried))
        }
        if case .failed(let error) = end { throw error }
        return status
    }

    /// How the cases came to an end.
    private enum End: Equatable {
        case whole
        case interrupted
        case failed(ConformanceError)
    }

    /// What was tried before an error is told like all else.
    private static func tryAll(
        _ cases: [ConformanceCase], of suite: ConformanceSuite, stop: borrowing StopSignals,
        _ display: ConformanceDisplay
    ) -> End {
        do throws(ConformanceError) {
            return try suite.run(cases, stop: stop) { display.show($0) } ? .whole : .interrupted
        } catch {
            return .failed(error)
        }
    }

    private var memory: ByteCount { options.memory ?? ConformanceCommand.memory }

    private func chosenCases() throws(CommandLineOptionsError) -> [ConformanceCase] {
        let all = Catalogue.cases(memoryBytes: memory.bytes, isWide: options.memory == nil)
        guard !options.filters.isEmpty else { return all }
        let chosen = all.filter { testCase in options.filters.contains(where: testCase.matches) }
        guard !chosen.isEmpty else {
            let words = options.filters.map { QuotedWord.quote($0) }.joined(separator: ", ")
            throw CommandLineOptionsError(
                .badValue, program: OptionTable.conformance.program,
                message: "--filter: no technique fits \(words)")
        }
        return chosen
    }

    private func settings() throws(RunError) -> SuiteSettings {
        SuiteSettings(
            isolation: options.isolation, absentLayers: surroundings.absentLayers,
            workerPath: try surroundings.workerPath(),
            runtimeFolders: SwiftRuntime.folders(environment: surroundings.environment))
    }

    /// Before anything is tried: a report that cannot be written is told at once.
    private func junitFile() throws(ConformanceError) -> JUnitFile? {
        guard let path = options.junitPath else { return nil }
        return try JUnitFile(path)
    }

    private func fail(_ message: String, _ status: ExitStatus) -> ExitStatus {
        HostProgram.complain(OptionTable.conformance.program, message)
        return status
    }
}
