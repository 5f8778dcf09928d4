import ExtensionHost
import HTTPClient
import Testing
import URLPolicy
import WireProtocol

func wish(_ identifier: String, _ change: (inout DownloadWish) -> Void = { _ in }) -> DownloadWish {
    var wish = DownloadWish()
    wish.identifier = identifier
    wish.url = "https://cdn.example.com/\(identifier.count)"
    wish.sizeBytes = 100
    change(&wish)
    return wish
}

func broker(_ change: (inout BrokerPolicy) -> Void = { _ in }) throws -> Broker {
    let pattern = try #require(DomainPattern(untrusted: "cdn.example.com"))
    var policy = BrokerPolicy(
        appGroup: "group.app", rules: URLRules(domains: DomainAllowList([pattern])))
    change(&policy)
    return Broker(policy: policy)
}

extension BrokerDecision {
    var refusal: Refusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    var request: AdmittedRequest? {
        switch self {
        case .collected(let request), .admitted(let request): request
        case .refused: nil
        }
    }
}

/// One wish, made in one entry point, and what it must be refused with.
struct RefusalCase: Sendable, CustomTestStringConvertible {
    let name: String
    let code: RefusalCode
    let hint: String?
    let entry: EntryPoint
    let wish: DownloadWish

    init(
        _ name: String, _ code: RefusalCode, hint: String? = nil, in entry: EntryPoint = .install,
        _ change: (inout DownloadWish) -> Void
    ) {
        self.name = name
        self.code = code
        self.hint = hint
        self.entry = entry
        wish = ExtensionHostTests.wish("a", change)
    }

    var testDescription: String { name }
}

struct BrokerTests {
    static let refusals: [RefusalCase] = [
        RefusalCase("empty identifier", .badString) { $0.identifier = "" },
        RefusalCase("256 bytes of identifier", .badString) {
            $0.identifier = String(repeating: "x", count: 256)
        },
        RefusalCase("no URL", .urlRefused) { $0.url = "" },
        RefusalCase("ftp", .urlRefused) { $0.url = "ftp://cdn.example.com/a" },
        RefusalCase("userinfo", .urlRefused) { $0.url = "https://u:p@cdn.example.com/a" },
        RefusalCase("backslash", .urlRefused) { $0.url = "https://cdn.example.com\\@evil/a" },
        RefusalCase("plain http to a name", .urlRefused) { $0.url = "http://cdn.example.com/a" },
        RefusalCase("plain http to loopback", .urlRefused, hint: "--allow-loopback") {
            $0.url = "http://127.0.0.1:8080/a"
        },
        RefusalCase(
            "another domain", .sessionDownloadDisallowedByDomain, hint: "--allow-domain example.org"
        ) { $0.url = "https://example.org/a" },
        RefusalCase(
            "an IPv6 literal", .sessionDownloadDisallowedByDomain,
            hint: "--allow-domain [2001:db8::1]"
        ) { $0.url = "https://[2001:db8::1]/a" },
        RefusalCase(
            "another domain's mirror", .sessionDownloadDisallowedByDomain,
            hint: "--allow-domain mirror.example"
        ) { $0.mirrors = ["https://cdn.example.com/b", "https://mirror.example/a"] },
        RefusalCase("another group", .groupNotYours) { $0.group = "group.other" },
        RefusalCase("a header of the host's", .badArgument) {
            $0.headers = [RequestHeader(name: "RANGE", value: "bytes=0-")]
        },
        RefusalCase("a header with a line's end", .badArgument) {
            $0.headers = [RequestHeader(name: "X-A", value: "1\r\nHost: evil")]
        },
        RefusalCase("a header without a name", .badArgument) {
            $0.headers = [RequestHeader(name: "", value: "1")]
        },
        RefusalCase(
            "essential in a periodic check", .downloadEssentialDownloadNotPermitted,
            in: .checkForUpdates
        ) { $0.isEssential = true },
        RefusalCase(
            "essential after a failure", .downloadEssentialDownloadNotPermitted,
            in: .downloadFailed
        ) { $0.isEssential = true },
        RefusalCase("essential without a size", .badArgument) {
            $0.isEssential = true
            $0.sizeBytes = 0
        },
        RefusalCase("while terminating", .notAllowedNow, in: .willTerminate) { _ in },
    ]

    @Test(arguments: refusals)
    func aBadWishIsRefused(row: RefusalCase) throws {
        var broker = try broker()
        let refusal = broker.judge(row.wish, entry: row.entry).refusal
        #expect(refusal?.code == row.code)
        #expect(refusal?.hint == row.hint)
        #expect(refusal?.message.contains("--") == false)
        #expect(broker.takeCollected() == [])
    }

