import Digests
import Testing

struct SHA256HasherTests {
    /// NIST, "Examples with Intermediate Values", SHA-256; the empty message from NIST CAVP
    /// (`SHA256ShortMsg.rsp`).
    private static let vectors: [(message: String, digest: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test(arguments: 0..<5)
    func givesThePublishedDigest(index: Int) throws {
        let (message, expected) = Self.vectors[index]
        #expect(SHA256Digest.hex(try SHA256Digest.digest(of: Array(message.utf8))) == expected)
    }

    @Test(arguments: [1, 7, 55, 56, 63, 64, 65, 4096])
    func portionsDoNotMatter(portion: Int) throws {
        let message = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var hasher = try SHA256Hasher()
        for start in stride(from: 0, to: message.count, by: portion) {
            try hasher.update(Array(message[start..<min(start + portion, message.count)]))
        }
        #expect(try hasher.finalize() == SHA256Digest.digest(of: message))
    }

    @Test func hashesABufferThatCOwns() throws {
        var hasher = try SHA256Hasher()
        var failed = false
        unsafe Array("abc".utf8).withUnsafeBytes { bytes in
            do { try unsafe hasher.update(bytes) } catch { failed = true }
        }
        #expect(!failed)
        #expect(SHA256Digest.hex(try hasher.finalize()) == Self.vectors[1].digest)
    }

    @Test func anEmptyPortionChangesNothing() throws {
        var hasher = try SHA256Hasher()
        try hasher.update([])
        try unsafe hasher.update(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(SHA256Digest.hex(try hasher.finalize()) == Self.vectors[0].digest)
    }
}
