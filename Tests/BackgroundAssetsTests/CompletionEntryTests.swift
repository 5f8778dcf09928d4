import BackgroundAssets
import CPluginSDK
import Synchronization
import Testing

extension BackgroundAssetsTests {
    @Suite(.serialized)
    struct CompletionEntryTests {
        let host = FakeHost()

        private func finish(_ download: bahost_download, at path: String) -> Int32 {
            unsafe host.call { host in
                unsafe withUnsafePointer(to: download) { download in
                    unsafe path.withCString { unsafe bahost_download_finished(host, download, $0) }
                }
            }
        }

        private func fail(_ download: bahost_download, _ error: bahost_error) -> Int32 {
            unsafe host.call { host in
                unsafe withUnsafePointer(to: download) { download in
                    unsafe withUnsafePointer(to: error) {
                        unsafe bahost_download_failed(host, download, $0)
                    }
                }
            }
        }

        @Test
        func givesAFinishedFileToTheExtension() throws {
            let seen = Mutex<(BADownload, URL)?>(nil)
            ScriptedExtension.register(
                .init(finished: { download, file in seen.withLock { $0 = (download, file) } }))
            let status = unsafe finish(HostStructs.download(), at: "/d/g/Downloads/level 1")
            #expect(status == BAHOST_FINISHED_DONE)
            let (download, file) = try #require(seen.withLock { $0 })
            #expect(file.path == "/d/g/Downloads/level 1")
            #expect(download.identifier == "level-1")
            #expect(download.uniqueIdentifier == "unique-1")
            #expect(download.state == .finished)
            #expect(download.priority.rawValue == -3)
            let typed = try #require(download as? BAURLDownload)
            #expect(type(of: download) == BAURLDownload.self)
            #expect(typed.url?.absoluteString == "https://example.com/a")
            #expect(typed.fileSize == 4096)
            #expect(typed.receivedSize == 4000)
            #expect(typed.applicationGroupIdentifier == "group.tests")
            let container = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: "group.tests")
            #expect(container?.path == "/d/g")
        }

        @Test
        func keepsAFileNobodyAsksFor() {
            SilentExtension.main()
            #expect(unsafe finish(HostStructs.download(), at: "/d/a") == BAHOST_FINISHED_KEEP)
        }

        @Test
        func knowsTheOtherNameForFinished() {
            ClassExtension.main()
            #expect(unsafe finish(HostStructs.download(), at: "/d/a") == BAHOST_FINISHED_DONE)
        }

        @Test
        func asksAgainForAFailedEssentialAsAPlainOne() throws {
            ScriptedExtension.register(
                .init(failed: { download, _ in
                    guard download.isEssential else { return }
                    try? BADownloadManager.shared.scheduleDownload(download.removingEssential())
                }))
            let download = unsafe HostStructs.download(essential: true)
            let error = unsafe HostStructs.error(domain: BAHOST_DOMAIN_HTTP, code: 404, status: 404)
            #expect(unsafe fail(download, error) == 0)
            let expected = FakeHost.Request(
                identifier: "level-1", url: "https://example.com/a", flags: 0, size: 4096,
                priority: -3, group: "group.tests", structSize: 80)
            #expect(host.record.withLock { $0.requests } == [expected])
        }

        @Test
        func tellsTheManifestFromOtherDownloads() throws {
            let seen = Mutex<BADownload?>(nil)
            ScriptedExtension.register(
                .init(failed: { download, _ in seen.withLock { $0 = download } }))
            let manifest = unsafe HostStructs.download("manifest", kind: BAHOST_KIND_MANIFEST)
            let error = unsafe HostStructs.error(domain: BAHOST_DOMAIN_APPLE, code: 203)
            #expect(unsafe fail(manifest, error) == 0)
            let download = try #require(seen.withLock { $0 })
            #expect(download is BAURLDownload)
            #expect(type(of: download) != BAURLDownload.self)
        }

