internal import URLPolicy
package import WireProtocol

/// The check between a plugin's wishes and the scheduler, for one run.
///
/// Pure but for libcurl's URL parser.
package struct Broker: Sendable {
    let policy: BrokerPolicy
    private var plain: Allowance
    private var essential: Allowance
    private var requests = 0

    /// Transfers of unknown size that hold the rest of the plain allowance.
    private var openSizes: Set<String> = []

    /// Every identifier that is collected or admitted and has not ended, by its lower-case form.
    private var taken: [String: String] = [:]

    /// Those of them that no earlier run has left behind.
    private var newCount = 0

    /// Of earlier runs, ended ones taken out.
    private var unfinished: [String: UnfinishedDownload]
    private let unfinishedByLowerCase: [String: String]
    private var collected: [AdmittedRequest] = []

    package init(policy: BrokerPolicy) {
        self.policy = policy
        unfinished = policy.unfinished
        unfinishedByLowerCase = Dictionary(
            policy.unfinished.keys.map { ($0.lowercased(), $0) }, uniquingKeysWith: min)
        plain = Allowance(limit: policy.plainAllowance)
        essential = Allowance(limit: policy.essentialAllowance)
    }

    /// Judges one wish made while `entry` is on the stack.
    ///
    /// In order: identifier, quotas, URL and mirrors, group, headers, essential rules, duplicates,
    /// allowance. Every wish counts against the run's quota, refused ones too.
    package mutating func judge(_ wish: DownloadWish, entry: EntryPoint) -> BrokerDecision {
        do throws(BrokerRefusal) {
            let request = try admit(wish, entry)
            if wish.isEssential {
                essential.charge(wish.sizeBytes, for: wish.identifier)
            } else {
                plain.charge(wish.sizeBytes, for: wish.identifier)
            }
            taken[wish.identifier.lowercased()] = wish.identifier
            if unfinished[wish.identifier] == nil { newCount += 1 }
            guard entry.isContentRequest else { return .admitted(request) }
            collected.append(request)
            return .collected(request)
        } catch {
            return .refused(
                Refusal(
                    error.code, error.message, identifier: wish.identifier, hint: error.hint))
        }
    }

    /// The entry point has returned 0: hands over what it asked for, in its order.
    package mutating func takeCollected() -> [AdmittedRequest] {
        let requests = collected
        collected = []
        return requests
    }

    /// The entry point has failed: forgets what it asked for and says how many that were.
    package mutating func discardCollected() -> Int {
        let count = collected.count
        for request in collected { forget(request.identifier) }
        collected = []
        return count
    }

    /// Takes back a wish that is only collected; false when there is none.
    package mutating func cancelCollected(_ identifier: String) -> Bool {
        guard let place = collected.firstIndex(where: { $0.identifier == identifier }) else {
            return false
        }
        collected.remove(at: place)
        forget(identifier)
        return true
    }

    /// A download has finished, failed or was cancelled: its identifier is free again and its charge
    /// becomes what it has really fetched.
    package mutating func downloadEnded(_ identifier: String, receivedBytes: UInt64) {
        openSizes.remove(identifier)
        plain.settle(identifier, usedBytes: receivedBytes)
        essential.settle(identifier, usedBytes: receivedBytes)
        free(identifier)
        unfinished[identifier] = nil
    }

    /// The content manifest counts as plain.
    ///
    /// Nil when the allowance holds it.
    package mutating func chargeManifest(_ bytes: UInt64) -> Refusal? {
        guard plain.holds(bytes) else {
            return Refusal(
                .sessionDownloadAllowanceExceeded,
                "the manifest of \(Words.grouped(bytes)) bytes passes the download allowance, "
                    + "of which \(Words.grouped(plain.left ?? 0)) bytes are left",
                identifier: "",
                hint: Broker.hint("--download-allowance", policy.plainAllowance, bytes, plain.left))
        }
        plain.spend(bytes)
        return nil
    }

    /// A download of an earlier run goes on: takes its size off the allowance unless this run has
    /// done so; false when the allowance does not hold it.
    package mutating func chargeEarlier(
        _ identifier: String, isEssential: Bool, sizeBytes: UInt64
    ) -> Bool {
        var allowance = isEssential ? essential : plain
        guard !allowance.isCharged(identifier) else { return true }
        guard allowance.holds(sizeBytes) else { return false }
        allowance.charge(sizeBytes, for: identifier)
        if isEssential { essential = allowance } else { plain = allowance }
        return true
    }

    /// What a transfer of unknown size may fetch.
    package enum OpenSize: Hashable, Sendable {
        case unlimited

        /// Taken off the allowance until ``settleOpenSize(_:receivedBytes:)``.
        case bytes(UInt64)

        /// Other transfers of unknown size hold the rest; to be asked again when one has ended.
        case heldByOthers
        case nothingLeft
    }

    /// A plain transfer of unknown size begins: it holds all that is left, for nobody can tell how
    /// much it will take.
    package mutating func holdOpenSize(_ identifier: String) -> OpenSize {
        plain.refund(identifier)
        guard let left = plain.left else { return .unlimited }
        guard left > 0 else { return openSizes.isEmpty ? .nothingLeft : .heldByOthers }
        plain.charge(left, for: identifier)
        openSizes.insert(identifier)
        return .bytes(left)
    }

    /// Such a transfer has stopped for now: it holds only what it has fetched.
    package mutating func settleOpenSize(_ identifier: String, receivedBytes: UInt64) {
        guard openSizes.remove(identifier) != nil else { return }
        plain.charge(receivedBytes, for: identifier)
    }

    /// `bahost_host.remaining` for 1, plain bytes, and 2, essential bytes; -1 is no limit.
    ///
    /// Nil for what others answer.
    package func remaining(what: UInt32) -> Int64? {
        switch what {
        case 1: plain.left.map { Int64(clamping: $0) } ?? -1
        case 2: essential.left.map { Int64(clamping: $0) } ?? -1
        default: nil
        }
    }

    private mutating func forget(_ identifier: String) {
        plain.refund(identifier)
        essential.refund(identifier)
        free(identifier)
    }

    private mutating func free(_ identifier: String) {
        let key = identifier.lowercased()
        guard taken[key] == identifier else { return }
        taken[key] = nil
        if unfinished[identifier] == nil { newCount -= 1 }
    }
}

