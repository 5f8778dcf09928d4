internal import LinuxSystem

/// The host's ends of everything that leads to a worker.
///
/// In the worker: 0 /dev/null, 1 and 2 its output, 3 the protocol socket, 4 the control pipe's
/// reading end, 5 the evidence pipe's writing end. Each end is closed as soon as it is of no use.
struct WorkerChannels: ~Copyable {
    var socket: OwnedDescriptor?
    var control: OwnedDescriptor?
    var evidence: OwnedDescriptor?
    var output: OwnedDescriptor?
    var error: OwnedDescriptor?

    /// - Parameter handOver: Gets the worker's ends, output, error, socket, control and evidence,
    ///   which are closed here when it returns.
    /// - Throws: ``SystemError``, also the body's.
    init(
        handOver: ([Int32]) throws(SystemError) -> Void
    ) throws(SystemError) {
        let socket = try Descriptor.socketPair()
        let control = try Descriptor.pipe()
        let evidence = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        let error = try Descriptor.pipe()
        // The worker's end of the evidence pipe as well: its handlers never wait for the host.
        for raw in [
            socket.first.raw, evidence.second.raw, control.second.raw, evidence.first.raw,
            output.first.raw,
            error.first.raw,
        ] {
            try Descriptor.setNonblocking(raw)
        }
        try handOver([
            output.second.raw, error.second.raw, socket.second.raw, control.first.raw,
            evidence.second.raw,
        ])
        self.socket = socket.take { ours, _ in ours }
        self.control = control.take { _, ours in ours }
        self.evidence = evidence.take { ours, _ in ours }
        self.output = output.take { ours, _ in ours }
        self.error = error.take { ours, _ in ours }
    }

    var isAllEnded: Bool { socket == nil && evidence == nil && output == nil && error == nil }

    mutating func closeAll() {
        socket = nil
        control = nil
        evidence = nil
        output = nil
        error = nil
    }
}
