import Foundation
import LinuxSystem
import Testing
import WireProtocol

/// The host's side of one worker's life, as a loop over its descriptors.
struct WorkerSession {
    private let harness: WorkerHarness
    private let link: Box
    private let control: Box
    private var outcome = WorkerOutcome()
    private var reader = FrameReader()
    private var calls: [EntryCall]
    private var linkIsOpen = true

    init(_ harness: WorkerHarness, link: Box, control: Box) {
        self.harness = harness
        self.link = link
        self.control = control
        calls = harness.calls
    }

    /// Until the child has ended and its streams too, at most 30 seconds.
    mutating func drive(
        _ process: consuming ChildProcess, streams: [Box]
    ) throws -> WorkerOutcome {
        var child = process
        var texts: [[UInt8]] = [[], [], []]
        var open = [true, true, true]
        let deadline = BootClock.now() + .seconds(30)
        try start(child.pid)
        while outcome.end == nil || open.contains(true) || linkIsOpen {
            var poll = PollSet()
            if outcome.end == nil { poll.add(child.descriptor) }
            let linkPlace = linkIsOpen ? poll.add(link.raw) : nil
            let places = streams.indices.map { open[$0] ? poll.add(streams[$0].raw) : nil }
            try poll.wait(timeout: deadline - BootClock.now())
            guard BootClock.now() < deadline else {
                Issue.record("the worker did not end in time")
                break
            }
            if let linkPlace, poll.isReadable(linkPlace) { try readLink(child.pid) }
            for (place, stream) in zip(places, streams.indices) {
                guard let place, poll.isReadable(place) else { continue }
                open[stream] = read(streams[stream].raw, into: &texts[stream])
            }
            if outcome.end == nil { outcome.end = try child.reap() }
        }
        outcome.output = String(decoding: texts[0], as: UTF8.self)
        outcome.errors = String(decoding: texts[1], as: UTF8.self)
        let size = EvidenceRecord.byteCount
        for start in stride(from: 0, to: texts[2].count - size + 1, by: size) {
            if let record = EvidenceRecord(untrusted: texts[2][start..<(start + size)]) {
                outcome.evidence.append(record)
            }
        }
        return outcome
    }

    private mutating func start(_ pid: Int32) throws {
        var setup = harness.setup
        setup.hostProcess = getpid()
        let bytes = try harness.firstBytes ?? HostMessage.setup(setup).frame().bytes
        try write(bytes)
    }

    /// A worker that has gone is noticed by its end, not by a failed write.
    private func write(_ bytes: [UInt8]) throws {
        try? DescriptorIO.writeAll(link.raw, bytes, subject: "worker", isSocket: true)
    }

    private func read(_ raw: Int32, into bytes: inout [UInt8]) -> Bool {
        var room = [UInt8](repeating: 0, count: 4096)
        guard case .moved(let count) = DescriptorIO.read(raw, into: &room) else { return false }
        bytes += room[0..<count]
        return true
    }

    private mutating func readLink(_ pid: Int32) throws {
        var bytes: [UInt8] = []
        guard read(link.raw, into: &bytes) else {
            linkIsOpen = false
            return
        }
        reader.feed(bytes[...])
        while let frame = try reader.next() {
            let message = try WorkerMessage(frame)
            if let held = ProcessMemory.read(pid: pid)?.heldBytes {
                outcome.peakHeldBytes = max(outcome.peakHeldBytes, held)
            }
            try handle(message, frame.sequence)
        }
    }

    private mutating func handle(_ message: WorkerMessage, _ sequence: UInt32) throws {
        outcome.messages.append(message)
        switch message {
        case .ready, .setupFailed, .loadFailed, .answered: break
        case .loaded:
            if harness.closesControlWhenLoaded { control.close() } else { try next() }
        case .returned: if !harness.isSilentAfterReturn { try next() }
        case .hostCall(let call):
            if outcome.hostCalls.isEmpty, let byte = harness.controlByte {
                _ = DescriptorIO.write(control.raw, [byte])
            }
            outcome.hostCalls.append(call)
            guard call.wantsReply else { return }
            try write(HostMessage.reply(harness.answer(call)).frame(sequence: sequence).bytes)
        }
    }

    private mutating func next() throws {
        let message = calls.isEmpty ? HostMessage.shutdown : .call(calls.removeFirst())
        try write(message.frame(sequence: 7).bytes)
    }
}
