package import DownloadScheduler

/// The bounds every record keeps, both when it is written and when it is read back.
///
/// The broker has judged a wish by then; here nothing is repaired, a record out of bounds is
/// refused by the name of its field. Numbers: the table of defaults.
package enum RecordBounds {
    package static let nameLength = 1...255
    package static let urlLength = 1...8192
    package static let mirrorCount = 16
    package static let headerCount = 64
    package static let headerBytes = 16 * 1024
    package static let pathLength = 1...4096
    /// A longer message is cut, not refused: a failure must not get lost over its wording.
    package static let messageLength = 4096

    /// The first field of `record` that is out of bounds, or nil.
    package static func fault(in record: DownloadRecord) -> String? {
        let checks: [(String, Bool)] = [
            ("rowID", record.rowID >= 0),
            ("app", isName(record.app)),
            ("identifier", isName(record.identifier)),
            ("uniqueIdentifier", isUUID(record.uniqueIdentifier)),
            ("url", isLine(record.url, urlLength)),
            ("host", isHost(record.host)),
            ("mirrors", areMirrors(record.mirrors)),
            ("headers", areHeaders(record.headers)),
            ("sizeBytes", fits(record.sizeBytes)),
            ("sha256", isDigest(record.sha256)),
            ("group", isName(record.group)),
            ("receivedBytes", fits(record.receivedBytes)),
            ("totalBytes", fits(record.totalBytes)),
            ("validator", fits(record.validator?.total)),
            ("finishedPath", isInside(record.finishedPath)),
            ("finishedPath", record.state != .finished || record.finishedPath != nil),
            ("resultSha256", isDigest(record.resultSha256)),
            ("error", record.error.map { isMessage($0.message) } ?? true),
            ("error", record.state != .failed || record.error != nil),
            ("attempts", record.attempts >= 0),
            ("retries", record.retries >= 0),
        ]
        return checks.first { !$0.1 }?.0
    }

    /// SQLite's integers have a sign.
    static func fits(_ bytes: UInt64?) -> Bool { (bytes ?? 0) <= UInt64(Int64.max) }

    static func isName(_ text: String) -> Bool { isLine(text, nameLength) }

    /// A part of an address, so never longer than one; "" where it is not known.
    static func isHost(_ text: String) -> Bool { isLine(text, 0...urlLength.upperBound) }

    static func isDigest(_ digest: [UInt8]?) -> Bool { (digest?.count ?? 32) == 32 }

    /// Whether the path, if there is one, leads from the container to something in it.
    static func isInside(_ path: String?) -> Bool {
        guard let path else { return true }
        guard pathLength.contains(path.utf8.count), !path.utf8.contains(0) else { return false }
        // By bytes, as the kernel does: "/" and a combining mark are one character.
        let steps = path.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return steps.allSatisfy { step in
            !["", ".", ".."].contains { step.elementsEqual($0.utf8) }
        }
    }

    /// `message` cut at a character so that it fits, without NUL.
    static func clipped(_ message: String) -> String {
        var clipped = ""
        var length = 0
        for character in message where !character.utf8.contains(0) {
            length += character.utf8.count
            guard length <= messageLength else { break }
            clipped.append(character)
        }
        return clipped
    }

    private static func isMessage(_ text: String) -> Bool {
        text.utf8.count <= messageLength && !text.utf8.contains(0)
    }

    /// Text without control characters, of a length in `range`.
    private static func isLine(_ text: String, _ range: ClosedRange<Int>) -> Bool {
        range.contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func areMirrors(_ mirrors: [String]) -> Bool {
        mirrors.count <= mirrorCount && mirrors.allSatisfy { isLine($0, urlLength) }
    }

    /// A value may hold tabs (RFC 9110 §5.5); nothing may hold a line end.
    private static func areHeaders(_ headers: [DownloadRecord.Header]) -> Bool {
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard headers.count <= headerCount, bytes <= headerBytes else { return false }
        return headers.allSatisfy { header in
            isLine(header.name, 1...headerBytes) && !header.name.utf8.contains(UInt8(ascii: ":"))
                && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }
    }

    /// RFC 9562 §4: 8-4-4-4-12 hexadecimal digits.
    static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return text.utf8.enumerated().allSatisfy { index, byte in
            switch (index, byte) {
            case (8, _), (13, _), (18, _), (23, _): byte == UInt8(ascii: "-")
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")): true
            case (_, UInt8(ascii: "a")...UInt8(ascii: "f")): true
            case (_, UInt8(ascii: "A")...UInt8(ascii: "F")): true
            default: false
            }
        }
    }
}
