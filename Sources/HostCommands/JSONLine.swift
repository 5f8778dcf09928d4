internal import FoundationEssentials

/// An optional that is encoded as null, where the compiler's own code would leave the key out.
@propertyWrapper
package struct Nullable<Value: Hashable & Sendable & Encodable>: Hashable, Sendable, Encodable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}

/// A value as one line of JSON.
package enum JSONLine {
    /// Keys are sorted; a line feed ends it.
    ///
    /// ASCII control characters are escaped as JSON demands; the C1 controls, which JSON allows and
    /// terminals obey, are escaped too. Nil only if the encoder fails, which none of our values
    /// makes it do.
    package static func of(_ value: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return nil }
        return escapeControls(String(decoding: data, as: UTF8.self)) + "\n"
    }

    private static func escapeControls(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: TerminalText.isUnsafe) else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            if TerminalText.isUnsafe(scalar) {
                escaped += String(scalar).utf16.map(codeUnitEscape).joined()
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func codeUnitEscape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