/// A refusal before it has an identifier.
struct BrokerRefusal: Error {
    let code: RefusalCode
    let message: String
    var hint: String?

    init(_ code: RefusalCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

extension Broker {
    private mutating func admit(
        _ wish: DownloadWish, _ entry: EntryPoint
    ) throws(BrokerRefusal) -> AdmittedRequest {
        requests += 1
        try checkIdentifier(wish.identifier)
        try checkQuotas()
        let url = try judged(wish.url)
        var mirrors: [RemoteURL] = []
        for mirror in wish.mirrors { mirrors.append(try judged(mirror, as: "mirror ")) }
        let group = try checkedGroup(wish.group)
        try RequestHeaders.check(wish.headers)
        guard wish.sizeBytes <= UInt64(Int64.max) else {
            throw BrokerRefusal(.badArgument, "\(wish.sizeBytes) bytes is not a possible size")
        }
        try checkEntry(wish, entry)
        try checkUnique(wish.identifier)
        try checkAllowance(wish)
        return AdmittedRequest(
            wish: wish, url: url, mirrors: mirrors, group: group,
            relation: relation(of: wish, url, group))
    }

    private func checkIdentifier(_ identifier: String) throws(BrokerRefusal) {
        guard (1...WireBound.identifierBytes).contains(identifier.utf8.count) else {
            throw BrokerRefusal(
                .badString,
                "an identifier has 1 to \(WireBound.identifierBytes) bytes, this one has "
                    + "\(identifier.utf8.count)")
        }
        guard PlainText.clean(identifier) == identifier, !identifier.utf8.contains(0x09) else {
            throw BrokerRefusal(.badString, "an identifier has no control characters")
        }
    }

    private func checkQuotas() throws(BrokerRefusal) {
        guard requests <= policy.requestsPerRun else {
            let bound = Words.grouped(UInt64(policy.requestsPerRun))
            throw BrokerRefusal(.tooManyRequests, "more than \(bound) requests in one run")
        }
        guard unfinished.count + newCount < policy.admittedPerApp else {
            let bound = Words.grouped(UInt64(policy.admittedPerApp))
            throw BrokerRefusal(
                .tooManyRequests, "the app has \(bound) unfinished downloads already")
        }
    }

    private func checkedGroup(_ group: String?) throws(BrokerRefusal) -> String {
        guard let group, group != policy.appGroup else { return policy.appGroup }
        guard policy.otherGroups.contains(group) else {
            throw BrokerRefusal(
                .groupNotYours, "the group \(URLRefusal.quote(group)) is not one of the app's")
        }
        return group
    }

    private func checkEntry(_ wish: DownloadWish, _ entry: EntryPoint) throws(BrokerRefusal) {
        guard entry.isContentRequest || entry.isCompletion else {
            throw BrokerRefusal(.notAllowedNow, "nothing can be scheduled in \(entry.symbol)")
        }
        guard wish.isEssential else { return }
        guard entry == .install || entry == .update else {
            throw BrokerRefusal(
                .downloadEssentialDownloadNotPermitted,
                "essential downloads are possible in bahost_install and bahost_update only, "
                    + "not in \(entry.symbol)")
        }
        guard wish.sizeBytes > 0 else {
            throw BrokerRefusal(.badArgument, "an essential download needs its exact size")
        }
    }

    private func checkUnique(_ identifier: String) throws(BrokerRefusal) {
        let key = identifier.lowercased()
        let twin = unfinishedByLowerCase[key].flatMap { $0 == identifier ? nil : $0 }
        guard let other = taken[key] ?? twin else { return }
        throw BrokerRefusal(
            .downloadAlreadyScheduled,
            other == identifier
                ? "the identifier is scheduled already"
                : "differs only in case from \(URLRefusal.quote(other)), which is scheduled already"
        )
    }

    private func checkAllowance(_ wish: DownloadWish) throws(BrokerRefusal) {
        let allowance = wish.isEssential ? essential : plain
        guard !allowance.holds(wish.sizeBytes) else { return }
        let kind = wish.isEssential ? "essential" : "download"
        let limit = wish.isEssential ? policy.essentialAllowance : policy.plainAllowance
        throw BrokerRefusal(
            .downloadWouldExceedAllowance,
            "\(Words.grouped(wish.sizeBytes)) bytes would pass the \(kind) allowance, of which "
                + "\(Words.grouped(allowance.left ?? 0)) bytes are left",
            hint: Broker.hint("--\(kind)-allowance", limit, wish.sizeBytes, allowance.left))
    }

    private func relation(
        of wish: DownloadWish, _ url: RemoteURL, _ group: String
    ) -> AdmittedRequest.Relation {
        guard let old = unfinished[wish.identifier] else { return .new }
        let isSame =
            (old.url == wish.url || old.url == url.text) && old.sizeBytes == wish.sizeBytes
            && old.sha256 == wish.sha256 && old.group == group
        return isSame ? .adopted : .replaced
    }

    /// The least value of an allowance that would have been enough.
    static func hint(
        _ option: String, _ limit: UInt64?, _ asked: UInt64, _ left: UInt64? = 0
    ) -> String? {
        guard let limit else { return nil }
        let missing = asked - min(asked, left ?? 0)
        let (needed, overflow) = limit.addingReportingOverflow(missing)
        return overflow ? nil : "\(option) \(needed)"
    }
}