    /// What the transfer would leave out silently, the plugin's author hears of.
    @Test(arguments: HTTPHeader.reservedNames.sorted())
    func everyHeaderOfTheHostsIsRefused(name: String) throws {
        var broker = try broker()
        let headers = [RequestHeader(name: name.uppercased(), value: "1")]
        let refusal = broker.judge(wish("a") { $0.headers = headers }, entry: .install).refusal
        #expect(refusal?.code == .badArgument)
        #expect(refusal?.message == "the header \(name.uppercased()) is the host's own")
    }

    @Test(arguments: [(256, 0), (257, 1000)] as [(Int, Int32)])
    func aHeadersNameHasABound(length: Int, status: Int32) throws {
        var broker = try broker()
        let headers = [RequestHeader(name: String(repeating: "x", count: length), value: "")]
        #expect(
            broker.judge(wish("a") { $0.headers = headers }, entry: .install).status == status)
    }

    @Test func aLoopbackAddressNeedsItsFlag() throws {
        var broker = try broker { $0.rules.domains = .any }
        let loopback = broker.judge(wish("a") { $0.url = "https://127.0.0.1/a" }, entry: .install)
        #expect(loopback.refusal?.code == .addressNotAllowed)
        #expect(loopback.refusal?.hint == "--allow-loopback")
        #expect(loopback.refusal?.message == "127.0.0.1 is a loopback address")
        let near = broker.judge(wish("b") { $0.url = "https://10.0.0.1/a" }, entry: .install)
        #expect(near.refusal?.code == .addressNotAllowed)
        #expect(near.refusal?.hint == "--allow-private")
        let special = broker.judge(wish("c") { $0.url = "https://0.0.0.0/a" }, entry: .install)
        #expect(special.refusal?.code == .addressNotAllowed)
        #expect(special.refusal?.hint == nil)
    }

    @Test func wishesOfAContentRequestAreCollectedInOrder() throws {
        var broker = try broker()
        for name in ["b", "a", "c"] {
            #expect(broker.judge(wish(name), entry: .install).status == 0)
        }
        #expect(broker.takeCollected().map(\.identifier) == ["b", "a", "c"])
        #expect(broker.takeCollected() == [])
    }

    @Test(arguments: [EntryPoint.downloadFinished, .downloadFailed])
    func wishesOfACompletionAreAdmittedAtOnce(entry: EntryPoint) throws {
        var broker = try broker()
        guard case .admitted(let request) = broker.judge(wish("a"), entry: entry) else {
            Issue.record("not admitted")
            return
        }
        #expect(request.group == "group.app")
        #expect(request.relation == .new)
        #expect(broker.takeCollected() == [])
    }

    @Test func aNegativeReturnDiscardsAllAndItsCharges() throws {
        var broker = try broker { $0.plainAllowance = 200 }
        _ = broker.judge(wish("a"), entry: .install)
        _ = broker.judge(wish("b"), entry: .install)
        #expect(broker.remaining(what: 1) == 0)
        #expect(broker.discardCollected() == 2)
        #expect(broker.remaining(what: 1) == 200)
        #expect(broker.judge(wish("a"), entry: .update).status == 0)
    }

    @Test func anIdentifierIsThereOnlyOnce() throws {
        var broker = try broker()
        _ = broker.judge(wish("a"), entry: .install)
        #expect(broker.judge(wish("a"), entry: .install).status == 100)
        let twin = broker.judge(wish("A"), entry: .install).refusal
        #expect(twin?.code == .downloadAlreadyScheduled)
        #expect(twin?.message == "differs only in case from 'a', which is scheduled already")
        #expect(broker.takeCollected().count == 1)
        #expect(broker.judge(wish("a"), entry: .downloadFinished).status == 100)
    }

    @Test func aFailedDownloadMayBeAskedForAgain() throws {
        var broker = try broker {
            $0.plainAllowance = 150
            $0.essentialAllowance = 100
        }
        _ = broker.judge(wish("a") { $0.isEssential = true }, entry: .install)
        _ = broker.takeCollected()
        #expect(broker.remaining(what: 2) == 0)
        broker.downloadEnded("a", receivedBytes: 30)
        #expect(broker.remaining(what: 2) == 70)
        #expect(broker.judge(wish("a"), entry: .downloadFailed).status == 0)
        #expect(broker.remaining(what: 1) == 50)
    }

    @Test func aCollectedWishCanBeTakenBack() throws {
        var broker = try broker { $0.plainAllowance = 100 }
        _ = broker.judge(wish("a"), entry: .install)
        let cancelled = [broker.cancelCollected("b"), broker.cancelCollected("a")]
        #expect(cancelled == [false, true])
        #expect(broker.remaining(what: 1) == 100)
        #expect(broker.judge(wish("a"), entry: .install).status == 0)
    }
}
