internal import CommandLineOptions
internal import ExtensionHost
internal import Glibc
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

/// `bahost inspect`: from the options to the exit status.
struct InspectCommand {
    let options: InspectOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus {
        do {
            try ProcessConfinement.hideMemory()
            let stop = try StopSignals()
            return try inspect(stop: stop.descriptor)
        } catch {
            StopSignals.restoreDefaults()
            let message = (error as? RunError)?.message ?? "\(error)"
            complain(message)
            return error is RunError ? .setupError : .internalError
        }
    }

    /// File after file; what one of them comes to does not keep the others from being looked at.
    private func inspect(stop: Int32) throws -> ExitStatus {
        var console = Console()
        let workerPath = try surroundings.workerPath()
        let pool = LauncherPool()
        var status = InspectStatus()
        var between = ""
        var hasReader = true
        for file in options.files {
            let record: InspectRecord
            do throws(InputFault) {
                record = try self.record(of: file, workerPath, pool, stop: stop)
            } catch {
                complain(error.sentence)
                status.note(error.status)
                if error.status == .interrupted { break }
                continue
            }
            status.note(record.isLoadable ? .ok : .failed)
            // The status tells of every file, whoever reads on.
            guard hasReader else { continue }
            let text = options.isJSON ? record.line ?? "" : InspectText.of(record)
            switch console.write([ConsoleText(.output, between + text)]) {
            case .written: between = options.isJSON ? "" : "\n"
            case .closed: hasReader = false
            case .failed(let code):
                complain(ConsoleResult.outputMessage(code))
                return .outputFailed
            }
        }
        return status.worst
    }

    private func record(
        of file: String, _ workerPath: String, _ pool: LauncherPool, stop: Int32
    ) throws(InputFault) -> InspectRecord {
        let path = PathText.absolute(file, in: surroundings.folder)
        guard unsafe access(path, F_OK) == 0 else {
            throw InputFault(.inputMissing, "\(file): \(SystemError.message(for: errno))")
        }
        if let fault = PluginFile.fault(of: path) {
            return InspectRecord(file, irregular: fault, options)
        }
        guard unsafe access(path, R_OK) == 0 else {
            throw InputFault(.inputMissing, "\(file): \(SystemError.message(for: errno))")
        }
        let result: InspectionResult
        do throws(ExtensionHostError) {
            result = try PluginInspection.run(
                WorkerPlan(workerPath: workerPath, setup: setup(path)), pool: pool, stop: stop)
        } catch {
            throw InputFault(.setupError, "\(error)")
        }
        guard result.outcome.verdict != .interrupted else {
            throw InputFault(.interrupted, result.outcome.detail)
        }
        return InspectRecord(file, result, options)
    }

    private func setup(_ path: String) -> WorkerSetup {
        var setup = WorkerSetup.ofThisHost(
            path, containerPath: "", absentLayers: surroundings.absentLayers,
            runtimeFolders: SwiftRuntime.folders(environment: surroundings.environment))
        setup.limits.memoryBytes = options.memory.bytes
        return setup
    }

    private func complain(_ sentence: String) {
        HostProgram.complain(OptionTable.inspect.program, sentence)
    }
}

/// Why there is nothing to say about a file.
private struct InputFault: Error {
    let status: ExitStatus
    let sentence: String

    init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }
}

/// The status of several files: the worst of theirs.
struct InspectStatus: Hashable, Sendable {
    private(set) var worst = ExitStatus.ok

    private static let order: [ExitStatus] = [
        .ok, .failed, .inputMissing, .setupError, .interrupted,
    ]

    mutating func note(_ status: ExitStatus) {
        let (new, old) = (Self.order.firstIndex(of: status), Self.order.firstIndex(of: worst))
        if let new, let old, new > old { worst = status }
    }
}
