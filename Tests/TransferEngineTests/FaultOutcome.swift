import TransferEngine

/// What one order came to, as a cell of docs/server-faults.md says it.
struct FaultOutcome: Hashable {
    enum Ending: Hashable {
        /// The file is published and is one that the server has.
        case whole
        /// A file is published that the server has nowhere, and nothing in the answers said so.
        case unnoticed
        case failed(TransferFailure.Domain, Int32, isRetryable: Bool)
    }

    var ending: Ending
    /// Where the server went on with a file that is published.
    var joinedAt: UInt64?
    /// Bytes left to go on with; nil in an expectation: as many as there were.
    var kept: UInt64?
    /// In seconds.
    var retryAfter: Int64?
    var requests: Int

    static func whole(_ requests: Int = 1) -> Self {
        FaultOutcome(ending: .whole, kept: 0, requests: requests)
    }

    /// Whole, with the 20,000 bytes that were there.
    static func joined(_ requests: Int = 1) -> Self {
        FaultOutcome(ending: .whole, joinedAt: 20_000, kept: 0, requests: requests)
    }

    static func unnoticed(_ requests: Int = 1, joinedAt: UInt64? = nil) -> Self {
        FaultOutcome(ending: .unnoticed, joinedAt: joinedAt, kept: 0, requests: requests)
    }

    /// Fails for good.
    static func never(
        _ domain: TransferFailure.Domain, _ code: Int32, _ requests: Int = 1
    ) -> Self {
        FaultOutcome(
            ending: .failed(domain, code, isRetryable: false), kept: 0, requests: requests)
    }

    /// Fails and may be tried again.
    static func later(
        _ domain: TransferFailure.Domain, _ code: Int32, _ requests: Int = 1,
        keeps: UInt64? = nil, after delay: Int64? = nil
    ) -> Self {
        FaultOutcome(
            ending: .failed(domain, code, isRetryable: true), kept: keeps, retryAfter: delay,
            requests: requests)
    }

    /// The text of the table.
    var text: String {
        var parts: [String] = []
        switch ending {
        case .whole: parts.append(joinedAt.map { "whole, from byte \($0)" } ?? "whole")
        case .unnoticed: parts.append("**wrong, unnoticed**")
        case .failed(let domain, let code, let isRetryable):
            parts.append("\(isRetryable ? "later" : "fails"): \(domain.rawValue) \(code)")
        }
        if let retryAfter { parts.append("not before \(retryAfter) s") }
        switch (kept, ending) {
        case (nil, _): parts.append("keeps what came")
        case (let count?, .failed) where count > 0: parts.append("keeps \(count)")
        default: break
        }
        if requests != 1 { parts.append("\(requests) requests") }
        return parts.joined(separator: ", ")
    }
}
