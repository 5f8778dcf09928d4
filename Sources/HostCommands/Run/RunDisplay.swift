internal import CommandLineOptions
internal import ExtensionHost
internal import Glibc
internal import HostEngine
internal import LinuxSystem
internal import TransferEngine

/// Shows a run's notices as the user asked for, until nobody reads any more.
final class RunDisplay {
    private let options: RunOptions
    private var view: ProgressView
    private let console: ConsoleWriter

    /// - Throws: When the threads that write cannot be started.
    init(options: RunOptions, surroundings: Surroundings) throws(SystemError) {
        self.options = options
        let size =
            options.style == .progress
            ? TerminalSize.of(STDOUT_FILENO, environment: surroundings.environment) : nil
        view = ProgressView(style: options.style, terminal: size)
        console = try ConsoleWriter()
    }

    func show(_ notice: RunNotice) {
        let now = BootClock.now()
        console.show(view.handle(RunDisplay.event(of: notice), at: now))
    }

    /// The table or the record, and the exit status it stands for.
    ///
    /// Waits for the readers; from then on a stop signal ends the process.
    func finish(_ record: RunRecord) -> ExitStatus {
        var record = record
        let status = record.settleStatus(
            strict: options.isStrict, interrupted: record.result == .interrupted)
        if case .failed(let code) = write(view.finish(record)) {
            return fail(ConsoleResult.outputMessage(code), .outputFailed)
        }
        return status
    }

    /// Ends the run with one line on stderr.
    func fail(_ message: String, _ status: ExitStatus) -> ExitStatus {
        let line = "bahost run: \(TerminalText.escape(message))\n"
        _ = write([ConsoleText(.diagnostics, line)])
        return status
    }

    private func write(_ texts: [ConsoleText]) -> ConsoleResult {
        console.finish(texts) { StopSignals.restoreDefaults() }
    }

    private static func event(of notice: RunNotice) -> ProgressEvent {
        switch notice {
        case .note(let text): .note(text)
        case .printed(let stream, let line): .output(stream == .output ? .output : .error, line)
        case .logged(_, let line): .output(.log, line)
        case .refused(let refusal):
            .refused(
                identifier: refusal.identifier, message: refusal.message, hint: refusal.hint)
        case .added(let identifier, let size, let received):
            .added(
                identifier: identifier, total: size.map { ByteCount(bytes: $0) },
                received: ByteCount(bytes: received))
        case .progress(let identifier, let progress):
            .progress(
                identifier: identifier, received: ByteCount(bytes: progress.receivedBytes),
                total: progress.totalBytes.map { ByteCount(bytes: $0) },
                perSecond: progress.bytesPerSecond.map { ByteCount(bytes: $0) },
                left: progress.timeLeft)
        case .finished(let identifier, let bytes):
            .finished(identifier: identifier, size: ByteCount(bytes: bytes))
        case .failed(let identifier, let message, let wait?):
            .note("\(identifier): \(message); tried again in \(wait.wholeMilliseconds) ms")
        case .failed(let identifier, let message, nil):
            .failed(identifier: identifier, message: message)
        case .cancelled(let identifier): .note("\(identifier): cancelled by the plugin")
        }
    }
}
