/// What went wrong in libcrypto.
///
/// Nothing here depends on the bytes that are hashed.
package struct DigestsError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// libcrypto had no memory for a hash state.
        case outOfMemory
        /// libcrypto refused a step; a FIPS policy without SHA-256 would do that.
        case refused
    }

    package let code: Code
    /// The libcrypto function that failed.
    package let subject: String

    package init(code: Code, subject: String) {
        self.code = code
        self.subject = subject
    }

    package var description: String {
        switch code {
        case .outOfMemory: "no memory for a hash state (\(subject))"
        case .refused: "libcrypto refused SHA-256 (\(subject))"
        }
    }
}
