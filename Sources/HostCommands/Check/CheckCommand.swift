internal import CommandLineOptions
internal import ExtensionHost
internal import Glibc
internal import HostEngine
internal import LinuxSystem
internal import PluginCheck
internal import WireProtocol

/// `bahost check`: from the options to the exit status.
struct CheckCommand {
    let options: CheckOptions
    let surroundings: Surroundings

    /// Checks one file after the other, and shows each as soon as it is done.
    func execute() -> ExitStatus {
        do throws(SystemError) {
            // Environment and memory may hold secrets; a plugin may run as the same user.
            try ProcessConfinement.hideMemory()
            let stop = try StopSignals()
            return run(stop: stop)
        } catch {
            StopSignals.restoreDefaults()
            return fail("\(error)", .internalError)
        }
    }

    private func run(stop: borrowing StopSignals) -> ExitStatus {
        do {
            var run = try CheckRun(options, surroundings, stop: stop.descriptor)
            defer { run.end() }
            return try checkAll(&run)
        } catch let error as RunError {
            return fail(error.message, CheckCommand.status(of: error.code))
        } catch let error as PluginCheckError {
            return fail(sentence(error), status(of: error))
        } catch {
            return fail("\(error)", .internalError)
        }
    }

    private func checkAll(_ run: inout CheckRun) throws -> ExitStatus {
        var files: [CheckedFile] = []
        for target in run.targets {
            let file = try run.check(target)
            files.append(file)
            for note in run.takeNotes() { say(note) }
            guard !options.isJSON else { continue }
            let gap = files.count > 1 ? "\n" : ""
            guard show(gap + CheckText.lines(file)) else { return .outputFailed }
        }
        if options.isJSON {
            guard let line = JSONLine.of(CheckRecord(files)), show(line) else {
                return .outputFailed
            }
        } else if files.count > 1 {
            let failed = files.count { $0.hasFailed }
            guard show("\n\(files.count) files, \(failed) failed\n") else { return .outputFailed }
        }
        return files.contains { $0.hasFailed } ? .failed : .ok
    }

    private static func status(of code: RunError.Code) -> ExitStatus {
        switch code {
        case .inputMissing: .inputMissing
        case .outputFailed: .outputFailed
        case .hostBroken: .setupError
        }
    }

    private func status(of error: PluginCheckError) -> ExitStatus {
        guard error.minimumMemoryBytes == nil else { return .usage }
        return switch error.code {
        case .cannotSetUp: .setupError
        case .cannotWrite: .outputFailed
        case .hostFault: .internalError
        case .interrupted: .interrupted
        }
    }

    private func sentence(_ error: PluginCheckError) -> String {
        guard let minimum = error.minimumMemoryBytes else { return error.message }
        return "--memory \(options.memory.bytes): the worker itself needs at least \(minimum) bytes"
    }

    /// False when stdout cannot be written.
    private func show(_ text: String) -> Bool {
        HostProgram.show(text, on: Console()) == .ok
    }

    private func say(_ sentence: String) {
        var console = Console()
        _ = console.write([ConsoleText(.diagnostics, "bahost check: \(sentence)\n")])
    }

    private func fail(_ sentence: String, _ status: ExitStatus) -> ExitStatus {
        say(sentence)
        return status
    }
}
