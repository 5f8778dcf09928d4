internal import LinuxSystem
internal import WireProtocol

extension WorkerSession {
    /// Reads at most `rounds` times from each channel; what the worker sent before it died comes
    /// before what its handler wrote about the death.
    func readAll(rounds: Int, now: Instant, _ events: inout [WorkerEvent]) {
        readSocket(rounds, now, &events)
        readEvidence(rounds, now, &events)
        if drain(channels?.output?.raw, rounds, { events += lines(.output, $0) }) {
            channels?.output = nil
        }
        if drain(channels?.error?.raw, rounds, { events += lines(.error, $0) }) {
            channels?.error = nil
        }
    }

    private func lines(_ stream: PluginStream, _ bytes: ArraySlice<UInt8>) -> [WorkerEvent] {
        let lines = stream == .output ? outputLines.feed(bytes) : errorLines.feed(bytes)
        if stream == .error { for line in lines { lastWords.hear(line) } }
        return lines.map { .printed(stream, $0) }
    }

    private func readSocket(_ rounds: Int, _ now: Instant, _ events: inout [WorkerEvent]) {
        guard acceptsFrames else { return }
        var isBroken = false
        let hasEnded = drain(channels?.socket?.raw, rounds) { bytes in
            guard !isBroken else { return }
            isBroken = !takeFrames(bytes, now, &events)
        }
        guard hasEnded || isBroken else { return }
        channels?.socket = nil
        if !isBroken { apply(.streamEnded, now, &events) }
    }

    /// False when the stream is no longer one of frames.
    private func takeFrames(
        _ bytes: ArraySlice<UInt8>, _ now: Instant, _ events: inout [WorkerEvent]
    ) -> Bool {
        reader.feed(bytes)
        do {
            while let frame = try reader.next() {
                let message = completed(try WorkerMessage(frame))
                apply(.message(message, sequence: frame.sequence), now, &events)
            }
            return true
        } catch {
            apply(.malformed(error), now, &events)
            return false
        }
    }

    private func readEvidence(_ rounds: Int, _ now: Instant, _ events: inout [WorkerEvent]) {
        let hasEnded = drain(channels?.evidence?.raw, rounds) { bytes in
            for record in collector.feed(bytes) { apply(.evidence(record), now, &events) }
        }
        if hasEnded { channels?.evidence = nil }
    }

    /// True once the channel has ended and may be closed.
    private func drain(
        _ raw: Int32?, _ rounds: Int, _ take: (ArraySlice<UInt8>) -> Void
    ) -> Bool {
        guard let raw else { return false }
        for _ in 0..<rounds {
            switch DescriptorIO.read(raw, into: &room) {
            case .moved(let count): take(room[0..<count])
            case .wouldBlock: return false
            case .ended, .failed: return true
            }
        }
        return false
    }
}
