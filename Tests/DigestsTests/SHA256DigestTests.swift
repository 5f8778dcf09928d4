import Digests
import Testing

struct SHA256DigestTests {
    private let digest = (0..<32).map { UInt8($0 * 8 + 7) }

    @Test func hexadecimalIsLowerCaseAndComplete() {
        #expect(SHA256Digest.hex([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
    }

    @Test func readsBackWhatItWrote() {
        #expect(SHA256Digest.parse(hex: SHA256Digest.hex(digest)) == digest)
    }

    @Test func readsEitherCase() {
        #expect(SHA256Digest.parse(hex: SHA256Digest.hex(digest).uppercased()) == digest)
    }

    @Test(arguments: [
        "", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
        String(repeating: "g", count: 64), String(repeating: "0", count: 62) + "0x",
        String(repeating: "0", count: 63) + "\n", " " + String(repeating: "0", count: 63),
        String(repeating: "é", count: 32), String(repeating: "٣", count: 64),
        String(repeating: "0", count: 63) + "@", String(repeating: "0", count: 63) + "`",
        String(repeating: "0", count: 63) + "/", String(repeating: "0", count: 63) + ":",
    ])
    func refusesAnythingElse(text: String) {
        #expect(SHA256Digest.parse(hex: text) == nil)
    }
}
