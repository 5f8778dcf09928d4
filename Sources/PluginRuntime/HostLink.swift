internal import LinuxSystem
internal import Synchronization
internal import WireProtocol

/// The worker's end of the protocol socket. A malformed frame ends the process.
// @unchecked Sendable: what changes is touched only while `lock` is held.
final class HostLink: @unchecked Sendable {
    private let raw: Int32
    private let lock = ThreadLock()
    private var reader = FrameReader()
    private var room = [UInt8](repeating: 0, count: 4096)
    private var sequence: UInt32 = 0

    /// What lives until the entry point returns; changed by host calls of any thread.
    private let arena = CallArena()

    /// Has a lock of its own, so that a thread that waits for the host holds up no other.
    private let answersLock = ThreadLock()
    private var answers = PackAnswers()

    /// True while an entry point is on the stack.
    private let isInCall = Atomic<Bool>(false)

    /// Host calls that were turned away because none is.
    private let lateCalls = Atomic<UInt32>(0)

    init(_ raw: Int32) {
        self.raw = raw
    }

    /// The next message and its sequence number, waited for without holding up other threads.
    func receive() -> (HostMessage, UInt32) {
        while true {
            if let frame = lock.locked({ nextFrame() }) { return (decode(frame), frame.sequence) }
            var poll = PollSet()
            poll.add(raw)
            try? poll.wait(timeout: nil)
            lock.locked { feed() }
        }
    }

    func send(_ message: WorkerMessage, sequence: UInt32 = 0) {
        lock.locked { write(message, sequence) }
    }

    /// Runs an entry point: host calls are answered while it is on the stack.
    ///
    /// - Parameters:
    ///   - prepare: Makes what is handed to the plugin, in the arena.
    ///   - body: Calls the plugin with it.
    /// - Returns: What the body returned.
    func whileInCall<Arguments, Result>(
        with prepare: (CallArena) -> Arguments, _ body: (Arguments) -> Result
    ) -> Result {
        // A thread of the last call may still be in the middle of a host call.
        let arguments = lock.locked { prepare(arena) }
        isInCall.store(true, ordering: .sequentiallyConsistent)
        let result = body(arguments)
        isInCall.store(false, ordering: .sequentiallyConsistent)
        lock.locked { arena.removeAll() }
        return result
    }

    /// Makes a host call, one at a time.
    ///
    /// - Parameters:
    ///   - call: What is asked.
    ///   - body: Reads the answer while the arena is ours; not run for a call that wants no reply.
    /// - Returns: Nil when no entry point is on the stack, or no reply is wanted.
    func ask<Result>(_ call: HostCall, _ body: (HostReply, CallArena) -> Result?) -> Result? {
        guard isAllowed else { return nil }
        return lock.locked {
            guard isAllowed else { return nil }
            // The host learns of what came before, even if this call never ends.
            writeAnswers(BootClock.now())
            guard call.wantsReply else {
                write(.hostCall(call), 0)
                return nil
            }
            sequence &+= 1
            write(.hostCall(call), sequence)
            return body(readReply(to: sequence), arena)
        }
    }

    /// Tells the host without waiting for anything.
    func note(_ call: HostCall) {
        _ = ask(call) { _, _ -> Bool? in nil }
    }

    var isAllowed: Bool { isInCall.load(ordering: .sequentiallyConsistent) }

    /// The first thing that each function of the table asks: a call that comes too late is counted.
    var admitsCall: Bool {
        guard !isAllowed else { return true }
        lateCalls.add(1, ordering: .relaxed)
        return false
    }

    /// How many came too late since this was last asked.
    func takeLateCalls() -> UInt32 { lateCalls.exchange(0, ordering: .relaxed) }

    // MARK: Answers

    func beginAnswers() {
        answersLock.locked { answers.begin(BootClock.now()) }
    }

    /// Before the next call of a batch: tells the host what is due.
    ///
    /// - Returns: False once the host has warned; then nothing more is asked.
    func keepsAnswering() -> Bool {
        let now = BootClock.now()
        let (isDue, isClosed) = answersLock.locked { (answers.isDue(now), answers.isClosed) }
        if isDue { lock.locked { writeAnswers(now) } }
        return !isClosed
    }

    func append(answer reply: Int32) {
        answersLock.locked { answers.append(reply) }
    }

    func sendAnswers() {
        lock.locked { writeAnswers(BootClock.now()) }
    }

    /// Tells the host how far the batch is, for the last time.
    ///
    /// A thread that is in a host call has told before it made that call, so it is
    /// not waited for.
    func closeAnswers() {
        guard answersLock.locked({ answers.close() }) else { return }
        _ = lock.lockedSoon { writeAnswers(BootClock.now()) }
    }

    // MARK: Under the lock

    private func writeAnswers(_ now: Instant) {
        if let piece = answersLock.locked({ answers.take(now) }) { write(.answered(piece), 0) }
    }

    private func readReply(to sequence: UInt32) -> HostReply {
        while true {
            if let frame = nextFrame() {
                guard frame.sequence == sequence, case .reply(let reply) = decode(frame) else {
                    WorkerExit.protocolBroken.end()
                }
                return reply
            }
            feed()
        }
    }

    private func nextFrame() -> Frame? {
        do { return try reader.next() } catch { WorkerExit.protocolBroken.end() }
    }

    private func decode(_ frame: Frame) -> HostMessage {
        do { return try HostMessage(frame) } catch { WorkerExit.protocolBroken.end() }
    }

    private func feed() {
        guard case .moved(let count) = DescriptorIO.read(raw, into: &room) else {
            WorkerExit.protocolBroken.end()
        }
        reader.feed(room[0..<count])
    }

    private func write(_ message: WorkerMessage, _ sequence: UInt32) {
        do {
            // As a plain write: send(2) is not among the calls a worker may make.
            let bytes = try message.frame(sequence: sequence).bytes
            try DescriptorIO.writeAll(raw, bytes, subject: "host")
        } catch {
            WorkerExit.protocolBroken.end()
        }
    }
}
