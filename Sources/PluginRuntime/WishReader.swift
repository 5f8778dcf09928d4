internal import CPluginSDK
internal import Glibc
internal import WireProtocol

/// Reads a `bahost_download_request` of a plugin into a wish.
///
/// Form only; the host judges the rest.
struct WishReader {
    private(set) var wish = DownloadWish()

    private static let hostsOwn = ["host", "range", "if-range", "accept-encoding", "connection"]
    private static let knownFlags: UInt32 = 1 | 2

    /// Afterwards ``wish`` holds what was read, in case of a fault what came before it.
    mutating func read(_ pointer: UnsafePointer<bahost_download_request>?) throws(ArgumentFault) {
        _ = try unsafe PluginMemory.size(
            UnsafeRawPointer(pointer), "request",
            atLeast: MemoryLayout<bahost_download_request>.size)
        let request = try unsafe PluginMemory.value(pointer, "request")
        wish.identifier = try unsafe PluginMemory.text(
            request.identifier, "request->identifier", atMost: WireBound.identifierBytes)
        try readFlags(unsafe request.flags)
        wish.url = try unsafe PluginMemory.text(
            request.url, "request->url", atMost: WireBound.urlBytes)
        try unsafe readHeaders(request.headers, Int(request.header_count))
        try unsafe readMirrors(request.mirrors, Int(request.mirror_count))
        wish.sizeBytes = unsafe request.size_bytes
        wish.priority = unsafe request.priority
        if let group = unsafe request.group {
            wish.group = try unsafe PluginMemory.text(
                group, "request->group", atMost: WireBound.identifierBytes)
        }
        if let digest = unsafe request.sha256 {
            wish.sha256 = unsafe [UInt8](UnsafeRawBufferPointer(start: digest, count: 32))
        }
    }

    private mutating func readFlags(_ flags: UInt32) throws(ArgumentFault) {
        let unknown = flags & ~WishReader.knownFlags
        guard unknown == 0 else {
            throw .bad("request->flags has the unknown bit \(unknown.trailingZeroBitCount)")
        }
        wish.isEssential = flags & 1 != 0
        wish.allowsMetered = flags & 2 != 0
    }

    private mutating func readHeaders(
        _ headers: UnsafePointer<bahost_header>?, _ count: Int
    ) throws(ArgumentFault) {
        guard count > 0 else { return }
        guard count <= WireBound.headerCount else {
            throw .bad(
                "request->header_count is \(count), at most \(WireBound.headerCount) are allowed")
        }
        guard let headers = unsafe headers else { throw .bad("request->headers is NULL") }
        var total = 0
        for place in 0..<count {
            let header = try unsafe PluginMemory.value(headers + place, "request->headers")
            let field = "request->headers[\(place)]"
            let name = try unsafe PluginMemory.text(
                header.name, field + ".name", atMost: WireBound.headerBytes)
            let value = try unsafe WishReader.value(header.value, field + ".value")
            total += name.utf8.count + value.utf8.count
            guard total <= WireBound.headerBytes else {
                throw .text("request->headers are longer than \(WireBound.headerBytes) bytes")
            }
            try WishReader.check(name: name, value: value, field)
            wish.headers.append(RequestHeader(name: name, value: value))
        }
    }

    /// A header's value may be empty.
    private static func value(
        _ pointer: UnsafePointer<CChar>?, _ field: String
    ) throws(ArgumentFault) -> String {
        if let pointer = unsafe pointer, unsafe pointer.pointee == 0 { return "" }
        return try unsafe PluginMemory.text(pointer, field, atMost: WireBound.headerBytes)
    }

    /// RFC 9110, 5.1 and 5.5: a token, and a value without control characters.
    private static func check(
        name: String, value: String, _ field: String
    ) throws(ArgumentFault) {
        guard name.utf8.allSatisfy(isTokenByte) else {
            throw .bad("\(field).name is not a header's name")
        }
        guard !hostsOwn.contains(name.lowercased()) else {
            throw .bad("\(field).name is \(name), which is the host's own")
        }
        guard value.utf8.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else {
            throw .bad("\(field).value has a control character")
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private mutating func readMirrors(
        _ mirrors: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int
    ) throws(ArgumentFault) {
        guard count > 0 else { return }
        guard count <= WireBound.mirrorCount else {
            throw .bad(
                "request->mirror_count is \(count), at most \(WireBound.mirrorCount) are allowed")
        }
        guard let mirrors = unsafe mirrors else { throw .bad("request->mirrors is NULL") }
        for place in 0..<count {
            let mirror = unsafe UnsafeRawPointer(mirrors + place).loadUnaligned(
                as: UnsafePointer<CChar>?.self)
            wish.mirrors.append(
                try unsafe PluginMemory.text(
                    mirror, "request->mirrors[\(place)]", atMost: WireBound.urlBytes))
        }
    }
}
