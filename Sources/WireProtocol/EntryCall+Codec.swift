extension EntryCall {
    func write(to encoder: inout WireEncoder) {
        encoder.put(entryPoint.rawValue)
        switch self {
        case .content(_, let app, let manifestBytes):
            app.write(to: &encoder)
            encoder.put(manifestBytes)
        case .finished(let download, let path):
            download.write(to: &encoder)
            encoder.put(path)
        case .failed(let download, let error):
            download.write(to: &encoder)
            error.write(to: &encoder)
        case .packs(let batch): batch.write(to: &encoder)
        }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        let entry: EntryPoint = try decoder.word("call.entry")
        switch entry {
        case .install, .update, .checkForUpdates:
            let app = try AppDescription(from: &decoder)
            self = .content(entry, app, manifestBytes: try decoder.uint64("call.manifest"))
        case .downloadFinished:
            let download = try DownloadDescription(from: &decoder)
            self = .finished(
                download, path: try decoder.text(atMost: WireBound.pathBytes, "call.path"))
        case .downloadFailed:
            let download = try DownloadDescription(from: &decoder)
            self = .failed(download, try ErrorDescription(from: &decoder))
        case .shouldDownload: self = .packs(try PackBatch(from: &decoder))
        case .authenticationChallenge, .willTerminate:
            throw WireError(.badValue, "call.entry")
        }
    }
}

extension AppDescription {
    func write(to encoder: inout WireEncoder) {
        encoder.put(isRestricted)
        encoder.put(isDeveloper)
        for text in [identifier, version, previousVersion, group, language] {
            encoder.put(text)
        }
        encoder.put(restrictedBytesRemaining)
        encoder.put(restrictedEssentialBytesRemaining)
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        let bound = WireBound.identifierBytes
        isRestricted = try decoder.flag("app.restricted")
        isDeveloper = try decoder.flag("app.developer")
        identifier = try decoder.text(atMost: bound, "app.identifier")
        version = try decoder.text(atMost: bound, "app.version")
        previousVersion = try decoder.text(atMost: bound, "app.previousVersion")
        group = try decoder.text(atMost: bound, "app.group")
        language = try decoder.text(atMost: bound, "app.language")
        restrictedBytesRemaining = try decoder.int64("app.remaining")
        restrictedEssentialBytesRemaining = try decoder.int64("app.essentialRemaining")
    }
}

extension DownloadDescription {
    func write(to encoder: inout WireEncoder) {
        encoder.put(isEssential)
        encoder.put(isForeground)
        encoder.put(state)
        encoder.put(kind)
        for text in [identifier, uniqueIdentifier, url, group] { encoder.put(text) }
        encoder.put(sizeBytes)
        encoder.put(receivedBytes)
        encoder.put(priority)
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        isEssential = try decoder.flag("download.essential")
        isForeground = try decoder.flag("download.foreground")
        state = try decoder.int32("download.state")
        kind = try decoder.uint32("download.kind")
        identifier = try decoder.text(atMost: WireBound.identifierBytes, "download.identifier")
        uniqueIdentifier = try decoder.text(atMost: WireBound.identifierBytes, "download.unique")
        url = try decoder.text(atMost: WireBound.urlBytes, "download.url")
        group = try decoder.text(atMost: WireBound.identifierBytes, "download.group")
        sizeBytes = try decoder.uint64("download.size")
        receivedBytes = try decoder.uint64("download.received")
        priority = try decoder.int64("download.priority")
    }

    /// What it takes on the wire, for filling a page.
    package var encodedBytes: Int {
        var encoder = WireEncoder()
        write(to: &encoder)
        return encoder.bytes.count
    }
}

extension ErrorDescription {
    func write(to encoder: inout WireEncoder) {
        encoder.put(domain)
        encoder.put(code)
        encoder.put(httpStatus)
        encoder.put(message)
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        domain = try decoder.uint32("error.domain")
        code = try decoder.int32("error.code")
        httpStatus = try decoder.int32("error.http")
        message = try decoder.text(atMost: WireBound.sentenceBytes, "error.message")
    }
}
