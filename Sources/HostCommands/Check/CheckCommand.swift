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
        do throws(RunError) {
            var run = try CheckRun(options, surroundings, stop: stop.descriptor)
            defer { run.end() }
            return checkAll(&run)
        } catch {
            return fail(error.message, ExitStatus.of(error.code))
        }
    }

    private func checkAll(_ run: inout CheckRun) -> ExitStatus {
        var files: [CheckedFile] = []
        for target in run.targets {
            do throws(PluginCheckError) {
                let progress = CheckProgress(
                    target.name, files.count + 1, of: run.targets.count,
                    environment: surroundings.environment)
                defer { progress?.end() }
                files.append(try run.check(target) { progress?.show($0) })
            } catch {
                return stop(at: files, of: run.targets, error)
            }
            for note in run.takeNotes() { say(note) }
            guard showLast(of: files) else { return .outputFailed }
        }
        guard showEnd(files) else { return .outputFailed }
        return files.contains { $0.hasFailed } ? .failed : .ok
    }

    /// What is finished is not lost, and the rest is named.
    private func stop(
        at finished: [CheckedFile], of targets: [CheckTarget], _ error: PluginCheckError
    ) -> ExitStatus {
        var files = finished
        if !files.isEmpty || error.code == .interrupted {
            for target in targets.dropFirst(files.count) {
                files.append(CheckedFile(target: target, outcome: .notChecked(error.message)))
                guard showLast(of: files) else { return .outputFailed }
            }
            guard showEnd(files) else { return .outputFailed }
        }
        return fail(sentence(error), status(of: error))
    }

    private func showLast(of files: [CheckedFile]) -> Bool {
        guard !options.isJSON, let file = files.last else { return true }
        return show((files.count > 1 ? "\n" : "") + CheckText.lines(file))
    }

    private func showEnd(_ files: [CheckedFile]) -> Bool {
        if options.isJSON {
            guard let line = JSONLine.of(CheckRecord(files)) else { return false }
            return show(line)
        }
        guard files.count > 1 else { return true }
        return show("\n\(files.count) files, \(files.count { $0.hasFailed }) failed\n")
    }

    private func status(of error: PluginCheckError) -> ExitStatus {
        guard error.minimumMemoryBytes == nil else { return .usage }
        return switch error.code {
        case .cannotSetUp: .setupError
        case .cannotWrite: .outputFailed
        case .hostFault, .timeIsUp: .internalError
        case .interrupted: .interrupted
        }
    }

    private func sentence(_ error: PluginCheckError) -> String {
        guard let minimum = error.minimumMemoryBytes else { return error.message }
        return WorkerLimits.tooLittle(memoryBytes: options.memory.bytes, minimum: minimum)
    }

    /// False when stdout cannot be written.
    private func show(_ text: String) -> Bool {
        HostProgram.show(text, on: Console()) == .ok
    }

    private func say(_ sentence: String) {
        HostProgram.complain(OptionTable.check.program, sentence)
    }

    private func fail(_ sentence: String, _ status: ExitStatus) -> ExitStatus {
        say(sentence)
        return status
    }
}