        @Test
        func hasNoAddressForAnAssetPack() throws {
            let seen = Mutex<BADownload?>(nil)
            ScriptedExtension.register(
                .init(failed: { download, _ in seen.withLock { $0 = download } }))
            let pack = unsafe HostStructs.download("pack", kind: BAHOST_KIND_ASSET_PACK)
            let error = unsafe HostStructs.error(domain: BAHOST_DOMAIN_ERRNO, code: 28)
            #expect(unsafe fail(pack, error) == 0)
            #expect(type(of: try #require(seen.withLock { $0 })) == BADownload.self)
        }

        @Test(
            arguments: [
                (BAHOST_DOMAIN_APPLE, 112, BAErrorDomain), (BAHOST_DOMAIN_APPLE, 0, BAErrorDomain),
                (BAHOST_DOMAIN_BAHOST, 1005, BAErrorDomain),
                (BAHOST_DOMAIN_HTTP, 404, "org.bahost.transfer"),
                (BAHOST_DOMAIN_TRANSPORT, 28, "org.bahost.transfer"),
                (BAHOST_DOMAIN_ERRNO, 28, "org.bahost.transfer"), (77, 5, BAErrorDomain),
            ] as [(UInt32, Int32, String)])
        func translatesErrors(domain: UInt32, code: Int32, name: String) throws {
            let seen = Mutex<(any Error)?>(nil)
            ScriptedExtension.register(.init(failed: { _, error in seen.withLock { $0 = error } }))
            let error = unsafe HostStructs.error(domain: domain, code: code, status: 404)
            #expect(unsafe fail(HostStructs.download(), error) == 0)
            let thrown = try #require(seen.withLock { $0 })
            #expect((thrown as NSError).domain == name)
            #expect((thrown as NSError).code == Int(code))
            #expect(thrown.localizedDescription.hasSuffix("it broke"))
            if let transfer = thrown as? BATransferError { #expect(transfer.httpStatus == 404) }
        }

        @Test
        func makesOneExtensionForABatch() {
            let made = Mutex(0)
            CountedExtension.made = { made.withLock { $0 += 1 } }
            CountedExtension.main()
            #expect(made.withLock { $0 } == 0)
            _ = unsafe finish(HostStructs.download(), at: "/d/a")
            _ = unsafe finish(HostStructs.download("level-2"), at: "/d/b")
            #expect(made.withLock { $0 } == 1)
        }

        @Test
        func passesTheEndOn() {
            let ended = Mutex(0)
            ScriptedExtension.register(.init(terminate: { ended.withLock { $0 += 1 } }))
            unsafe host.call { unsafe bahost_will_terminate($0, BAHOST_REASON_WALL) }
            #expect(ended.withLock { $0 } == 0, "no extension has been made yet")
            _ = unsafe finish(HostStructs.download(), at: "/d/a")
            unsafe host.call { unsafe bahost_will_terminate($0, BAHOST_REASON_WALL) }
            #expect(ended.withLock { $0 } == 1)
        }

        @Test
        func leavesChallengesToTheHost() {
            ScriptedExtension.register(.init())
            let challenge = unsafe bahost_challenge()
            var reply = unsafe bahost_challenge_reply()
            let download = unsafe HostStructs.download()
            let status = unsafe host.call { host in
                unsafe withUnsafePointer(to: download) { download in
                    unsafe withUnsafePointer(to: challenge) {
                        unsafe bahost_authentication_challenge(host, download, $0, &reply)
                    }
                }
            }
            #expect(status == 1)
        }
    }
}

/// Counts how often it is made.
private struct CountedExtension: BADownloaderExtension {
    private static let hook = Mutex<@Sendable () -> Void>({})

    static var made: @Sendable () -> Void {
        get { hook.withLock { $0 } }
        set { hook.withLock { $0 = newValue } }
    }

    init() { Self.made() }
}
