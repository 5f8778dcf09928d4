internal import CPluginSDK
internal import Foundation

/// C copies of texts and bytes, freed together.
///
/// What is handed out lives as long as this value.
@safe
private struct CCopies: ~Copyable {
    private var blocks: [UnsafeMutableRawPointer] = unsafe []

    /// - Returns: nil for nil, and when memory has run out.
    mutating func text(_ text: String?) -> UnsafePointer<CChar>? {
        guard let text, let copy = unsafe strdup(text) else { return nil }
        unsafe blocks.append(UnsafeMutableRawPointer(copy))
        return unsafe UnsafePointer(copy)
    }

    /// - Returns: nil for nil, and when memory has run out.
    mutating func bytes(_ bytes: Data?) -> UnsafePointer<UInt8>? {
        guard let bytes, let copy = unsafe malloc(max(bytes.count, 1)) else { return nil }
        unsafe blocks.append(copy)
        let target = unsafe copy.bindMemory(to: UInt8.self, capacity: bytes.count)
        unsafe bytes.copyBytes(to: target, count: bytes.count)
        return unsafe UnsafePointer(target)
    }

    deinit {
        // SAFETY: each came from strdup or malloc above, and nothing outlives this value.
        unsafe blocks.forEach { unsafe free($0) }
    }
}

extension BAURLDownload {
    /// Asks the host for this download.
    ///
    /// - Throws: `BAError` with `downloadInvalid`, saying what cannot be asked for at all, or with
    ///   the host's answer.
    func hand(to host: HostTable) throws {
        let address = try checkedAddress()
        var copies = CCopies()
        let headers = unsafe headers.sorted { $0.key < $1.key }.map {
            unsafe bahost_header(
                name: unsafe copies.text($0.key), value: unsafe copies.text($0.value))
        }
        let mirrors = unsafe mirrors.map { unsafe copies.text($0.absoluteString) }
        var request = unsafe bahost_download_request()
        unsafe request.struct_size = UInt32(MemoryLayout<bahost_download_request>.size)
        unsafe request.flags =
            (isEssential ? BAHOST_REQUEST_ESSENTIAL : 0)
            | (allowsMeteredNetwork ? BAHOST_REQUEST_ALLOW_METERED : 0)
        unsafe request.identifier = copies.text(identifier)
        unsafe request.url = copies.text(address)
        unsafe request.header_count = UInt32(clamping: headers.count)
        unsafe request.mirror_count = UInt32(clamping: mirrors.count)
        unsafe request.size_bytes = UInt64(clamping: fileSize)
        unsafe request.priority = Int64(priority.rawValue)
        unsafe request.group = copies.text(applicationGroupIdentifier)
        unsafe request.sha256 = copies.bytes(sha256)
        let status = unsafe headers.withUnsafeBufferPointer { headers in
            unsafe mirrors.withUnsafeBufferPointer { mirrors in
                unsafe request.headers = headers.count == 0 ? nil : headers.baseAddress
                unsafe request.mirrors = mirrors.count == 0 ? nil : mirrors.baseAddress
                return unsafe host.schedule(&request)
            }
        }
        extendLifetime(copies)
        if let error = BAError(hostStatus: status, message: "download \"\(identifier)\"") {
            throw error
        }
    }

    /// The address, when everything in the request can be said in C.
    private func checkedAddress() throws -> String {
        func invalid(_ fault: String) -> BAError {
            BAError(.downloadInvalid, message: "download \"\(identifier)\": \(fault)")
        }
        if let fault { throw invalid(fault) }
        guard let address = url?.absoluteString else { throw invalid("it has no address") }
        guard fileSize >= 0 else { throw invalid("its size is \(fileSize)") }
        if let sha256, sha256.count != 32 {
            throw invalid("its SHA-256 has \(sha256.count) bytes, not 32")
        }
        // A C text ends at the first NUL: the rest would be lost without a word.
        var texts = [identifier, address, applicationGroupIdentifier ?? ""]
        texts += headers.flatMap { [$0.key, $0.value] }
        guard texts.allSatisfy({ !$0.utf8.contains(0) }) else { throw invalid("it holds a NUL") }
        return address
    }
}

extension Set<BADownload> {
    /// The order in which a set is handed over.
    ///
    /// Essential first, then by priority, then by the bytes of the identifier. A Set's own order
    /// is random.
    func inHandoverOrder() -> [BADownload] {
        sorted { left, right in
            if left.isEssential != right.isEssential { return left.isEssential }
            if left.priority != right.priority { return left.priority > right.priority }
            if left.identifier != right.identifier {
                return left.identifier.utf8.lexicographicallyPrecedes(right.identifier.utf8)
            }
            return left.uniqueIdentifier < right.uniqueIdentifier
        }
    }
}
