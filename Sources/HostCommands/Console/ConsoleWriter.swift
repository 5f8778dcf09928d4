internal import Glibc
package import LinuxSystem

/// Writes to stdout and stderr on threads of its own, so that a slow reader never stops the caller.
///
/// What both name the same file, such as a terminal, keeps its order. SIGPIPE must be ignored, as
/// for ``Console``.
package final class ConsoleWriter: Sendable {
    /// How many bytes of live text may wait for each reader.
    package static let bound = 1_048_576

    /// How long ``finish(_:whenSlow:)`` waits before it counts a reader as slow.
    package static let patience = Duration.milliseconds(200)

    private let output: ConsoleQueue
    private let diagnostics: ConsoleQueue

    /// - Throws: When there is no room for another thread or descriptor.
    package init(output: Int32 = 1, diagnostics: Int32 = 2) throws(SystemError) {
        let console = Console(output: output, diagnostics: diagnostics)
        self.output = try ConsoleQueue.started("console-out", console)
        self.diagnostics =
            ConsoleWriter.isSameFile(output, diagnostics)
            ? self.output : try ConsoleQueue.started("console-err", console)
    }

    deinit {
        output.end()
        diagnostics.end()
    }

    /// Queues live text; never blocks.
    ///
    /// What does not fit is dropped, and a line says how many lines were, once half of the room is
    /// free again.
    package func show(_ texts: [ConsoleText]) {
        for text in texts {
            queue(text.target).add(text)
        }
    }

    /// Queues text that is never dropped, and waits until everything is written.
    ///
    /// - Parameters:
    ///   - texts: In order.
    ///   - whenSlow: Called once, before a wait that only the readers can end.
    /// - Returns: What came of stdout, now or at any time before.
    package func finish(_ texts: [ConsoleText], whenSlow: () -> Void = {}) -> ConsoleResult {
        for text in texts {
            queue(text.target).addLast(text)
        }
        let areDone = [output, diagnostics].allSatisfy { $0.wait(atMost: ConsoleWriter.patience) }
        if !areDone {
            whenSlow()
            output.wait()
            diagnostics.wait()
        }
        return output.result
    }

    private func queue(_ target: ConsoleText.Target) -> ConsoleQueue {
        target == .output ? output : diagnostics
    }

    /// Whether both lead to one pipe, file or terminal.
    ///
    /// `fstat(2)`.
    private static func isSameFile(_ one: Int32, _ other: Int32) -> Bool {
        var (first, second) = (stat(), stat())
        // SAFETY: the kernel writes one stat each, which outlives the call.
        guard unsafe fstat(one, &first) == 0, unsafe fstat(other, &second) == 0 else {
            return false
        }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
