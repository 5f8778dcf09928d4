extension HostCall {
    func write(to encoder: inout WireEncoder) {
        switch self {
        case .log(let level, let text):
            encoder.put(UInt8(1))
            encoder.put(level)
            encoder.put(text)
        case .schedule(let wish):
            encoder.put(UInt8(2))
            wish.write(to: &encoder)
        case .cancel(let identifier):
            encoder.put(UInt8(3))
            encoder.put(identifier)
        case .currentDownloads(let after, let capacity):
            encoder.put(UInt8(4))
            encoder.put(optional: after) { $0.put($1) }
            encoder.put(capacity)
        case .acquireExclusive(let timeout):
            encoder.put(UInt8(5))
            encoder.put(timeout)
        case .releaseExclusive: encoder.put(UInt8(6))
        case .remaining(let what):
            encoder.put(UInt8(7))
            encoder.put(what)
        case .refused(let identifier, let code, let sentence):
            encoder.put(UInt8(8))
            encoder.put(identifier)
            encoder.put(code)
            encoder.put(sentence)
        }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        let bound = WireBound.identifierBytes
        switch try decoder.uint8("host call") {
        case 1:
            let level = try decoder.int32("log.level")
            self = .log(
                level: level, text: try decoder.text(atMost: WireBound.logLineBytes, "log.text"))
        case 2: self = .schedule(try DownloadWish(from: &decoder))
        case 3: self = .cancel(identifier: try decoder.text(atMost: bound, "cancel.identifier"))
        case 4:
            let after = try decoder.optional("current.after") { input throws(WireError) in
                try input.text(atMost: bound, "current.after")
            }
            self = .currentDownloads(
                after: after, capacity: try decoder.uint32("current.capacity"))
        case 5:
            self = .acquireExclusive(timeoutMilliseconds: try decoder.int64("acquire.timeout"))
        case 6: self = .releaseExclusive
        case 7: self = .remaining(what: try decoder.uint32("remaining.what"))
        case 8:
            let identifier = try decoder.text(atMost: bound, "refused.identifier")
            let code = try decoder.int32("refused.code")
            self = .refused(
                identifier: identifier, code: code,
                sentence: try decoder.text(atMost: WireBound.sentenceBytes, "refused.sentence"))
        default: throw WireError(.unknownKind, "host call")
        }
    }
}

extension DownloadWish {
    func write(to encoder: inout WireEncoder) {
        encoder.put(isEssential)
        encoder.put(allowsMetered)
        encoder.put(identifier)
        encoder.put(url)
        encoder.put(list: headers) { output, header in
            output.put(header.name)
            output.put(header.value)
        }
        encoder.put(list: mirrors) { $0.put($1) }
        encoder.put(sizeBytes)
        encoder.put(priority)
        encoder.put(optional: group) { $0.put($1) }
        encoder.put(optional: sha256) { $0.put(raw: $1) }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        isEssential = try decoder.flag("wish.essential")
        allowsMetered = try decoder.flag("wish.metered")
        identifier = try decoder.text(atMost: WireBound.identifierBytes, "wish.identifier")
        url = try decoder.text(atMost: WireBound.urlBytes, "wish.url")
        headers = try decoder.list(atMost: WireBound.headerCount, "wish.headers") {
            input throws(WireError) in
            let name = try input.text(atMost: WireBound.headerBytes, "wish.headers")
            let value = try input.text(atMost: WireBound.headerBytes, "wish.headers")
            return RequestHeader(name: name, value: value)
        }
        mirrors = try decoder.list(atMost: WireBound.mirrorCount, "wish.mirrors") {
            input throws(WireError) in
            try input.text(atMost: WireBound.urlBytes, "wish.mirrors")
        }
        sizeBytes = try decoder.uint64("wish.size")
        priority = try decoder.int64("wish.priority")
        group = try decoder.optional("wish.group") { input throws(WireError) in
            try input.text(atMost: WireBound.identifierBytes, "wish.group")
        }
        sha256 = try decoder.optional("wish.sha256") { input throws(WireError) in
            try input.block(atMost: 32, "wish.sha256")
        }
        guard sha256.map({ $0.count == 32 }) ?? true else {
            throw WireError(.badValue, "wish.sha256")
        }
    }
}
