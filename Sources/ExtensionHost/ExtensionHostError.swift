internal import LinuxSystem

/// Why a worker could not be started or asked.
package struct ExtensionHostError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// A pipe, a socket or the program could not be made.
        case cannotStart

        /// Something else is on the stack, or the worker is not loaded or ending.
        case notIdle

        /// A message is longer than a frame may be.
        case messageTooLong
    }

    package let code: Code

    /// What it was about, for people.
    package let subject: String

    /// The errno value, if the kernel gave one.
    package let systemCode: Int32?

    package init(_ code: Code, subject: String, systemCode: Int32? = nil) {
        self.code = code
        self.subject = subject
        self.systemCode = systemCode
    }

    package var description: String {
        let sentence =
            switch code {
            case .cannotStart: "cannot start the worker"
            case .notIdle: "the worker cannot be called now"
            case .messageTooLong: "the message is longer than a frame may be"
            }
        let reason = systemCode.map { ": \(SystemError.message(for: $0))" } ?? ""
        return "\(sentence): \(subject)\(reason)"
    }
}
