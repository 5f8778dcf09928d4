import FaultServer
import HTTPClient
import Testing
import TransferEngine
import URLPolicy

struct TransferProxyTests {
    private let content = FaultContent(TransferFixture.noise(5_000))

    @Test func theProxyIsAskedInTheServersPlace() throws {
        // Port 9 of this machine is nobody's: only the proxy can answer.
        let target = "http://127.0.0.1:9/x"
        let server = try FaultServer(routes: [target: .honest(content)])
        let proxy = try #require(HTTPProxy(untrusted: server.url("")))
        let fixture = try TransferFixture([:], change: { $0.proxy = proxy })
        let secret = try #require(HTTPHeader(name: "Proxy-Authorization", value: "mine"))
        let url = try URLParser.parse(target)
        let run = try fixture.run(
            try fixture.order("/x") { order in
                order.url = url
                order.headers = [secret]
            })
        #expect(run.isFinished)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
        #expect(server.requests().map(\.path) == [target])
        // Speaking to the proxy is the operator's business.
        #expect(server.requests().first?.header("proxy-authorization") == nil)
    }

    @Test func anAddressInTheURLIsStillJudged() throws {
        let server = try FaultServer(routes: [:])
        let proxy = try #require(HTTPProxy(untrusted: server.url("")))
        let fixture = try TransferFixture([:], change: { $0.proxy = proxy })
        let url = try URLParser.parse("https://10.0.0.1/")
        let run = try fixture.run(try fixture.order("/x") { $0.url = url })
        #expect(run.failure?.code == 1010)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
        "http://proxy", "http://u:p@proxy:3128", "https://proxy.example:443/",
        "socks5h://[::1]:1080",
    ])
    func takesProxies(text: String) {
        #expect(HTTPProxy(untrusted: text) != nil)
    }

    @Test(arguments: [
        "", "proxy:3128", "ftp://proxy", "http://", "http://:80", "http:///x", "socks4://proxy",
        "http://pro xy", "http://proxy\r\nX: y", "http://pröxy",
    ])
    func refusesWhatIsNoProxy(text: String) {
        #expect(HTTPProxy(untrusted: text) == nil)
    }
}
