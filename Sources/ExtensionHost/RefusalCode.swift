/// The numbers a wish is refused with.
///
/// SDK/include/bahost.
package enum RefusalCode: Int32, Hashable, Sendable, CaseIterable {
    case downloadInvalid = 0
    case callFromExtensionNotAllowed = 50
    case callFromInactiveProcessNotAllowed = 51
    case callerConnectionNotAccepted = 55
    case callerConnectionInvalid = 56
    case downloadAlreadyScheduled = 100
    case downloadNotScheduled = 101
    case downloadFailedToStart = 102
    case downloadAlreadyFailed = 103
    case downloadEssentialDownloadNotPermitted = 109
    case downloadBackgroundActivityProhibited = 111
    case downloadWouldExceedAllowance = 112
    case downloadDoesNotExist = 113
    case sessionDownloadDisallowedByDomain = 202
    case sessionDownloadDisallowedByAllowance = 203
    case sessionDownloadAllowanceExceeded = 204
    case sessionDownloadNotPermittedBeforeAppLaunch = 206
    case badArgument = 1000
    case tooManyRequests = 1001
    case badString = 1002
    case urlRefused = 1003
    case leaseDeadline = 1004
    case noSpace = 1005
    case notAllowedNow = 1006
    case noFeature = 1007
    case groupNotYours = 1008
    case groupQuota = 1009
    case addressNotAllowed = 1010
    case sizeMismatch = 1011
    case digestMismatch = 1012

    package enum Domain: String, Hashable, Sendable {
        case apple
        case bahost
    }

    package var domain: Domain { rawValue < 1000 ? .apple : .bahost }

    /// Apple's constant, or ours in the same shape.
    package var name: String { "\(self)" }

    /// What a host call returns: the number, but 1 for Apple's 0.
    package var status: Int32 { self == .downloadInvalid ? 1 : rawValue }
}

/// A wish that was not admitted, and what would change that.
package struct Refusal: Hashable, Sendable {
    /// Control characters replaced.
    package let identifier: String
    package let code: RefusalCode

    /// One sentence without a full stop.
    package let message: String

    /// The option that would allow it, such as `--allow-domain cdn.example.com`.
    package let hint: String?

    package init(
        _ code: RefusalCode, _ message: String, identifier: String, hint: String? = nil
    ) {
        self.code = code
        self.message = PlainText.clean(message)
        self.identifier = PlainText.clean(identifier)
        self.hint = hint
    }

    /// A request whose form the worker has refused; a number that is none counts as a bad argument.
    package init(reportedBy identifier: String, code: Int32, sentence: String) {
        self.init(
            RefusalCode(rawValue: code) ?? .badArgument, sentence, identifier: identifier)
    }

    package var domain: RefusalCode.Domain { code.domain }
    package var name: String { code.name }
}
