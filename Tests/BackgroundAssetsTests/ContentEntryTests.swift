import BackgroundAssets
import CPluginSDK
import Synchronization
import Testing

/// Everything here shares the one extension and the one host of the process: one at a time.
@Suite(.serialized)
enum BackgroundAssetsTests {}

extension BackgroundAssetsTests {
    @Suite(.serialized)
    struct ContentEntryTests {
        let host = FakeHost()

        private func install() -> Int32 {
            unsafe host.call { host in
                unsafe HostStructs.withContent { unsafe bahost_install(host, $0) }
            }
        }

        @Test
        func handsOverEveryFieldOfARequest() throws {
            let url = try #require(URL(string: "https://example.com/a%20b?c=d"))
            let mirror = try #require(URL(string: "https://mirror.example.com/a"))
            ScriptedExtension.register(
                .init(downloads: { _, _, _ in
                    [
                        BAURLDownload(
                            identifier: "épisode", url: url, headers: ["A": "1", "B": "2"],
                            essential: true, fileSize: 42, applicationGroupIdentifier: "group.x",
                            priority: .max, sha256: Data(0..<32), mirrors: [mirror],
                            allowsMeteredNetwork: true)
                    ]
                }))
            #expect(install() == 0)
            let expected = FakeHost.Request(
                identifier: "épisode", url: "https://example.com/a%20b?c=d",
                headers: ["A": "1", "B": "2"], mirrors: ["https://mirror.example.com/a"],
                flags: BAHOST_REQUEST_ESSENTIAL | BAHOST_REQUEST_ALLOW_METERED, size: 42,
                priority: 1000, group: "group.x", sha256: Array(0..<32), structSize: 80)
            #expect(host.record.withLock { $0.requests } == [expected])
        }

        @Test
        func leavesOutWhatARequestDoesNotSay() throws {
            let url = try #require(URL(string: "https://example.com/a"))
            ScriptedExtension.register(
                .init(downloads: { _, _, _ in [BAURLDownload(identifier: "a", url: url)] }))
            #expect(install() == 0)
            let expected = FakeHost.Request(
                identifier: "a", url: "https://example.com/a", structSize: 80)
            #expect(host.record.withLock { $0.requests } == [expected])
        }

        @Test
        func sortsASetWhateverItsOwnOrder() throws {
            let url = try #require(URL(string: "https://example.com/a"))
            ScriptedExtension.register(
                .init(downloads: { _, _, _ in
                    var set: Set<BADownload> = []
                    for name in ["c", "a", "é", "b", "Z"].shuffled() {
                        set.insert(BAURLDownload(identifier: name, url: url))
                    }
                    set.insert(BAURLDownload(identifier: "low", url: url, priority: .min))
                    set.insert(BAURLDownload(identifier: "high", url: url, priority: .max))
                    set.insert(
                        BAURLDownload(
                            identifier: "must-2", url: url, essential: true, fileSize: 1,
                            priority: .min))
                    set.insert(
                        BAURLDownload(
                            identifier: "must-1", url: url, essential: true, fileSize: 1))
                    return set
                }))
            #expect(install() == 0)
            let order = host.record.withLock { $0.requests.map(\.identifier) }
            #expect(order == ["must-1", "must-2", "high", "Z", "a", "b", "c", "é", "low"])
        }

        @Test
        func logsARefusalAndGoesOn() throws {
            let url = try #require(URL(string: "https://example.com/a"))
            host.record.withLock { $0.answers["a"] = 202 }
            ScriptedExtension.register(
                .init(downloads: { _, _, _ in
                    [
                        BAURLDownload(identifier: "a", url: url),
                        BAURLDownload(identifier: "b", url: url),
                    ]
                }))
            #expect(install() == 0)
            #expect(host.record.withLock { $0.requests.count } == 2)
            let expected = "3 refused: 202 (sessionDownloadDisallowedByDomain): download \"a\""
            #expect(host.record.withLock { $0.log } == [expected])
        }

