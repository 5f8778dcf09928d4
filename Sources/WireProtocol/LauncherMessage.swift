/// What a launcher is to be, said once: its first message.
package struct LauncherSetup: Hashable, Sendable {
    package var isolation = IsolationMode.automatic

    /// Layers to treat as refused by the kernel, by name.
    package var absentLayers: [String] = []

    /// The folders of the Swift runtime to load; empty for a launcher without.
    package var runtimeFolders: [String] = []

    /// The namespaces that the launcher was started in, as a mask of the host's.
    package var namespaces: Int32 = 0

    /// Why it was not started in the others.
    package var namespaceRefusal = ""

    /// User and group of the host, when the launcher is in a user namespace.
    package var outsideUser: UInt32?
    package var outsideGroup: UInt32?

    /// The number to take in a user namespace when the host is root.
    package var identity: UInt32?

    package init() {}
}

/// How a worker ended, as its launcher has seen it.
package struct WorkerEnd: Hashable, Sendable {
    /// The exit status, or nil when a signal ended it.
    package var exitCode: Int32?
    package var signal: Int32?
    package var cpuNanoseconds: Int64 = 0

    package init() {}
}

/// From the host to a launcher.
package enum LauncherRequest: Hashable, Sendable {
    case prepare(LauncherSetup)

    /// The number of descriptors that come with a start.
    package static let workerDescriptors = 5

    /// Fork a worker; with the message come its five descriptors: output, error, protocol socket,
    /// control pipe, evidence pipe.
    case start(run: UInt32)
}

/// From a launcher to the host.
package enum LauncherReport: Hashable, Sendable {
    /// With the message comes the worker's pidfd.
    case started(run: UInt32)
    case notStarted(run: UInt32, SetupFailure)
    case ended(run: UInt32, WorkerEnd)

    /// The launcher cannot be what it was asked to be, and ends.
    case failed(SetupFailure)
}

extension LauncherRequest {
    package func frame() throws(WireError) -> Frame {
        var encoder = WireEncoder()
        switch self {
        case .prepare(let setup):
            setup.write(to: &encoder)
            return try Frame(kind: 201, sequence: 0, payload: encoder.bytes)
        case .start(let run): return try Frame(kind: 202, sequence: run, payload: [])
        }
    }

    package init(_ frame: Frame) throws(WireError) {
        var decoder = WireDecoder(frame.payload[...])
        switch frame.kind {
        case 201: self = .prepare(try LauncherSetup(from: &decoder))
        case 202: self = .start(run: frame.sequence)
        default: throw WireError(.unknownKind, "launcher request \(frame.kind)")
        }
        try decoder.finish("launcher request \(frame.kind)")
    }
}

extension LauncherReport {
    package func frame() throws(WireError) -> Frame {
        var encoder = WireEncoder()
        switch self {
        case .started(let run): return try Frame(kind: 301, sequence: run, payload: [])
        case .notStarted(let run, let failure):
            failure.write(to: &encoder)
            return try Frame(kind: 302, sequence: run, payload: encoder.bytes)
        case .ended(let run, let end):
            encoder.put(optional: end.exitCode) { $0.put($1) }
            encoder.put(optional: end.signal) { $0.put($1) }
            encoder.put(end.cpuNanoseconds)
            return try Frame(kind: 303, sequence: run, payload: encoder.bytes)
        case .failed(let failure):
            failure.write(to: &encoder)
            return try Frame(kind: 304, sequence: 0, payload: encoder.bytes)
        }
    }

    package init(_ frame: Frame) throws(WireError) {
        var decoder = WireDecoder(frame.payload[...])
        switch frame.kind {
        case 301: self = .started(run: frame.sequence)
        case 302: self = .notStarted(run: frame.sequence, try SetupFailure(from: &decoder))
        case 303:
            var end = WorkerEnd()
            end.exitCode = try decoder.optional("end.code") { input throws(WireError) in
                try input.int32("end.code")
            }
            end.signal = try decoder.optional("end.signal") { input throws(WireError) in
                try input.int32("end.signal")
            }
            end.cpuNanoseconds = try decoder.int64("end.cpu")
            self = .ended(run: frame.sequence, end)
        case 304: self = .failed(try SetupFailure(from: &decoder))
        default: throw WireError(.unknownKind, "launcher report \(frame.kind)")
        }
        try decoder.finish("launcher report \(frame.kind)")
    }
}

extension Frame {
    /// Reads a message that is exactly one frame.
    package init(message bytes: ArraySlice<UInt8>) throws(WireError) {
        var reader = FrameReader()
        reader.feed(bytes)
        guard let frame = try reader.next() else { throw WireError(.truncated, "frame") }
        guard reader.pendingBytes == 0 else { throw WireError(.trailingBytes, "frame") }
        self = frame
    }
}

extension SetupFailure {
    func write(to encoder: inout WireEncoder) {
        encoder.put(step)
        encoder.put(sentence)
        encoder.put(optional: minimumBytes) { $0.put($1) }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        step = try decoder.text(atMost: 64, "failure.step")
        sentence = try decoder.text(atMost: WireBound.sentenceBytes, "failure.sentence")
        minimumBytes = try decoder.optional("failure.minimum") { input throws(WireError) in
            try input.uint64("failure.minimum")
        }
    }
}

extension LauncherSetup {
    func write(to encoder: inout WireEncoder) {
        encoder.put(isolation.rawValue)
        encoder.put(list: absentLayers) { $0.put($1) }
        encoder.put(list: runtimeFolders) { $0.put($1) }
        encoder.put(namespaces)
        encoder.put(namespaceRefusal)
        encoder.put(optional: outsideUser) { $0.put($1) }
        encoder.put(optional: outsideGroup) { $0.put($1) }
        encoder.put(optional: identity) { $0.put($1) }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        isolation = try decoder.word("launcher.isolation")
        absentLayers = try decoder.list(atMost: 32, "launcher.absent") { input throws(WireError) in
            try input.text(atMost: 64, "launcher.absent")
        }
        runtimeFolders = try decoder.list(atMost: 16, "launcher.runtime") {
            input throws(WireError) in
            try input.text(atMost: WireBound.pathBytes, "launcher.runtime")
        }
        namespaces = try decoder.int32("launcher.namespaces")
        namespaceRefusal = try decoder.text(atMost: WireBound.sentenceBytes, "launcher.refusal")
        outsideUser = try decoder.optional("launcher.user") { input throws(WireError) in
            try input.uint32("launcher.user")
        }
        outsideGroup = try decoder.optional("launcher.group") { input throws(WireError) in
            try input.uint32("launcher.group")
        }
        identity = try decoder.optional("launcher.identity") { input throws(WireError) in
            try input.uint32("launcher.identity")
        }
    }
}
