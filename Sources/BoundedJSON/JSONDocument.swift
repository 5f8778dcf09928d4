/// What JSON text from outside may be at most.
package struct JSONBound: Hashable, Sendable {
    /// Bytes of the text.
    package let size: Int

    /// Brackets in one another.
    package let depth: Int

    /// Fields of one object.
    package let fields: Int

    package init(size: Int = 16 << 20, depth: Int = 64, fields: Int = 256) {
        self.size = size
        self.depth = depth
        self.fields = fields
    }
}

/// JSON text whose top is an object.
package enum JSONDocument {
    /// Checks all of it, and makes nothing of it yet but a list of the top's fields.
    ///
    /// - Parameters:
    ///   - bytes: The text, from outside.
    ///   - path: Its file's name, for messages.
    ///   - bound: What it may be at most.
    /// - Returns: The object at the top.
    /// - Throws: ``BoundedJSONError``, which names the file and the field.
    package static func read(
        untrusted bytes: [UInt8], path: String, bound: JSONBound = JSONBound()
    ) throws(BoundedJSONError) -> FieldReader {
        guard bytes.count <= bound.size else {
            throw BoundedJSONError(
                .tooLarge, path: path,
                message: "is larger than \(bound.size >> 20) MiB (\(bytes.count) bytes)")
        }
        try check(bytes, path, bound)
        return try FieldReader(
            JSONValue(wellFormed: bytes), path: path, field: nil, atMost: bound.fields)
    }

    private static func check(
        _ bytes: [UInt8], _ path: String, _ bound: JSONBound
    ) throws(BoundedJSONError) {
        do throws(JSONScan.Fault) {
            try JSONScan.check(bytes, maximumDepth: bound.depth)
        } catch {
            switch error {
            case .notUTF8:
                throw BoundedJSONError(.malformed, path: path, message: "is not UTF-8")
            case .tooDeep:
                throw BoundedJSONError(
                    .tooMuch, path: path, message: "is nested deeper than \(bound.depth) levels")
            case .malformed(let place):
                throw BoundedJSONError(
                    .malformed, path: path, message: "is not JSON from byte \(place) on")
            }
        }
    }
}