        @Test
        func refusesWhatCannotBeAskedForBeforeTheHostSeesIt() throws {
            let url = try #require(URL(string: "https://example.com/a"))
            var post = URLRequest(url: url)
            post.httpMethod = "POST"
            var withBody = URLRequest(url: url)
            withBody.httpBody = Data([1])
            var without = URLRequest(url: url)
            without.url = nil
            let requests = [post, withBody, without]
            ScriptedExtension.register(
                .init(downloads: { _, _, info in
                    var set = Set<BADownload>(
                        requests.enumerated().map {
                            BAURLDownload(
                                identifier: "\($0)", request: $1, applicationGroupIdentifier: "g")
                        })
                    set.insert(BAURLDownload(identifier: "3", url: url, fileSize: -1))
                    set.insert(BAURLDownload(identifier: "4", url: url, sha256: Data(0..<31)))
                    set.insert(BAURLDownload(identifier: "5\u{0}", url: url))
                    set.insert(BAURLDownload(identifier: "6", url: url, headers: ["a": "\u{0}"]))
                    return set
                }))
            #expect(install() == 0)
            #expect(host.record.withLock { $0.requests }.isEmpty)
            let log = host.record.withLock { $0.log }
            #expect(log.count == 7)
            #expect(log.allSatisfy { $0.hasPrefix("3 refused: 0 (downloadInvalid): download ") })
            #expect(log[0].hasSuffix("its method is POST, not GET"))
            #expect(log[1].hasSuffix("its request has a body"))
            #expect(log[2].hasSuffix("it has no address"))
        }

        @Test
        func tellsWhyAndForWhom() throws {
            let seen = Mutex<[(BAContentRequest, URL, BAAppExtensionInfo)]>([])
            ScriptedExtension.register(
                .init(downloads: { request, manifest, info in
                    seen.withLock { $0.append((request, manifest, info)) }
                    return []
                }))
            unsafe host.call { host in
                let app = unsafe HostStructs.app(container: "/data/g", plain: 0, essential: 9)
                unsafe HostStructs.withContent(app) { content in
                    #expect(unsafe bahost_install(host, content) == 0)
                    #expect(unsafe bahost_update(host, content) == 0)
                    #expect(unsafe bahost_check_for_updates(host, content) == 0)
                }
            }
            let calls = seen.withLock { $0 }
            #expect(calls.map(\.0) == [.install, .update, .periodic])
            let (_, manifest, info) = try #require(calls.first)
            #expect(manifest.path == "/m/manifest.json")
            #expect(info.applicationIdentifier == "org.example.app")
            #expect(info.applicationVersion == "2.0")
            #expect(info.previousApplicationVersion == "1.9")
            #expect(info.applicationGroupIdentifier == "group.tests")
            #expect(info.containerURL.path == "/data/g")
            #expect(info.cachesURL.path == "/c/Library/Caches")
            #expect(info.languageIdentifier == "pt-BR")
            #expect(info.isRestricted)
            #expect(!info.isDeveloperMode)
            #expect(info.restrictedDownloadSizeRemaining?.int64Value == 0)
            #expect(info.restrictedEssentialDownloadSizeRemaining?.int64Value == 9)
            let container = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: "group.tests")
            #expect(container?.path == "/data/g")
        }

        @Test
        func hasNoSizesWhenNotRestrictedAndNoFileWithoutAManifest() throws {
            let seen = Mutex<(URL, BAAppExtensionInfo)?>(nil)
            ScriptedExtension.register(
                .init(downloads: { _, manifest, info in
                    seen.withLock { $0 = (manifest, info) }
                    return []
                }))
            unsafe host.call { host in
                unsafe HostStructs.withContent(manifest: nil) {
                    #expect(unsafe bahost_install(host, $0) == 0)
                }
            }
            let (manifest, info) = try #require(seen.withLock { $0 })
            #expect(manifest.path == "/c/tmp/no-manifest")
            #expect(info.restrictedDownloadSizeRemaining == nil)
            #expect(info.restrictedEssentialDownloadSizeRemaining == nil)
        }

        @Test
        func wantsNothingByDefault() {
            SilentExtension.main()
            #expect(install() == 0)
            #expect(host.record.withLock { $0.requests }.isEmpty)
        }

        @Test
        func givesTheNamesOf2022TheirTurn() {
            FirstBetaExtension.main()
            #expect(install() == 0)
            #expect(host.record.withLock { $0.requests.map(\.identifier) } == ["beta"])
            #expect(host.record.withLock { $0.requests.map(\.group) } == ["group.tests"])
        }
    }
}
