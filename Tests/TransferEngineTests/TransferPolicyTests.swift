import FaultServer
import HTTPClient
import Testing
import TransferEngine
import URLPolicy

struct TransferPolicyTests {
    private let content = FaultContent(TransferFixture.noise(5_000))

    private func chain(_ length: Int) -> [String: FaultRoute] {
        var routes: [String: FaultRoute] = ["/0": .honest(content)]
        for hop in 1...length { routes["/\(hop)"] = .redirect(to: "/\(hop - 1)") }
        return routes
    }

    @Test(arguments: [(10, true), (11, false)])
    func tenRedirectsPass(length: Int, passes: Bool) throws {
        let fixture = try TransferFixture(chain(11))
        let result = try fixture.run(try fixture.order("/\(length)"))
        #expect(result.isFinished == passes)
        #expect(result.failure?.code == (passes ? nil : 47))
        #expect((fixture.bytes(of: "file-1") != nil) == passes)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func followsEveryKindOfRedirect(status: Int) throws {
        let fixture = try TransferFixture([
            "/a": .redirect(to: "/b", status: status), "/b": .honest(content),
        ])
        #expect(try fixture.run(try fixture.order("/a")).isFinished)
    }

    @Test func redirectToAHostThatIsNotListedIsFinal() throws {
        let fixture = try TransferFixture([:])
        fixture.server.setRoute("/a", .redirect(to: fixture.server.url("/b", host: "localhost")))
        let pattern = try #require(DomainPattern(untrusted: "127.0.0.1"))
        let result = try fixture.run(
            try fixture.order("/a") { $0.rules.domains = DomainAllowList([pattern]) })
        #expect(result.failure?.domain == .apple)
        #expect(result.failure?.code == 202)
        #expect(result.failure?.isRetryable == false)
        #expect(fixture.server.requests(for: "/b").isEmpty)
        #expect(fixture.names == [])
    }

