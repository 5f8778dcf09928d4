import FaultServer

/// How much is there before the server is asked, and what is known about it: a column of the table.
enum FaultMode: String, CaseIterable, Sendable {
    /// Nothing, and nothing is agreed.
    case fresh = "from nothing"
    /// Some bytes and the strong ETag that came with them.
    case tagged = "goes on, with a strong ETag"
    /// Some bytes; size and SHA-256 are agreed.
    case hashed = "goes on, size and SHA-256 agreed"
}

/// One misbehaviour and what must come of it.
struct FaultRow: Identifiable, Sendable {
    /// Where the order is sent.
    enum Door: Sendable {
        case http
        /// A server whose certificate ends so many days from now, trusted or not.
        case tls(host: String, days: Int, isTrusted: Bool)
        /// The plain server by an https address.
        case tlsToPlain
    }

    let name: String
    /// The heading it stands under.
    var part = ""
    /// Of the path that the order names first.
    let route: FaultRoute
    var others: [String: FaultRoute] = [:]
    var door = Door.http
    /// Bytes that are there before.
    var had = 20_000
    /// What is left depends on what the network lets through before the end.
    var keepsWhatCame = false
    /// Takes a second or more.
    var isSlow = false
    var expected: [FaultMode: FaultOutcome]

    init(
        _ name: String, _ route: FaultRoute, fresh: FaultOutcome, tagged: FaultOutcome,
        hashed: FaultOutcome
    ) {
        self.name = name
        self.route = route
        expected = [.fresh: fresh, .tagged: tagged, .hashed: hashed]
    }

    /// The same from nothing and when going on.
    init(_ name: String, _ route: FaultRoute, _ outcome: FaultOutcome) {
        self.init(name, route, fresh: outcome, tagged: outcome, hashed: outcome)
    }

    /// Whole from nothing, the same in both ways of going on.
    init(_ name: String, _ route: FaultRoute, goingOn outcome: FaultOutcome) {
        self.init(name, route, fresh: .whole(), tagged: outcome, hashed: outcome)
    }

    var id: String { "\(part): \(name)" }

    func with(_ change: (inout FaultRow) -> Void) -> FaultRow {
        var changed = self
        change(&changed)
        return changed
    }

    /// The outcome that must be, its bytes counted.
    func outcome(_ mode: FaultMode) -> FaultOutcome? {
        guard var outcome = expected[mode] else { return nil }
        if keepsWhatCame {
            outcome.kept = nil
        } else if outcome.kept == nil {
            outcome.kept = mode == .fresh ? 0 : UInt64(had)
        }
        return outcome
    }
}

/// The table, a list for each of its parts.
enum FaultTable {
    static let parts: [(title: String, rows: [FaultRow])] = [
        ("The body", bodies), ("Lengths and codings", lengths), ("Ranges", ranges),
        ("Another version of the file", versions), ("416", outOfRange), ("Statuses", statuses),
        ("503 with a Retry-After", retryAfters), ("Redirects", redirects), ("The head", heads),
        ("TLS", doors),
    ].map { title, rows in (title, rows.map { row in row.with { $0.part = title } }) }

    /// The value of a header in the name of a row.
    static func shown(_ value: String) -> String { value.isEmpty ? "nothing" : "`\(value)`" }

    /// What the server has, and what is agreed.
    static let content = FaultContent(TransferFixture.noise(60_000))
    /// As long as `content`, and of another version.
    static let newer = FaultContent(TransferFixture.noise(60_000, seed: 2), entityTag: "\"v2\"")
}
