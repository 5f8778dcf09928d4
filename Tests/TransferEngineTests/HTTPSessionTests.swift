import FaultServer
import Foundation
import HTTPClient
import LinuxSystem
import Testing
import URLPolicy

/// Exchanges driven by hand, without the engine.
struct HTTPSessionTests {
    private final class Collector: HTTPReceiver {
        var head: ResponseHead?
        var bytes: [UInt8] = []

        func receive(head: ResponseHead) -> Bool {
            self.head = head
            return true
        }

        func receive(body: RawSpan) -> BodyVerdict {
            unsafe body.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
            return .taken
        }
    }

    private func request(_ server: FaultServer, _ addresses: AddressPolicy) throws -> HTTPRequest {
        HTTPRequest(url: try URLParser.parse(server.url("/x")), addresses: addresses)
    }

    private func fetch(
        _ request: HTTPRequest, in session: inout HTTPSession
    ) throws -> (outcome: HTTPOutcome, bytes: [UInt8]) {
        let collector = Collector()
        let exchange = try HTTPExchange(
            request, configuration: HTTPConfiguration(), receiver: collector)
        let flag = try EventFlag()
        try session.add(exchange)
        let deadline = BootClock.now() + .seconds(20)
        while BootClock.now() < deadline {
            try session.perform()
            if let ended = session.nextEnded() { return (ended.outcome, collector.bytes) }
            try session.wait(for: flag.descriptor, timeout: .seconds(1))
        }
        throw EventLog.TimedOut()
    }

    @Test func keptConnectionIsJudgedAgain() throws {
        let server = try FaultServer(routes: ["/x": .honest(FaultContent([1, 2, 3]))])
        var session = try HTTPSession(configuration: HTTPConfiguration())
        let open = try request(server, AddressPolicy(allowsLoopback: true))
        #expect(try fetch(open, in: &session).outcome == .finished)
        let closed = try fetch(try request(server, AddressPolicy()), in: &session)
        guard case .failed(let fault) = closed.outcome else {
            Issue.record("the kept connection was used")
            return
        }
        #expect(fault.refusal?.code == 1010)
        #expect(!fault.isTransient)
        #expect(server.requests().count == 1)
    }

    @Test func connectionsAreKept() throws {
        let server = try FaultServer(routes: ["/x": .honest(FaultContent([1, 2, 3]))])
        var session = try HTTPSession(configuration: HTTPConfiguration())
        for _ in 1...3 {
            let answer = try fetch(
                try request(server, AddressPolicy(allowsLoopback: true)), in: &session)
            #expect(answer.bytes == [1, 2, 3])
        }
        #expect(server.connectionCount == 1)
        let isIdle = session.isIdle
        #expect(isIdle)
    }

    @Test func environmentDoesNotChooseAProxy() async {
        // In a process of its own, because the environment belongs to all threads.
        await #expect(processExitsWith: .success) {
            let server = try FaultServer(routes: ["/x": .honest(FaultContent([1]))])
            let trap = try FaultServer(routes: [:])
            for name in ["http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"] {
                unsafe setenv(name, trap.url(""), 1)
            }
            var session = try HTTPSession(configuration: HTTPConfiguration())
            let suite = HTTPSessionTests()
            let answer = try suite.fetch(
                try suite.request(server, AddressPolicy(allowsLoopback: true)), in: &session)
            #expect(answer.bytes == [1])
            #expect(trap.connectionCount == 0)
        }
    }

    @Test func headersGoOutAsGiven() throws {
        let server = try FaultServer(routes: ["/x": .honest(FaultContent([1]))])
        var session = try HTTPSession(configuration: HTTPConfiguration())
        var asked = try request(server, AddressPolicy(allowsLoopback: true))
        asked.headers = try [("X-Empty", ""), ("X-Full", "a b"), ("User-Agent", "mine")].map {
            try #require(HTTPHeader(name: $0.0, value: $0.1))
        }
        #expect(try fetch(asked, in: &session).outcome == .finished)
        let sent = try #require(server.requests().first)
        #expect(sent.method == "GET")
        #expect(sent.header("x-empty") == "")
        #expect(sent.header("x-full") == "a b")
        #expect(sent.header("user-agent") == "mine")
    }
}
