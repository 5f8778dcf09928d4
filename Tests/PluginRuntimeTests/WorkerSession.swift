import Foundation
import LinuxSystem
import Testing
import WireProtocol

/// The host's side of one worker's life, as a loop over its descriptors.
struct WorkerSession {
    private let harness: WorkerHarness
    private let link: Box
    private let control: Box

    /// The connection to the launcher.
    private let launcher: Box
    private var worker: Box?
    private var workerPid: Int32?
    private var outcome = WorkerOutcome()
    private var reader = FrameReader()
    private var calls: [EntryCall]
    private var linkIsOpen = true

    init(_ harness: WorkerHarness, link: Box, control: Box, launcher: Box) {
        self.launcher = launcher
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
        try write(harness.firstBytes ?? HostMessage.setup(harness.setup).frame().bytes)
        while outcome.end == nil || open.contains(true) || linkIsOpen {
            var poll = PollSet()
            let launcherPlace = outcome.end == nil ? poll.add(launcher.raw) : nil
            let linkPlace = linkIsOpen ? poll.add(link.raw) : nil
            let places = streams.indices.map { open[$0] ? poll.add(streams[$0].raw) : nil }
            try poll.wait(timeout: deadline - BootClock.now())
            guard BootClock.now() < deadline else {
                Issue.record("the worker did not end in time")
                break
            }
            if let launcherPlace, poll.isReadable(launcherPlace) { try readLauncher(&child) }
            if let linkPlace, poll.isReadable(linkPlace) { try readLink() }
            for (place, stream) in zip(places, streams.indices) {
                guard let place, poll.isReadable(place) else { continue }
                open[stream] = read(streams[stream].raw, into: &texts[stream])
            }
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

    private mutating func readLauncher(_ child: inout ChildProcess) throws {
        var room = [UInt8](repeating: 0, count: 65_536)
        guard
            case .message(let count, let descriptors) = DescriptorMessage.receive(
                from: launcher.raw, into: &room)
        else {
            outcome.end = try child.waitForEnd()
            return
        }
        let boxes = descriptors.map { Box(OwnedDescriptor(adopting: $0)) }
        switch try LauncherReport(Frame(message: room[..<count])) {
        case .started:
            worker = boxes.first
            let text = try String(
                contentsOfFile: "/proc/self/fdinfo/\(worker?.raw ?? -1)", encoding: .utf8)
            workerPid = text.split(separator: "\n").first { $0.hasPrefix("Pid:") }
                .flatMap { Int32($0.dropFirst(4).trimmingCharacters(in: .whitespaces)) }
        case .ended(_, let end):
            outcome.end = ChildEnd(
                exitCode: end.exitCode, signal: end.signal,
                cpuTime: .nanoseconds(end.cpuNanoseconds))
        case .notStarted(_, let failure), .failed(let failure): outcome.launcherFailure = failure
        }
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

    private mutating func readLink() throws {
        var bytes: [UInt8] = []
        guard read(link.raw, into: &bytes) else {
            linkIsOpen = false
            return
        }
        reader.feed(bytes[...])
        while let frame = try reader.next() {
            let message = try WorkerMessage(frame)
            if let pid = workerPid, let held = ProcessMemory.read(pid: pid)?.heldBytes {
                outcome.peakHeldBytes = max(outcome.peakHeldBytes, held)
            }
            try handle(message, frame.sequence)
        }
    }

    private mutating func handle(_ message: WorkerMessage, _ sequence: UInt32) throws {
        outcome.messages.append(message)
        switch message {
        case .ready, .setupFailed, .loadFailed, .needsSwiftRuntime, .answered, .inspected: break
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
