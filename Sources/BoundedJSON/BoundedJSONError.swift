/// JSON text from outside that cannot be used: which file, where in it, and why.
package struct BoundedJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// More bytes than the bound.
        case tooLarge
        /// Nested deeper, or with more entries, than the bound.
        case tooMuch
        /// Not JSON.
        case malformed
        /// A field that must be there is not.
        case missingField
        /// A field holds a value of another type than it must.
        case wrongType
        /// The type is right, the value makes no sense.
        case badValue
    }

    package let code: Code

    /// The file, as the caller named it.
    package let path: String

    /// The way from the top, such as `assetPacks[3].downloadSize`; nil for the file as a whole.
    package let field: String?

    package let message: String

    package init(_ code: Code, path: String, field: String? = nil, message: String) {
        self.code = code
        self.path = path
        self.field = field
        self.message = message
    }

    package var description: String {
        field.map { "\(path): \($0): \(message)" } ?? "\(path): \(message)"
    }
}
