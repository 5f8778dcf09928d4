internal import Digests
internal import Glibc
internal import HTTPClient
package import LinuxSystem
package import URLPolicy

/// Why an order failed, in the domains of SDK/ABI.md.
package struct TransferFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Domain: String, Hashable, Sendable {
        case apple
        case bahost
        case http
        case transport
        case errno
    }

    package let domain: Domain
    /// Apple's or our number, an HTTP status, a CURLcode or an errno value.
    package let code: Int32
    /// The status of the last answer; 0 when there was none.
    package var httpStatus: Int32 = 0
    /// One sentence without a full stop.
    package let message: String
    /// True when the same order may go better later.
    package let isRetryable: Bool
    /// How long the server asked to be left alone, at most an hour.
    package var retryAfter: Duration?

    package init(
        domain: Domain, code: Int32, httpStatus: Int32 = 0, message: String,
        isRetryable: Bool = false, retryAfter: Duration? = nil
    ) {
        self.domain = domain
        self.code = code
        self.httpStatus = httpStatus
        self.message = message
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
    }

    package var description: String { message }

    /// True when the partial is worth keeping: the order can be tried again, or it was this machine
    /// that failed.
    var keepsPartial: Bool { isRetryable || domain == .errno }

    /// True when the bytes themselves are wrong or too many, whichever server gives the rest.
    var spoilsPartial: Bool {
        switch domain {
        case .bahost where code == Self.sizeMismatchCode || code == Self.digestMismatchCode:
            !isRetryable
        case .apple: code == 204
        default: false
        }
    }
}

extension TransferFailure {
    /// bahost 1011: the file is not as long as agreed.
    package static let sizeMismatchCode: Int32 = 1011
    /// bahost 1012: the file is not the one agreed.
    package static let digestMismatchCode: Int32 = 1012

    static func sizeMismatch(agreed: UInt64, found: String, isRetryable: Bool = false) -> Self {
        TransferFailure(
            domain: .bahost, code: sizeMismatchCode,
            message: "the size agreed on is \(agreed) bytes, the server has \(found)",
            isRetryable: isRetryable)
    }

    static func digestMismatch(agreed: [UInt8], found: [UInt8]) -> Self {
        TransferFailure(
            domain: .bahost, code: digestMismatchCode,
            message: "the SHA-256 agreed on is \(SHA256Digest.hex(agreed)), "
                + "the server's file has \(SHA256Digest.hex(found))")
    }

    /// Apple's 203 before a transfer, 204 in the middle of it.
    static func overAllowance(_ limit: UInt64, hasBegun: Bool) -> Self {
        TransferFailure(
            domain: .apple, code: hasBegun ? 204 : 203,
            message: "the file is larger than the \(limit) bytes that may be fetched")
    }

    /// 408, 429 and 5xx may go better later; every other status is the server's last word.
    static func status(of head: ResponseHead, nowSeconds: Int64) -> Self {
        let isRetryable = head.status == 408 || head.status == 429 || head.status >= 500
        return TransferFailure(
            domain: .http, code: head.status, httpStatus: head.status,
            message: "the server answered \(head.status)", isRetryable: isRetryable,
            retryAfter: isRetryable ? head.retryDelay(nowSeconds: nowSeconds) : nil)
    }

    /// Fewer bytes than the answer's own head had announced.
    static func cutShort(_ found: UInt64, of total: UInt64) -> Self {
        TransferFailure(
            domain: .transport, code: 18,
            message: "the server ended after \(found) of \(total) bytes", isRetryable: true)
    }

    static func nothingOpen(_ path: String) -> Self {
        TransferFailure(SystemError(call: "open", subject: path, code: ENOENT))
    }

    static func stalled(_ time: Duration) -> Self {
        TransferFailure(
            domain: .transport, code: 28,
            message: "next to nothing came for \(time.components.seconds) seconds",
            isRetryable: true)
    }

    /// libcurl did not take up again what the cap had held.
    static let notResumed = TransferFailure(
        domain: .transport, code: 42, message: "the transfer could not be taken up again",
        isRetryable: true)

    /// An answer that cannot be used, with the CURLcode that comes nearest.
    ///
    /// libcurl-errors(3).
    static func unusable(_ code: Int32, _ head: ResponseHead, _ message: String) -> Self {
        TransferFailure(
            domain: .transport, code: code, httpStatus: head.status, message: message)
    }

    package init(_ refusal: URLRefusal) {
        let domain: Domain =
            switch refusal.domain {
            case .apple: .apple
            case .bahost: .bahost
            case .transport: .transport
            }
        self.init(domain: domain, code: refusal.code, message: refusal.message)
    }

    package init(_ error: SystemError) {
        let hint = Self.hints[error.code].map { "; \($0)" } ?? ""
        self.init(domain: .errno, code: error.code, message: "\(error)\(hint)")
    }

    /// What can be done about a fault of this machine.
    private static let hints: [Int32: String] = [
        ENOSPC: "free some space and start again",
        EDQUOT: "this user's share of the disk is used up: free some of it and start again",
        EFBIG: "no file may be that large here: raise the limit (ulimit -f) or use another disk",
        EROFS: "the disk is mounted read-only: use another folder",
        EACCES: "give this user the right to write there",
        EPERM: "give this user the right to write there",
        EXDEV: "the partial file and its destination must lie on one mount",
    ]

    init(_ fault: HTTPFault) {
        if let refusal = fault.refusal {
            self.init(refusal)
            return
        }
        self.init(
            domain: .transport, code: fault.code, message: fault.message,
            isRetryable: fault.isTransient)
    }

    /// libcurl or libcrypto refused to work: of this machine, not of the server.
    init(_ error: HTTPClientError) {
        if let refusal = error.refusal {
            self.init(refusal)
            return
        }
        let code = error.code == .outOfMemory ? ENOMEM : ELIBACC
        self.init(domain: .errno, code: code, message: error.description)
    }

    init(_ error: DigestsError) {
        self.init(domain: .errno, code: ENOMEM, message: error.description)
    }
}
