/// An app's description that cannot be used: which file, which key, and why.
package struct InstalledAppsError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// More than ``PropertyList/maximumSize`` bytes.
        case tooLarge
        /// Nested deeper than ``PropertyList/maximumDepth``, or more values than bytes allow.
        case tooDeep
        /// Not a property list, or a damaged one.
        case malformed
        /// A key that must be there is not.
        case missingKey
        /// A key holds a value of another type than it must.
        case wrongType
        /// The type is right, the value makes no sense.
        case badValue
    }

    package let code: Code

    /// The file, as the caller named it.
    package let path: String

    /// The key with its way from the top, such as
    /// `BAInitialDownloadRestrictions.BADownloadAllowance`; nil for the file as a whole.
    package let key: String?

    package let message: String

    package init(_ code: Code, path: String, key: String? = nil, message: String) {
        self.code = code
        self.path = path
        self.key = key
        self.message = message
    }

    package var description: String {
        key.map { "\(path): \($0): \(message)" } ?? "\(path): \(message)"
    }
}
