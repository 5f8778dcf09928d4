import DownloadScheduler
import HTTPClient
import HostCommands
import HostEngine
import HostSettings
import LinuxSystem
import TestSupport
import Testing

@Suite struct TransferSettingsTests {
    private let folder: ScratchFolder
    private let file: String

    init() throws {
        folder = try ScratchFolder("transfer-settings")
        file = "\(folder.path)/settings.json"
    }

    private func configuration(_ text: String?) throws -> DownloadQueue.Configuration {
        if let text { try folder.write("settings.json", text) }
        return try TransferSettings(environment: ["BAHOST_SYSTEM_SETTINGS": file]).configuration()
    }

    @Test func withoutAFileTheTableCounts() throws {
        let configuration = try configuration(nil)
        #expect(configuration.caps == TransferCaps(perHost: 4, total: 16))
        #expect(configuration.backgroundRate == nil)
        #expect(configuration.transfers.proxy == nil)
    }

    @Test func capsRateAndProxyAreTaken() throws {
        let configuration = try configuration(
            #"""
            {"connections.per-host": 64, "connections.total": 256, "bandwidth.background": 1000,
             "proxy": "socks5h://me:secret@proxy:1080"}
            """#)
        #expect(configuration.caps == TransferCaps(perHost: 64, total: 256))
        #expect(configuration.backgroundRate == ByteCount(bytes: 1000))
        let proxy = HTTPProxy(untrusted: "socks5h://me:secret@proxy:1080")
        #expect(proxy != nil && configuration.transfers.proxy == proxy)
    }

    @Test(arguments: [
        (#"{"connections.per-host": 65}"#, "connections.per-host"),
        (#"{"connections.per-host": 0}"#, "connections.per-host"),
        (#"{"connections.total": 257}"#, "connections.total"),
        (#"{"connections.total": "9"}"#, "connections.total"),
        (#"{"bandwidth.background": 0}"#, "bandwidth.background"),
        (#"{"proxy": 7}"#, "proxy"), (#"{"proxy": "proxy:1080"}"#, "proxy"),
    ])
    func aValueThatCannotBeUsedIsNamed(text: String, key: String) {
        let error = #expect(throws: HostSettingsError.self) { _ = try configuration(text) }
        #expect(error?.code == .badValue)
        #expect(error?.key == key)
        #expect(error?.path == file)
    }

    /// Settings take longer addresses than the client.
    @Test func aBadProxyIsNamedWithoutItsPassword() throws {
        let start = "http://me:secret@"
        let longest = start + String(repeating: "h", count: 1024 - start.utf8.count)
        #expect(try configuration(#"{"proxy": "\#(longest)"}"#).transfers.proxy != nil)
        for address in [longest + "h", "ftp://me:secret@proxy", "http://me:secret@a b"] {
            let error = #expect(throws: HostSettingsError.self) {
                _ = try configuration(#"{"proxy": "\#(address)"}"#)
            }
            #expect(error?.description.hasPrefix("\(file): proxy: ") == true)
            #expect(error?.description.contains("secret") == false)
        }
    }
}
