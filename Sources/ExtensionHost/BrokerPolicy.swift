package import URLPolicy
package import WireProtocol

/// A download of an earlier run that has not ended.
package struct UnfinishedDownload: Hashable, Sendable {
    package var url: String
    package var sizeBytes: UInt64
    package var sha256: [UInt8]?
    package var group: String

    package init(url: String, sizeBytes: UInt64, sha256: [UInt8]?, group: String) {
        self.url = url
        self.sizeBytes = sizeBytes
        self.sha256 = sha256
        self.group = group
    }
}

/// What an app's plugin may ask for, as things stand when the run starts.
package struct BrokerPolicy: Sendable {
    /// The group of wishes that name none.
    package var appGroup: String

    /// Further groups that belong to the app.
    package var otherGroups: Set<String> = []
    package var rules: URLRules

    /// What is left, unfinished downloads that may be adopted not yet taken off; nil: no limit.
    package var plainAllowance: UInt64?
    package var essentialAllowance: UInt64?

    /// docs/extension-author.md.
    package var requestsPerRun = 10_000
    package var admittedPerApp = 100_000

    /// By identifier.
    package var unfinished: [String: UnfinishedDownload] = [:]

    package init(appGroup: String, rules: URLRules) {
        self.appGroup = appGroup
        self.rules = rules
    }
}

/// A wish that the broker has found good.
package struct AdmittedRequest: Hashable, Sendable {
    /// What the admission means for a download of the same identifier of an earlier run.
    package enum Relation: Hashable, Sendable {
        case new

        /// The same thing: it goes on, with what it has.
        case adopted

        /// Another thing: the old one is dropped.
        case replaced
    }

    package let wish: DownloadWish
    package let url: RemoteURL
    package let mirrors: [RemoteURL]
    package let group: String
    package let relation: Relation

    package var identifier: String { wish.identifier }
}

/// What the broker says to one wish.
package enum BrokerDecision: Hashable, Sendable {
    /// Admitted if the entry point returns 0.
    case collected(AdmittedRequest)
    case admitted(AdmittedRequest)
    case refused(Refusal)

    /// What the plugin's call returns.
    package var status: Int32 {
        if case .refused(let refusal) = self { return refusal.code.status }
        return 0
    }
}
