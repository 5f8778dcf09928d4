internal import CommandLineOptions
internal import ExtensionHost
internal import Glibc
internal import HostEngine
internal import LinuxSystem

/// Shows a run's notices as the user asked for, until nobody reads any more.
final class RunDisplay {
    private let options: RunOptions
    private var view: ProgressView
    private var console = Console()

    init(options: RunOptions, surroundings: Surroundings) {
        self.options = options
        let size =
            options.style == .progress
            ? TerminalSize.of(STDOUT_FILENO, environment: surroundings.environment) : nil
        view = ProgressView(style: options.style, terminal: size)
    }

    func show(_ notice: RunNotice) {
        let now = BootClock.now()
        _ = console.write(view.handle(RunDisplay.event(of: notice), at: now))
    }

    /// The table or the record, and the exit status it stands for.
    func finish(_ record: RunRecord) -> ExitStatus {
        var record = record
        let status = record.settleStatus(
            strict: options.isStrict, interrupted: record.result == .interrupted)
        if case .failed(let code) = console.write(view.finish(record)) {
            let reason = SystemError.message(for: code)
            let line = "bahost run: cannot write to stdout: \(reason)\n"
            _ = console.write([ConsoleText(.diagnostics, line)])
            return .outputFailed
        }
        return status
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
        case .progress(let identifier, let received, _):
            .progress(identifier: identifier, received: ByteCount(bytes: received))
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
