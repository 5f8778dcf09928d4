extension HostMessage {
    /// - Throws: ``WireError`` with `tooLong` when the payload passes the frame's bound.
    package func frame(sequence: UInt32 = 0) throws(WireError) -> Frame {
        var encoder = WireEncoder()
        let kind: UInt16
        switch self {
        case .setup(let setup):
            kind = 1
            setup.write(to: &encoder)
        case .call(let call):
            kind = 2
            call.write(to: &encoder)
        case .reply(let reply):
            kind = 3
            reply.write(to: &encoder)
        case .shutdown: kind = 4
        }
        return try Frame(kind: kind, sequence: sequence, payload: encoder.bytes)
    }

    package init(_ frame: Frame) throws(WireError) {
        var decoder = WireDecoder(frame.payload[...])
        switch frame.kind {
        case 1: self = .setup(try WorkerSetup(from: &decoder))
        case 2: self = .call(try EntryCall(from: &decoder))
        case 3: self = .reply(try HostReply(from: &decoder))
        case 4: self = .shutdown
        default: throw WireError(.unknownKind, "host message \(frame.kind)")
        }
        try decoder.finish("host message \(frame.kind)")
    }
}

extension WorkerLimits {
    func write(to encoder: inout WireEncoder) {
        for value in [
            memoryBytes, stackBytes, threadStackBytes, threads, openFiles, fileSizeBytes,
            cpuSeconds,
        ] {
            encoder.put(value)
        }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        memoryBytes = try decoder.uint64("limits.memory")
        stackBytes = try decoder.uint64("limits.stack")
        threadStackBytes = try decoder.uint64("limits.threadStack")
        threads = try decoder.uint64("limits.threads")
        openFiles = try decoder.uint64("limits.openFiles")
        fileSizeBytes = try decoder.uint64("limits.fileSize")
        cpuSeconds = try decoder.uint64("limits.cpu")
    }
}

extension WorkerSetup {
    func write(to encoder: inout WireEncoder) {
        encoder.put(pluginPath)
        encoder.put(containerPath)
        encoder.put(optional: manifestPath) { $0.put($1) }
        encoder.put(list: runtimeFolders) { $0.put($1) }
        encoder.put(swiftToolchain)
        encoder.put(isolation.rawValue)
        encoder.put(list: absentLayers) { $0.put($1) }
        limits.write(to: &encoder)
        encoder.put(memoryLimitAction.rawValue)
        encoder.put(memoryRule.rawValue)
        encoder.put(optional: identity) { $0.put($1) }
        encoder.put(optional: inspectionLimit) { $0.put($1) }
        encoder.put(countsHoldings)
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        pluginPath = try decoder.text(atMost: WireBound.pathBytes, "setup.plugin")
        containerPath = try decoder.text(atMost: WireBound.pathBytes, "setup.container")
        manifestPath = try decoder.optional("setup.manifest") { input throws(WireError) in
            try input.text(atMost: WireBound.pathBytes, "setup.manifest")
        }
        runtimeFolders = try decoder.list(atMost: 16, "setup.runtime") { input throws(WireError) in
            try input.text(atMost: WireBound.pathBytes, "setup.runtime")
        }
        swiftToolchain = try decoder.text(atMost: 64, "setup.toolchain")
        isolation = try decoder.word("setup.isolation")
        absentLayers = try decoder.list(atMost: 32, "setup.absent") { input throws(WireError) in
            try input.text(atMost: 64, "setup.absent")
        }
        limits = try WorkerLimits(from: &decoder)
        memoryLimitAction = try decoder.word("setup.action")
        memoryRule = try decoder.word("setup.rule")
        identity = try decoder.optional("setup.identity") { input throws(WireError) in
            try input.uint32("setup.identity")
        }
        let limit = try decoder.optional("setup.task") { input throws(WireError) in
            try input.uint64("setup.task")
        }
        task = limit.map { .inspect(memoryLimitBytes: $0) } ?? .run
        countsHoldings = try decoder.flag("setup.holdings")
    }

    private var inspectionLimit: UInt64? {
        if case .inspect(let limit) = task { limit } else { nil }
    }
}

extension HostReply {
    func write(to encoder: inout WireEncoder) {
        switch self {
        case .status(let status):
            encoder.put(UInt8(1))
            encoder.put(status)
        case .value(let value):
            encoder.put(UInt8(2))
            encoder.put(value)
        case .downloads(let downloads):
            encoder.put(UInt8(3))
            encoder.put(list: downloads) { $1.write(to: &$0) }
        }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        switch try decoder.uint8("reply") {
        case 1: self = .status(try decoder.int32("reply.status"))
        case 2: self = .value(try decoder.int64("reply.value"))
        case 3:
            self = .downloads(
                try decoder.list(atMost: WireBound.listCount, "reply.downloads") {
                    input throws(WireError) in
                    try DownloadDescription(from: &input)
                })
        default: throw WireError(.badValue, "reply")
        }
    }
}
