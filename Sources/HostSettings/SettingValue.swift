package import BoundedJSON
package import LinuxSystem

/// What kind of value a setting takes, and in which range.
package enum SettingKind: Hashable, Sendable {
    /// On or off.
    case toggle

    /// A whole number.
    case count(ClosedRange<Int64>)

    /// Bytes, from 1 to ``mostBytes``.
    case size

    /// An address of one of these schemes.
    case url([String])

    /// Larger than any real use, small enough to be added to.
    package static let mostBytes: UInt64 = 1 << 50
    package static let mostURLBytes = 2_048

    /// For people: `1 to 256`.
    package var range: String {
        switch self {
        case .toggle: "true or false"
        case .count(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .size: "bytes, or 512K, 6M, 20G"
        case .url(let schemes): schemes.map { "\($0)://…" }.joined(separator: " or ")
        }
    }

    /// The word of `--json`.
    package var name: String {
        switch self {
        case .toggle: "toggle"
        case .count: "count"
        case .size: "bytes"
        case .url: "url"
        }
    }
}

/// One value of a setting.
package enum SettingValue: Hashable, Sendable, CustomStringConvertible {
    case toggle(Bool)
    case count(Int64)
    case size(ByteCount)
    case url(String)

    /// As it is written on a command line.
    package var description: String {
        switch self {
        case .toggle(let isOn): isOn ? "true" : "false"
        case .count(let count): "\(count)"
        case .size(let size): "\(size.bytes)"
        case .url(let text): text
        }
    }

    /// As JSON text; a URL has no character that needs an escape.
    var json: String {
        if case .url(let text) = self { return "\"\(text)\"" }
        return description
    }
}

/// Why something is no value of a setting; ends a sentence.
package struct SettingFault: Error, Hashable, Sendable {
    package let message: String
}

extension SettingKind {
    /// Reads a word of a command line.
    ///
    /// - Parameter word: The word.
    /// - Returns: The value.
    /// - Throws: ``SettingFault`` that says what is expected.
    package func value(untrusted word: String) throws(SettingFault) -> SettingValue {
        switch self {
        case .toggle:
            switch word {
            case "true", "on": return .toggle(true)
            case "false", "off": return .toggle(false)
            default: throw SettingFault(message: "must be true or false (or on, off)")
            }
        case .count:
            let isDigits = !word.isEmpty && word.utf8.allSatisfy { (48...57).contains($0) }
            return try count(isDigits ? Int64(word) : nil)
        case .size:
            guard let size = ByteCount(untrusted: word), size.bytes <= SettingKind.mostBytes else {
                throw SettingFault(message: "must be a size of 1 byte to 1048576G, such as 20G")
            }
            return .size(size)
        case .url: return try url(word)
        }
    }

    /// Reads a value of a file.
    ///
    /// - Parameter json: The value.
    /// - Returns: The value.
    /// - Throws: ``SettingFault`` that says what is expected and what is there.
    package func value(untrusted json: JSONValue) throws(SettingFault) -> SettingValue {
        switch self {
        case .toggle:
            guard let isOn = json.boolean else { throw mismatch("true or false", json) }
            return .toggle(isOn)
        case .count:
            guard json.kind == .number else { throw mismatch("a number", json) }
            return try count(json.integer)
        case .size:
            guard json.kind == .number else { throw mismatch("a number of bytes", json) }
            guard let count = json.integer, count > 0, UInt64(count) <= SettingKind.mostBytes else {
                throw SettingFault(
                    message: "must be a whole number of bytes from 1 to \(SettingKind.mostBytes)")
            }
            return .size(ByteCount(bytes: UInt64(count)))
        case .url:
            guard json.kind == .text else { throw mismatch("a string", json) }
            return try url(json.text ?? "")
        }
    }

    private func count(_ count: Int64?) throws(SettingFault) -> SettingValue {
        guard case .count(let bound) = self, let count, bound.contains(count) else {
            throw SettingFault(message: "must be a whole number from \(range)")
        }
        return .count(count)
    }

    /// Looks at form and scheme only; whoever dials parses it with the parser that dials.
    private func url(_ text: String) throws(SettingFault) -> SettingValue {
        guard case .url(let schemes) = self else { return .url(text) }
        guard text.utf8.count <= SettingKind.mostURLBytes else {
            throw SettingFault(message: "is longer than \(SettingKind.mostURLBytes) bytes")
        }
        guard AddressForm.isAddress(text, schemes: schemes) else {
            throw SettingFault(message: "must be an address such as \(range)")
        }
        return .url(text)
    }

    private func mismatch(_ expected: String, _ found: JSONValue) -> SettingFault {
        SettingFault(message: "must be \(expected), but is \(found.kind.rawValue)")
    }
}
