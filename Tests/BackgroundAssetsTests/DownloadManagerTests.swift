import BackgroundAssets
import CPluginSDK
import Synchronization
import Testing

extension BackgroundAssetsTests {
    @Suite(.serialized)
    struct DownloadManagerTests {
        let host = FakeHost()
        let manager = BADownloadManager.shared
        let download: BAURLDownload

        init() throws {
            let url = try #require(URL(string: "https://example.com/a"))
            download = BAURLDownload(identifier: "a", url: url)
        }

        /// Runs a body inside `backgroundDownload(_:failedWithError:)` and hands its result out.
        private func inside<Value: Sendable>(
            _ body: @escaping @Sendable () throws -> Value
        ) throws -> Value {
            let result = Mutex<Result<Value, any Error>?>(nil)
            ScriptedExtension.register(
                .init(failed: { _, _ in
                    let outcome = Result { try body() }
                    result.withLock { $0 = outcome }
                }))
            let failed = unsafe HostStructs.download()
            let error = unsafe HostStructs.error(domain: BAHOST_DOMAIN_APPLE, code: 0)
            unsafe host.call { host in
                unsafe withUnsafePointer(to: failed) { failed in
                    unsafe withUnsafePointer(to: error) {
                        _ = unsafe bahost_download_failed(host, failed, $0)
                    }
                }
            }
            return try #require(result.withLock { $0 }).get()
        }

        @Test
        func throwsEverywhereOutsideAnExtension() async throws {
            let none = BAError(
                .callerConnectionInvalid,
                message: "there is no host: no function of an extension is running")
            #expect(throws: none) { try manager.scheduleDownload(download) }
            #expect(throws: none) { try manager.schedule(download) }
            #expect(throws: none) { try manager.startForegroundDownload(download) }
            #expect(throws: none) { try manager.cancel(download) }
            #expect(throws: none) { try manager.fetchCurrentDownloads() }
            await #expect(throws: none) { try await manager.currentDownloads }
            await #expect(throws: none) { try await manager.withExclusiveControl { 1 } }
            await #expect(throws: none) {
                try await manager.withExclusiveControl(before: Date()) { 1 }
            }
            manager.withExclusiveControl { acquired, error in
                #expect(!acquired)
                #expect(error as? BAError == none)
            }
            manager.fetchCurrentDownloads { downloads, error in
                #expect(downloads.isEmpty)
                #expect(error as? BAError == none)
            }
        }

        @Test
        func schedulesInsideACompletion() throws {
            let manager = manager
            let download = download
            try inside { try manager.scheduleDownload(download) }
            #expect(host.record.withLock { $0.requests.map(\.identifier) } == ["a"])
        }

        @Test(
            arguments: [
                (1, .downloadInvalid), (100, .downloadAlreadyScheduled), (1008, .hostGroupNotYours),
                (4242, BAErrorCode(rawValue: 4242)), (-1, BAErrorCode(rawValue: -1)),
            ] as [(Int32, BAErrorCode)])
        func throwsTheHostsAnswer(status: Int32, code: BAErrorCode) throws {
            host.record.withLock { $0.answers["a"] = status }
            let manager = manager
            let download = download
            #expect(throws: BAError(code, message: "download \"a\"")) {
                try inside { try manager.scheduleDownload(download) }
            }
        }

        @Test
        func catchesByCode() throws {
            let manager = manager
            let download = download
            host.record.withLock { $0.cancelAnswer = 101 }
            do {
                try inside { try manager.cancel(download) }
                Issue.record("it did not throw")
            } catch BAErrorCode.downloadNotScheduled {
                #expect(host.record.withLock { $0.cancelled } == ["a"])
            }
        }

        @Test
        func schedulesNothingWhileDownloadsRuns() throws {
            let thrown = Mutex<(any Error)?>(nil)
            let manager = manager
            let download = download
            ScriptedExtension.register(
                .init(downloads: { _, _, _ in
                    do { try manager.scheduleDownload(download) } catch {
                        thrown.withLock { $0 = error }
                    }
                    return []
                }))
            unsafe host.call { host in
                unsafe HostStructs.withContent { #expect(unsafe bahost_install(host, $0) == 0) }
            }
            let error = try #require(thrown.withLock { $0 } as? BAError)
            #expect(error.code == .callFromExtensionNotAllowed)
            #expect(host.record.withLock { $0.requests }.isEmpty)
        }

        @Test
        func startsNothingInTheForeground() throws {
            let manager = manager
            let download = download
            #expect {
                try inside { try manager.startForegroundDownload(download) }
            } throws: {
                ($0 as? BAError)?.code == .callFromExtensionNotAllowed
            }
        }

        @Test
        func schedulesOnlyWhatHasAnAddress() throws {
            let seen = Mutex<BADownload?>(nil)
            let manager = manager
            ScriptedExtension.register(
                .init(failed: { download, _ in seen.withLock { $0 = download } }))
            let pack = unsafe HostStructs.download("pack", kind: BAHOST_KIND_ASSET_PACK)
            let error = unsafe HostStructs.error(domain: BAHOST_DOMAIN_APPLE, code: 0)
            unsafe host.call { host in
                unsafe withUnsafePointer(to: pack) { pack in
                    unsafe withUnsafePointer(to: error) {
                        _ = unsafe bahost_download_failed(host, pack, $0)
                    }
                }
            }
            let download = try #require(seen.withLock { $0 })
            #expect {
                try inside { try manager.scheduleDownload(download) }
            } throws: {
                ($0 as? BAError)?.code == .downloadInvalid
            }
        }

        @Test(arguments: [0, 1, 255, 256, 257, 512, 600])
        func listsEveryDownloadOnce(count: Int) throws {
            let names = (0..<count).map { "d\(1000 + $0)" }
            host.record.withLock { $0.listed = names }
            let manager = manager
            let listed = try inside { try manager.fetchCurrentDownloads() }
            #expect(listed.map(\.identifier) == names)
            #expect(listed.allSatisfy { $0.state == .waiting && $0 is BAURLDownload })
        }

        @Test
        func refusesAListThatCannotBeTrue() throws {
            let manager = manager
            host.record.withLock {
                $0.listed = ["a"]
                $0.repeatsPages = true
            }
            #expect {
                try inside { try manager.fetchCurrentDownloads() }
            } throws: {
                ($0 as? BAError)?.message.hasSuffix("its pages do not go forward") == true
            }
            host.record.withLock { $0.listedCount = 257 }
            #expect {
                try inside { try manager.fetchCurrentDownloads() }
            } throws: {
                ($0 as? BAError)?.message.hasSuffix("a page is too long") == true
            }
            host.record.withLock { $0.listedCount = 256 }
            #expect {
                try inside { try manager.fetchCurrentDownloads() }
            } throws: {
                ($0 as? BAError)?.message.hasSuffix("has no identifier") == true
            }
        }

        @Test
        func throwsTheHostsAnswerToAList() throws {
            let manager = manager
            host.record.withLock { $0.listAnswer = 1006 }
            #expect(throws: BAError(.hostNotAllowedNow, message: "the list of downloads")) {
                try inside { try manager.fetchCurrentDownloads() }
            }
        }
    }
}
