internal import HTTPClient
internal import LinuxSystem

/// Which version of a resource the bytes of a partial file are of, as the file says itself.
///
/// Said once there are some bytes of it, gone before those of another version: whatever ends the host,
/// the bytes there are of this version. Small files do without.
package struct PartialVersion: Hashable, Sendable {
    package let validator: Validator
    package let totalBytes: UInt64?

    package init(_ validator: Validator, totalBytes: UInt64?) {
        self.validator = validator
        self.totalBytes = totalBytes
    }

    /// What an open partial file says; nil when it says nothing that can be used.
    package init?(of file: Int32) {
        guard let text = FileMark.version.read(from: file),
            let space = text.utf8.firstIndex(of: UInt8(ascii: " ")),
            let validator = Validator(stored: String(text[text.index(after: space)...]))
        else { return nil }
        let word = text[..<space]
        let total = UInt64(word)
        guard total != nil || word == "-" else { return nil }
        self.init(validator, totalBytes: total)
    }

    /// The mark: the total or `-`, a space, the validator.
    var text: String { "\(totalBytes.map(String.init) ?? "-") \(validator.text)" }
}
