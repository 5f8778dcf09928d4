/// Manifests that no plugin should trip over, made when they are needed.
enum HostileManifest: CaseIterable {
    case binary
    case longLine
    case badText
    case deepJSON
    case truncatedPropertyList

    /// The most that a host hands to a plugin.
    static let largestBytes = 16 << 20

    var name: String {
        switch self {
        case .binary: "with a manifest of binary garbage"
        case .longLine: "with a manifest of one line of 1 MiB"
        case .badText: "with a manifest that is not UTF-8"
        case .deepJSON: "with a manifest of JSON 100,000 deep"
        case .truncatedPropertyList: "with a manifest that is half a property list"
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .binary: HostileManifest.garbage(64 << 10)
        case .longLine: [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        case .badText:
            Array("{\"name\": \"".utf8) + [0xC3, 0x28, 0xED, 0xA0, 0x80, 0xFF, 0, 0xF8]
                + Array("\"}\nlevel \u{FF} \u{0}\n".utf8)
        case .deepJSON:
            Array(String(repeating: "[{\"a\":", count: 100_000).utf8)
        case .truncatedPropertyList:
            Array(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
                "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0"><dict><key>levels</key><array><dict><key>url</key><str
                """.utf8)
        }
    }

    /// 16 MiB of lines, the last of them cut.
    static var huge: [UInt8] {
        let line = Array("entry 0123456789 abcdefghijklmnopqrstuvwxyz 0123456789 {} [] \"\"\n".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(largestBytes + line.count)
        while bytes.count < largestBytes { bytes += line }
        return Array(bytes.prefix(largestBytes))
    }

    /// The same bytes each time: a linear congruential generator (Knuth, TAOCP 3.3.4, line 26).
    private static func garbage(_ count: Int) -> [UInt8] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
