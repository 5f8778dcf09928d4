internal import WireProtocol

/// Takes fields out of one object by name, each with its type and its range checked.
///
/// `null` counts as a field that is not there.
struct FieldReader {
    /// In one object; a server's own fields count as well.
    private static let maximumFields = 256

    private let path: String
    private let field: String?
    private let fields: [String: JSONValue]

    /// - Throws: When the value is no object, or has a field twice.
    init(_ value: JSONValue, path: String, field: String?) throws(AssetPacksError) {
        self.path = path
        self.field = field
        guard value.kind == .object else {
            throw AssetPacksError(
                .wrongType, path: path, field: field,
                message: "must be an object, but is \(value.kind.rawValue)")
        }
        let members = value.members(atMost: FieldReader.maximumFields + 1)
        guard members.count <= FieldReader.maximumFields else {
            throw AssetPacksError(
                .tooMuch, path: path, field: field,
                message: "has more than \(FieldReader.maximumFields) fields")
        }
        var fields: [String: JSONValue] = [:]
        for (name, value) in members {
            guard let name else {
                throw AssetPacksError(
                    .malformed, path: path, field: field, message: "has a field without a name")
            }
            guard fields.updateValue(value, forKey: name) == nil else {
                throw AssetPacksError(
                    .badValue, path: path, field: field,
                    message: "has \(FieldReader.shown(name)) twice")
            }
        }
        self.fields = fields.filter { $0.value.kind != .null }
    }

    var names: [String] { Array(fields.keys) }

    func required<Value>(_ name: String, _ value: Value?) throws(AssetPacksError) -> Value {
        guard let value else {
            throw AssetPacksError(
                .missingField, path: path, field: way(to: name), message: "is missing")
        }
        return value
    }

    /// 1 to 255 bytes without control characters.
    func text(_ name: String) throws(AssetPacksError) -> String? {
        guard let value = fields[name] else { return nil }
        guard value.kind == .text else { throw mismatch(name, "a string", value) }
        guard let text = value.text else { throw bad(name, "holds half a surrogate pair") }
        let bound = WireBound.identifierBytes
        guard (1...bound).contains(text.utf8.count) else {
            throw bad(name, "must be 1 to \(bound) bytes long, but is \(text.utf8.count)")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw bad(name, "holds a control character") }
        return text
    }

    /// A whole number that is not negative.
    func count(_ name: String) throws(AssetPacksError) -> Int64? {
        guard let value = fields[name] else { return nil }
        guard value.kind == .number else { throw mismatch(name, "a number", value) }
        guard let number = value.integer, number >= 0 else {
            let digits = String(decoding: value.bytes.prefix(40), as: UTF8.self)
            throw bad(name, "must be a whole number from 0 to \(Int64.max), but is \(digits)")
        }
        return number
    }

    /// The object's text, byte for byte.
    func objectBytes(_ name: String) throws(AssetPacksError) -> [UInt8]? {
        guard let value = fields[name] else { return nil }
        guard value.kind == .object else { throw mismatch(name, "an object", value) }
        guard value.bytes.count <= WireBound.userInfoBytes else {
            throw bad(
                name,
                "must be at most \(WireBound.userInfoBytes) bytes long, "
                    + "but is \(value.bytes.count)")
        }
        return Array(value.bytes)
    }

    func object(_ name: String) throws(AssetPacksError) -> FieldReader? {
        guard let value = fields[name] else { return nil }
        return try FieldReader(value, path: path, field: way(to: name))
    }

    /// A list that must be there.
    func array(_ name: String, atMost bound: Int) throws(AssetPacksError) -> [JSONValue] {
        let value = try required(name, fields[name])
        guard value.kind == .array else { throw mismatch(name, "an array", value) }
        let elements = value.elements(atMost: bound + 1)
        guard elements.count <= bound else {
            throw AssetPacksError(
                .tooMuch, path: path, field: way(to: name),
                message: "lists more than \(bound) entries")
        }
        return elements
    }

    /// The error for a field's value, or with nil for this object itself.
    func bad(_ name: String?, _ message: String) -> AssetPacksError {
        AssetPacksError(
            .badValue, path: path, field: name.map { way(to: $0) } ?? field, message: message)
    }

    private func mismatch(
        _ name: String, _ expected: String, _ found: JSONValue
    ) -> AssetPacksError {
        AssetPacksError(
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
