extension WorkerMessage {
    /// - Throws: ``WireError`` with `tooLong` when the payload passes the frame's bound.
    package func frame(sequence: UInt32 = 0) throws(WireError) -> Frame {
        var encoder = WireEncoder()
        let kind: UInt16
        switch self {
        case .ready(let ready):
            kind = 101
            ready.write(to: &encoder)
        case .setupFailed(let failure):
            kind = 102
            failure.write(to: &encoder)
        case .loaded(let plugin):
            kind = 103
            plugin.write(to: &encoder)
        case .loadFailed(let failure):
            kind = 104
            encoder.put(failure.isMismatch)
            encoder.put(failure.sentence)
        case .needsSwiftRuntime: kind = 107
        case .hostCall(let call):
            kind = 105
            call.write(to: &encoder)
        case .returned(let result):
            kind = 106
            encoder.put(result.status)
            encoder.put(result.heldBytes)
            encoder.put(result.wasCalled)
        case .answered(let replies):
            kind = 108
            encoder.put(list: replies) { $0.put($1) }
        case .inspected(let facts):
            kind = 109
            facts.write(to: &encoder)
        }
        return try Frame(kind: kind, sequence: sequence, payload: encoder.bytes)
    }

    package init(_ frame: Frame) throws(WireError) {
        var decoder = WireDecoder(frame.payload[...])
        switch frame.kind {
        case 101: self = .ready(try WorkerReady(from: &decoder))
        case 102: self = .setupFailed(try SetupFailure(from: &decoder))
        case 103: self = .loaded(try LoadedPlugin(from: &decoder))
        case 104:
            let isMismatch = try decoder.flag("refusal.mismatch")
            let sentence = try decoder.text(atMost: WireBound.sentenceBytes, "refusal.sentence")
            self = .loadFailed(LoadFailure(isMismatch: isMismatch, sentence: sentence))
        case 107: self = .needsSwiftRuntime
        case 105: self = .hostCall(try HostCall(from: &decoder))
        case 106:
            let status = try decoder.int32("return.status")
            let heldBytes = try decoder.uint64("return.held")
            let wasCalled = try decoder.flag("return.called")
            self = .returned(
                EntryReturn(status: status, heldBytes: heldBytes, wasCalled: wasCalled))
        case 108: self = .answered(try decoder.answers())
        case 109: self = .inspected(try PluginFacts(from: &decoder))
        default: throw WireError(.unknownKind, "worker message \(frame.kind)")
        }
        try decoder.finish("worker message \(frame.kind)")
    }
}

extension WireDecoder {
    fileprivate mutating func answers() throws(WireError) -> [Int32] {
        let replies = try list(atMost: WireBound.batchCount, "answers") {
            input throws(WireError) in
            try input.int32("answers")
        }
        guard !replies.isEmpty else { throw WireError(.badValue, "answers") }
        return replies
    }
}

extension WorkerReady {
    func write(to encoder: inout WireEncoder) {
        encoder.put(list: layers) { $0.put($1) }
        encoder.put(list: missing) { output, missing in
            output.put(missing.layer)
            output.put(missing.why)
        }
        encoder.put(heldBytes)
        encoder.put(dataBytes)
        encoder.put(reserveBytes)
        inForce.write(to: &encoder)
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        layers = try decoder.list(atMost: 32, "ready.layers") { input throws(WireError) in
            try input.text(atMost: 64, "ready.layers")
        }
        missing = try decoder.list(atMost: 32, "ready.missing") { input throws(WireError) in
            let layer = try input.text(atMost: 64, "ready.missing")
            let why = try input.text(atMost: WireBound.sentenceBytes, "ready.missing")
            return MissingLayer(layer: layer, why: why)
        }
        heldBytes = try decoder.uint64("ready.held")
        dataBytes = try decoder.uint64("ready.data")
        reserveBytes = try decoder.uint64("ready.reserve")
        inForce = try WorkerLimits(from: &decoder)
    }
}

extension LoadedPlugin {
    func write(to encoder: inout WireEncoder) {
        encoder.put(name)
        encoder.put(version)
        encoder.put(abiMajor)
        encoder.put(abiMinor)
        encoder.put(toolchain)
        encoder.put(list: entryPoints) { $0.put($1) }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        name = try decoder.text(atMost: 64, "plugin.name")
        version = try decoder.text(atMost: 32, "plugin.version")
        abiMajor = try decoder.uint16("plugin.major")
        abiMinor = try decoder.uint16("plugin.minor")
        toolchain = try decoder.text(atMost: 32, "plugin.toolchain")
        entryPoints = try decoder.list(atMost: 16, "plugin.entryPoints") {
            input throws(WireError) in
            try input.text(atMost: 64, "plugin.entryPoints")
        }
    }
}
