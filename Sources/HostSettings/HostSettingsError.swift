/// A setting that cannot be read or written: which file, which key, and why.
package struct HostSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The file cannot be read, or is no regular file.
        case unreadable

        /// Not JSON, or past a bound; nothing of the file is used.
        case malformed

        /// A key's value has the wrong type or is out of range.
        case badValue

        /// The file or its folder cannot be made or written.
        case cannotWrite

        /// Another process holds the file's lock.
        case held
    }

    package let code: Code
    package let path: String

    /// Nil for the file as a whole.
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
