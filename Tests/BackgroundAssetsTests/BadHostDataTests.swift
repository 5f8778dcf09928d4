import BackgroundAssets
import CPluginSDK
import Synchronization
import Testing

extension BackgroundAssetsTests {
    /// Whatever the host hands over, the library answers; it never traps.
    @Suite(.serialized)
    struct BadHostDataTests {
        let host = FakeHost()

        init() { ScriptedExtension.register(.init()) }

        private func install(
            changing change: (inout bahost_content_request) -> Void
        ) -> Int32 {
            unsafe host.call { host in
                unsafe HostStructs.withContent(changing: change) { unsafe bahost_install(host, $0) }
            }
        }

        @Test
        func answersNullsWithItsOwnNumber() {
            unsafe host.call { host in
                #expect(NullableEntries.install(nil, nil) == -1001)
                #expect(unsafe NullableEntries.install(host, nil) == -1001)
                #expect(NullableEntries.finished(nil, nil, nil) == -1001)
                #expect(unsafe NullableEntries.finished(host, nil, nil) == -1001)
                #expect(unsafe NullableEntries.failed(host, nil, nil) == -1001)
                #expect(unsafe NullableEntries.should(host, nil) == -1001)
            }
        }

        @Test
        func needsAPathAndAnErrorWithADownload() {
            let download = unsafe HostStructs.download()
            let nameless = unsafe HostStructs.download(nil)
            unsafe host.call { host in
                unsafe withUnsafePointer(to: download) { download in
                    #expect(unsafe NullableEntries.finished(host, download, nil) == -1001)
                    #expect(unsafe NullableEntries.finished(host, download, "no/slash") == -1001)
                    #expect(unsafe NullableEntries.failed(host, download, nil) == -1001)
                }
                unsafe withUnsafePointer(to: nameless) { nameless in
                    #expect(unsafe NullableEntries.finished(host, nameless, "/d/a") == -1001)
                }
            }
        }

        @Test(arguments: [0, 3, 4, 8, 24, 31] as [UInt32])
        func refusesAContentRequestTooShortForItsApp(size: UInt32) {
            #expect(unsafe install { content in unsafe content.struct_size = size } == -1001)
        }

        @Test
        func readsNoFurtherThanItKnows() {
            #expect(unsafe install { content in unsafe content.struct_size = .max } == 0)
        }

        @Test
        func refusesAnAppWithoutWhatItMustHave() {
            #expect(unsafe install { content in unsafe content.app = nil } == -1001)
            #expect(
                unsafe install { content in unsafe content.manifest_path = HostStructs.text("m") }
                    == -1001)
            let homeless = unsafe HostStructs.app(container: nil)
            let relative = unsafe HostStructs.app(container: "c")
            unsafe host.call { host in
                unsafe HostStructs.withContent(homeless) {
                    #expect(unsafe bahost_install(host, $0) == -1001)
                }
                unsafe HostStructs.withContent(relative) {
                    #expect(unsafe bahost_install(host, $0) == -1001)
                }
            }
        }

        @Test
        func readsAnIdentifierUpToItsBoundAndUTF8Only() {
            for (identifier, expected) in [
                (String(repeating: "a", count: 255), BAHOST_FINISHED_DONE),
                (String(repeating: "a", count: 256), -1001),
            ] {
                let download = unsafe HostStructs.download(identifier)
                unsafe host.call { host in
                    unsafe withUnsafePointer(to: download) { download in
                        let status = unsafe bahost_download_finished(host, download, "/d/a")
                        #expect(status == expected)
                    }
                }
            }
            let bytes: [CChar] = [-1, -2, 0]
            var download = unsafe HostStructs.download()
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe download.identifier = bytes.baseAddress
                unsafe host.call { host in
                    unsafe withUnsafePointer(to: download) { download in
                        #expect(unsafe bahost_download_finished(host, download, "/d/a") == -1001)
                    }
                }
            }
        }

        @Test
        func refusesATableOfAnotherMajorOrNoSize() {
            unsafe HostStructs.withContent { content in
                let other = unsafe host.call(changing: { table in unsafe table.abi_major = 9 }) {
                    unsafe bahost_install($0, content)
                }
                #expect(other == -1001)
                let sizeless = unsafe host.call(changing: { table in unsafe table.struct_size = 0 })
                {
                    unsafe bahost_install($0, content)
                }
                #expect(sizeless == -1001)
            }
        }

        @Test
        func answersMissingHostFunctionsWithNoFeature() throws {
            let url = try #require(URL(string: "https://example.com/a"))
            let seen = Mutex<[BAErrorCode?]>([])
            ScriptedExtension.register(
                .init(failed: { _, _ in
                    let manager = BADownloadManager.shared
                    let download = BAURLDownload(identifier: "a", url: url)
                    let calls: [() throws -> Void] = [
                        { try manager.scheduleDownload(download) },
                        { try manager.cancel(download) },
                        { _ = try manager.fetchCurrentDownloads() },
                    ]
                    for call in calls {
                        do { try call() } catch {
                            seen.withLock { $0.append((error as? BAError)?.code) }
                        }
                    }
                    manager.withExclusiveControl { _, error in
                        seen.withLock { $0.append((error as? BAError)?.code) }
                    }
                }))
            let download = unsafe HostStructs.download()
            let error = unsafe HostStructs.error(domain: BAHOST_DOMAIN_APPLE, code: 0)
            for size in [24, 32] as [UInt32] {
                let status = unsafe host.call(changing: { table in unsafe table.struct_size = size }
                ) {
                    host in
                    unsafe withUnsafePointer(to: download) { download in
                        unsafe withUnsafePointer(to: error) {
                            unsafe bahost_download_failed(host, download, $0)
                        }
                    }
                }
                #expect(status == 0)
            }
            #expect(seen.withLock { $0 } == Array(repeating: .hostNoFeature, count: 8))
        }
    }
}