    @Test(arguments: [
        "https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::ffff:10.0.0.1]/",
    ])
    func redirectToAPrivateAddressIsRefused(location: String) throws {
        let fixture = try TransferFixture(["/a": .redirect(to: location)])
        let result = try fixture.run(try fixture.order("/a"))
        #expect(result.failure?.domain == .bahost)
        #expect(result.failure?.code == 1010)
        #expect(result.failure?.isRetryable == false)
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "http://u:p@127.0.0.1/", "http://8.8.8.8/",
    ])
    func redirectToAnotherSchemeOrFormIsRefused(location: String) throws {
        let fixture = try TransferFixture(["/a": .redirect(to: location)])
        #expect(try fixture.run(try fixture.order("/a")).failure?.code == 1003)
    }

    @Test func literalPrivateAddressIsRefusedWithoutASocket() throws {
        let fixture = try TransferFixture([:])
        let url = try URLParser.parse("https://10.0.0.1/")
        let result = try fixture.run(try fixture.order("/a") { $0.url = url })
        #expect(result.failure?.code == 1010)
        #expect(fixture.names == [])
    }

    @Test func loopbackIsRefusedUnlessAllowed() throws {
        let fixture = try TransferFixture(["/a": .honest(content)])
        let result = try fixture.run(
            try fixture.order("/a") { $0.rules.addresses.allowsLoopback = false })
        #expect(result.failure?.code == 1003)
        #expect(fixture.server.requests().isEmpty)
    }

    @Test func nameIsJudgedByTheAddressItLeadsTo() throws {
        let fixture = try TransferFixture(["/a": .honest(content)])
        let port = fixture.server.port
        let allowed = try URLParser.parse("http://localhost:\(port)/a")
        #expect(try fixture.run(try fixture.order("/a") { $0.url = allowed }).isFinished)
        let before = fixture.server.requests().count

        let named = try URLParser.parse("https://localhost:\(port)/a")
        let result = try fixture.run(
            try fixture.order("/a", id: 2) { order in
                order.url = named
                order.rules.addresses = AddressPolicy(allowsPrivate: true)
            })
        #expect(result.failure?.domain == .bahost)
        #expect(result.failure?.code == 1010)
        #expect(result.failure?.isRetryable == false)
        #expect(fixture.server.requests().count == before)
    }

    @Test(arguments: [
        "https://2130706433/", "https://0x7f.1/", "http://0.0.0.0/", "https://[64:ff9b::7f00:1]/",
        "https://224.0.0.1/", "https://192.0.2.1/", "https://[2002:7f00:1::]/",
    ])
    func disguisedAddressesAreRefusedAtTheFirstRequest(text: String) throws {
        let fixture = try TransferFixture([:])
        let result = try fixture.run(
            try fixture.order("/a") { order in
                (try? URLParser.parse(text)).map { order.url = $0 }
                order.rules.addresses.allowsLoopback = text.hasPrefix("http:")
            })
        #expect(result.failure?.domain == .bahost)
        #expect(result.failure?.code == 1010)
        #expect(result.failure?.isRetryable == false)
        #expect(fixture.names == [])
    }

    @Test func mirrorsAreJudgedLikeTheFirstAddress() throws {
        let fixture = try TransferFixture(["/a": .status(404), "/b": .honest(content)])
        let mirror = try URLParser.parse(fixture.server.url("/b", host: "localhost"))
        let pattern = try #require(DomainPattern(untrusted: "127.0.0.1"))
        let result = try fixture.run(
            try fixture.order("/a") { order in
                order.mirrors = [mirror]
                order.rules.domains = DomainAllowList([pattern])
            })
        #expect(result.failure?.isRetryable == false)
        #expect(fixture.server.requests(for: "/b").isEmpty)
        #expect(fixture.names == [])
    }

    @Test func aCredentialDoesNotComeBackWithTheOrigin() throws {
        let fixture = try TransferFixture(["/c": .honest(content)])
        fixture.server.setRoute("/a", .redirect(to: fixture.server.url("/b", host: "localhost")))
        fixture.server.setRoute("/b", .redirect(to: fixture.server.url("/c")))
        let header = try #require(HTTPHeader(name: "X-Api-Key", value: "secret"))
        #expect(try fixture.run(try fixture.order("/a") { $0.headers = [header] }).isFinished)
        #expect(fixture.server.requests().map { $0.header("x-api-key") } == ["secret", nil, nil])
    }

    @Test func credentialsStayWithTheirOrigin() throws {
        let fixture = try TransferFixture(["/c": .honest(content)])
        fixture.server.setRoute("/a", .redirect(to: "/b"))
        fixture.server.setRoute("/b", .redirect(to: fixture.server.url("/c", host: "localhost")))
        let headers = try [
            ("Authorization", "secret"), ("Cookie", "a=b"), ("X-Other", "kept"),
            ("Range", "bytes=1-"),
        ].map { try #require(HTTPHeader(name: $0.0, value: $0.1)) }
        #expect(try fixture.run(try fixture.order("/a") { $0.headers = headers }).isFinished)
        let requests = fixture.server.requests()
        #expect(requests.map(\.path) == ["/a", "/b", "/c"])
        #expect(requests.map { $0.header("authorization") } == ["secret", "secret", nil])
        #expect(requests.map { $0.header("cookie") } == ["a=b", "a=b", nil])
        #expect(requests.map { $0.header("x-other") } == ["kept", "kept", "kept"])
        #expect(requests.allSatisfy { $0.header("range") == nil })
    }

    @Test func redirectWhileResumingKeepsTheRange() throws {
        let fixture = try TransferFixture(["/a": .redirect(to: "/b"), "/b": .honest(content)])
        fixture.put(Array(content.bytes[..<2_000]), as: "partial-1")
        let result = try fixture.run(
            try fixture.order("/a") {
                $0.resume = ResumeState(
                    receivedBytes: 2_000, validator: Validator(stored: "\"v1\""))
            })
        #expect(result.resumedFrom == 2_000)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
    }
}
