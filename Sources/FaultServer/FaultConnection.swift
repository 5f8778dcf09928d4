internal import Glibc
internal import LinuxSystem

/// One client: requests in, scripted answers out, until either side ends it.
struct FaultConnection: ~Copyable {
    private let state: FaultState
    private let socket: OwnedDescriptor

    init(state: FaultState, socket: consuming OwnedDescriptor) {
        self.state = state
        self.socket = socket
    }

    consuming func run() {
        var pending: [UInt8] = []
        while let request = readRequest(&pending) {
            guard let answer = state.answer(to: request) else {
                waitForEnd()
                return
            }
            guard send(answer.headBytes, answer.headPace), send(answer.body, answer.bodyPace),
                send(endlessly: answer.repeating)
            else { return }
            switch answer.ending {
            case .keepOpen: continue
            case .close: return
            case .stall:
                waitForEnd()
                return
            case .reset:
                armReset()
                return
            }
        }
    }

    /// Reads up to the empty line; nil at the end, at a stop, or for what is no request.
    private func readRequest(_ pending: inout [UInt8]) -> FaultRequest? {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            let ends = pending.indices.dropLast(3)
            if let end = ends.first(where: { pending[$0..<($0 + 4)].elementsEqual(mark) }) {
                let text = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 4)
                return FaultRequest(text: text)
            }
            guard pending.count < FaultRequest.maximumBytes, let more = readSome() else {
                return nil
            }
            pending += more
        }
    }

    private func readSome() -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: 16_384)
        while true {
            switch DescriptorIO.read(socket.raw, into: &room) {
            case .moved(let count): return Array(room[..<count])
            case .wouldBlock: guard wait(reading: true) else { return nil }
            case .ended, .failed: return nil
            }
        }
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch DescriptorIO.write(socket.raw, rest, isSocket: true) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldBlock: guard wait(reading: false) else { return false }
            case .ended, .failed: return false
            }
        }
        return true
    }

    private func send(_ bytes: [UInt8], _ pace: FaultAnswer.Pace?) -> Bool {
        guard let pace else { return send(bytes) }
        var start = 0
        while start < bytes.count {
            let end = min(start + pace.portion, bytes.count)
            guard send(Array(bytes[start..<end])), pause(pace.pause) else { return false }
            start = end
        }
        return true
    }

    /// Goes on until the client has had enough or the server stops.
    private func send(endlessly bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return true }
        while send(bytes), pause(.zero) {}
        return false
    }

    /// Waits for the socket; false when the server stops.
    private func wait(reading: Bool) -> Bool {
        var polled = PollSet()
        let stop = polled.add(state.stop.descriptor)
        polled.add(socket.raw, reading: reading, writing: !reading)
        return (try? polled.wait(timeout: nil)) != nil && !polled.isReadable(stop)
    }

    /// Lets time pass; false when the server stops.
    private func pause(_ duration: Duration) -> Bool {
        var polled = PollSet()
        let stop = polled.add(state.stop.descriptor)
        return (try? polled.wait(timeout: duration)) != nil && !polled.isReadable(stop)
    }

    /// Says nothing until the client has gone or the server stops.
    private func waitForEnd() {
        while readSome() != nil {}
    }

    /// Makes the coming close a reset.
    ///
    /// socket(7), SO_LINGER.
    private func armReset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        unsafe _ = setsockopt(socket.raw, SOL_SOCKET, SO_LINGER, &option, size)
    }
}
