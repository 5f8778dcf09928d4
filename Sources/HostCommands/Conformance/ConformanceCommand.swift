internal import CommandLineOptions
internal import Conformance
internal import Glibc
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
        let junit = try junitFile()
        let start = BootClock.now()
        let suite = try ConformanceSuite(
            settings: settings(), librarySource: surroundings.conformanceFolder(),
            temporaryFolder: temporaryFolder, memoryBytes: memory.bytes, stop: stop)
        let display = ConformanceDisplay(cases, isJSON: options.isJSON)
        display.begin()
        let isWhole = try suite.run(cases, stop: stop) { display.show($0) }
        let wallTime = BootClock.now() - start
        let record = ConformanceRecord(
            display.outcomes, of: cases.count, finding: suite.machine, mode: options.isolation,
            wallTime: wallTime, wasInterrupted: !isWhole)
        if let junit {
            let text = JUnitReport.text(of: display.outcomes)
            try DescriptorIO.writeAll(
                junit.raw, Array(text.utf8), subject: options.junitPath ?? "")
        }
        return display.finish(record, wallTime: wallTime)
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

    private var temporaryFolder: String {
        guard let named = surroundings.environment["TMPDIR"], named.hasPrefix("/") else {
            return "/tmp"
        }
        return PathText.absolute(named, in: "/")
    }

    /// Before anything is tried: a report that cannot be written is told at once.
    private func junitFile() throws(ConformanceError) -> OwnedDescriptor? {
        guard let path = options.junitPath else { return nil }
        do throws(SystemError) {
            return try Descriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
        } catch {
            throw ConformanceError(
                .noRoom, "--junit: cannot make \(path): \(SystemError.message(for: error.code))")
        }
    }

    private func fail(_ message: String, _ status: ExitStatus) -> ExitStatus {
        var console = Console()
        let line = "bahost conformance: \(TerminalText.escape(message))\n"
        _ = console.write([ConsoleText(.diagnostics, line)])
        return status
    }
}
