internal import Digests
internal import LinuxSystem

/// The digest of a file that is there.
enum FileDigest {
    private static let roomBytes = 256 * 1024

    /// Reads an open file to its end; its access time stays, as far as its owner may have that.
    ///
    /// - Parameters:
    ///   - file: At its beginning.
    ///   - subject: For messages.
    /// - Returns: Its length in bytes and its SHA-256; nil when libcrypto refuses to work.
    /// - Throws: ``SystemError`` when it cannot be read.
    static func of(
        _ file: Int32, subject: String
    ) throws(SystemError) -> (length: UInt64, sha256: [UInt8])? {
        // For one that may not have it, this is a use of the file.
        try? Descriptor.keepAccessTime(file, subject: subject)
        var length: UInt64 = 0
        var room = [UInt8](repeating: 0, count: roomBytes)
        guard var hasher = try? SHA256Hasher() else { return nil }
        reading: while true {
            switch DescriptorIO.read(file, into: &room) {
            case .moved(let count):
                length += UInt64(count)
                let part = unsafe room.span.bytes.extracting(0..<count)
                guard (try? hasher.update(part)) != nil else { return nil }
            case .ended, .wouldBlock: break reading
            case .failed(let code):
                throw SystemError(call: "read", subject: subject, code: code)
            }
        }
        guard let sha256 = try? hasher.finalize() else { return nil }
        return (length, sha256)
    }
}
