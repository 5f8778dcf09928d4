internal import LinuxSystem
internal import Synchronization

/// Text on its way to one reader: one thread adds, another writes.
final class ConsoleQueue: Sendable {
    private struct State {
        var waiting: [ConsoleText] = []
        /// Bytes waiting or being written; 0 when everything is out.
        var bytes = 0
        /// Lines dropped that no line has told of yet.
        var dropped = 0
        var hasEnded = false
        var result = ConsoleResult.written
    }

    private let state = Mutex(State())
    /// Raised when text waits, and at the end.
    private let work: EventFlag
    /// Raised when everything is written.
    private let idle: EventFlag

    private init() throws(SystemError) {
        work = try EventFlag()
        idle = try EventFlag()
    }

    /// A queue whose thread runs until ``end()``.
    static func started(
        _ name: String, _ console: Console
    ) throws(SystemError) -> ConsoleQueue {
        let queue = try ConsoleQueue()
        _ = try NamedThread(name) { queue.write(to: console) }
        return queue
    }

    /// What came of stdout so far.
    var result: ConsoleResult { state.withLock { $0.result } }

    /// Adds text if there is room; else counts its lines.
    func add(_ text: ConsoleText) {
        let size = text.text.utf8.count
        state.withLock { state in
            if state.dropped == 0, state.bytes + size <= ConsoleWriter.bound {
                ConsoleQueue.append(text, to: &state)
            } else {
                state.dropped += max(1, text.text.utf8.count { $0 == UInt8(ascii: "\n") })
                ConsoleQueue.tellDropped(text.target, in: &state)
            }
        }
        work.raise()
    }

    /// Adds text whatever the room, after a line on what was dropped.
    func addLast(_ text: ConsoleText) {
        state.withLock { state in
            ConsoleQueue.tellDropped(text.target, in: &state, always: true)
            ConsoleQueue.append(text, to: &state)
        }
        work.raise()
    }

    /// Lets the thread end once everything is written.
    func end() {
        state.withLock { $0.hasEnded = true }
        work.raise()
    }

    /// Waits until everything is written; false when the time is over before.
    @discardableResult
    func wait(atMost limit: Duration? = nil) -> Bool {
        let deadline = limit.map { BootClock.now() + $0 }
        while state.withLock({ $0.bytes > 0 }) {
            let left = deadline.map { $0 - BootClock.now() }
            if let left, left <= .zero { return false }
            ConsoleQueue.wait(for: idle, atMost: left)
        }
        return true
    }

    /// The thread's work.
    private func write(to console: Console) {
        var console = console
        while let batch = next() {
            for text in batch {
                note(console.write([text]), of: text)
            }
        }
    }

    /// All text that waits, as soon as there is some; nil at the end.
    private func next() -> [ConsoleText]? {
        while true {
            let (batch, hasEnded) = state.withLock { state in
                let batch = state.waiting
                state.waiting = []
                return (batch, state.hasEnded)
            }
            if !batch.isEmpty { return batch }
            if hasEnded { return nil }
            ConsoleQueue.wait(for: work, atMost: nil)
        }
    }

    private func note(_ result: ConsoleResult, of text: ConsoleText) {
        let isIdle = state.withLock { state in
            state.bytes -= text.text.utf8.count
            state.result = result
            ConsoleQueue.tellDropped(text.target, in: &state)
            return state.bytes == 0
        }
        if isIdle { idle.raise() }
    }

    private static func append(_ text: ConsoleText, to state: inout State) {
        guard !text.text.isEmpty else { return }
        state.waiting.append(text)
        state.bytes += text.text.utf8.count
    }

    /// Puts a line where lines are missing, if half of the room is free.
    private static func tellDropped(
        _ target: ConsoleText.Target, in state: inout State, always: Bool = false
    ) {
        guard state.dropped > 0, always || state.bytes <= ConsoleWriter.bound / 2 else { return }
        let lines = state.dropped == 1 ? "1 line" : "\(state.dropped) lines"
        append(
            ConsoleText(target, "bahost run: left out \(lines): the reader is slow\n"), to: &state)
        state.dropped = 0
    }

    private static func wait(for flag: borrowing EventFlag, atMost limit: Duration?) {
        var set = PollSet()
        set.add(flag.descriptor)
        try? set.wait(timeout: limit)
        flag.clear()
    }
}
