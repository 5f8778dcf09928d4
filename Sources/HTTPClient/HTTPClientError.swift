package import URLPolicy

/// What went wrong before or around a transfer; how a transfer ended is an ``HTTPOutcome``.
package struct HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// `libcurl.so.4` is missing, too old or broken.
        case libraryUnavailable
        /// libcurl had no memory.
        case outOfMemory
        /// libcurl refused an option or a handle; a fault of ours.
        case refusedByLibrary
        /// The URL may not be fetched; see ``HTTPClientError/refusal``.
        case urlRefused
    }

    package let code: Code
    /// What it was about, as one sentence.
    package let subject: String
    /// Why, when the code is `urlRefused`.
    package let refusal: URLRefusal?

    package init(code: Code, subject: String) {
        self.code = code
        self.subject = subject
        refusal = nil
    }

    package init(_ refusal: URLRefusal) {
        code = .urlRefused
        subject = refusal.message
        self.refusal = refusal
    }

    package var description: String { subject }
}
