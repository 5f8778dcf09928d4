/// Takes fields out of one object by name, each with its type and its range checked.
///
/// `null` counts as a field that is not there. Names are the same when their bytes are: two spellings
/// of one character are two names (RFC 8259 §8.3).
package struct FieldReader {
    private let path: String
    private let field: String?
    private let maximumFields: Int
    private let fields: [[UInt8]: JSONValue]

    /// Every name in the order of the text, those with `null` included.
    package let allNames: [String]

    /// - Parameters:
    ///   - value: What must be an object.
    ///   - path: Its file's name, for messages.
    ///   - field: The way to it; nil for the top.
    ///   - maximumFields: More are refused, those that nobody asks for included.
    /// - Throws: ``BoundedJSONError`` when it is no object, or has a field twice.
    package init(
        _ value: JSONValue, path: String, field: String?, atMost maximumFields: Int = 256
    ) throws(BoundedJSONError) {
        self.maximumFields = maximumFields
        self.path = path
        self.field = field
        guard value.kind == .object else {
            throw BoundedJSONError(
                .wrongType, path: path, field: field,
                message: "must be an object, but is \(value.kind.rawValue)")
        }
        let members = value.members(atMost: maximumFields + 1)
        guard members.count <= maximumFields else {
            throw BoundedJSONError(
                .tooMuch, path: path, field: field,
                message: "has more than \(maximumFields) fields")
        }
        var fields: [[UInt8]: JSONValue] = [:]
        var names: [String] = []
        for (name, value) in members {
            guard let name else {
                throw BoundedJSONError(
                    .malformed, path: path, field: field, message: "has a field without a name")
            }
            guard fields.updateValue(value, forKey: Array(name.utf8)) == nil else {
                throw BoundedJSONError(
                    .badValue, path: path, field: field,
                    message: "has \(FieldReader.shown(name)) twice")
            }
            names.append(name)
        }
        allNames = names
        self.fields = fields
    }

    /// In the order of the text.
    package var names: [String] { allNames.filter { value($0) != nil } }

    /// Any value; nil when it is not there or `null`.
    package func value(_ name: String) -> JSONValue? {
        fields[Array(name.utf8)].flatMap { $0.kind == .null ? nil : $0 }
    }

    /// A value's text, byte for byte, `null` included.
    package func bytes(_ name: String) -> ArraySlice<UInt8>? { fields[Array(name.utf8)]?.bytes }

    /// - Throws: ``BoundedJSONError`` when there is no value.
    package func required<Value>(_ name: String, _ value: Value?) throws(BoundedJSONError) -> Value
    {
        guard let value else {
            throw BoundedJSONError(
                .missingField, path: path, field: way(to: name), message: "is missing")
        }
        return value
    }

    /// A string of 1 to `bound` bytes without control characters.
    package func text(
        _ name: String, atMost bound: Int
    ) throws(BoundedJSONError) -> String? {
        guard let value = value(name) else { return nil }
        guard value.kind == .text else { throw mismatch(name, "a string", value) }
        guard let text = value.text else { throw bad(name, "holds half a surrogate pair") }
        guard (1...bound).contains(text.utf8.count) else {
            throw bad(name, "must be 1 to \(bound) bytes long, but is \(text.utf8.count)")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw bad(name, "holds a control character") }
        return text
    }

    /// A whole number that is not negative.
    package func count(_ name: String) throws(BoundedJSONError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard value.kind == .number else { throw mismatch(name, "a number", value) }
        guard let number = value.integer, number >= 0 else {
            let digits = String(decoding: value.bytes.prefix(40), as: UTF8.self)
            throw bad(name, "must be a whole number from 0 to \(Int64.max), but is \(digits)")
        }
        return number
    }

    /// The text of an object of at most `bound` bytes, byte for byte.
    package func objectBytes(
        _ name: String, atMost bound: Int
    ) throws(BoundedJSONError) -> [UInt8]? {
        guard let value = value(name) else { return nil }
        guard value.kind == .object else { throw mismatch(name, "an object", value) }
        guard value.bytes.count <= bound else {
            throw bad(
                name, "must be at most \(bound) bytes long, but is \(value.bytes.count)")
        }
        return Array(value.bytes)
    }

    /// An object; nil when it is not there.
    package func object(_ name: String) throws(BoundedJSONError) -> FieldReader? {
        guard let value = value(name) else { return nil }
        return try FieldReader(value, path: path, field: way(to: name), atMost: maximumFields)
    }

    /// A list that must be there.
    package func array(_ name: String, atMost bound: Int) throws(BoundedJSONError) -> [JSONValue] {
        let value = try required(name, value(name))
        guard value.kind == .array else { throw mismatch(name, "an array", value) }
        let elements = value.elements(atMost: bound + 1)
        guard elements.count <= bound else {
            throw BoundedJSONError(
                .tooMuch, path: path, field: way(to: name),
                message: "lists more than \(bound) entries")
        }
        return elements
    }

    /// The error for a field's value, or with nil for this object itself.
    package func bad(_ name: String?, _ message: String) -> BoundedJSONError {
        BoundedJSONError(
            .badValue, path: path, field: name.map { way(to: $0) } ?? field, message: message)
    }

    /// The error for a value of another type than `expected`.
    package func mismatch(
        _ name: String, _ expected: String, _ found: JSONValue
    ) -> BoundedJSONError {
        BoundedJSONError(
            .wrongType, path: path, field: way(to: name),
            message: "must be \(expected), but is \(found.kind.rawValue)")
    }

    private func way(to name: String) -> String { field.map { "\($0).\(name)" } ?? name }

    /// A name from outside: at most 40 scalars, with `?` for what is not visible.
    private static func shown(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars.prefix(40) {
            text.unicodeScalars.append(isVisible(scalar) ? scalar : "?")
        }
        return name.unicodeScalars.count > 40 ? "\"\(text)…\"" : "\"\(text)\""
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
            .unassigned:
            false
        default: true
        }
    }
}
