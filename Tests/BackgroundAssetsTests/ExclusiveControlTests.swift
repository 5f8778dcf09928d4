import BackgroundAssets
import CPluginSDK
import Synchronization
import Testing

extension BackgroundAssetsTests {
    @Suite(.serialized)
    struct ExclusiveControlTests {
        let host = FakeHost()
        let manager = BADownloadManager.shared

        /// Runs a body inside `backgroundDownload(_:finishedWithFileURL:)`.
        private func inside(_ body: @escaping @Sendable () -> Void) {
            ScriptedExtension.register(.init(finished: { _, _ in body() }))
            let download = unsafe HostStructs.download()
            unsafe host.call { host in
                unsafe withUnsafePointer(to: download) { download in
                    _ = unsafe bahost_download_finished(host, download, "/d/Downloads/a")
                }
            }
        }

        @Test
        func runsTheHandlerWithControlAndGivesItBack() {
            let manager = manager
            let held = Mutex<[Bool]>([])
            let host = host
            inside {
                manager.withExclusiveControl { acquired, error in
                    #expect(error == nil)
                    #expect(host.record.withLock { $0.releases } == 0)
                    held.withLock { $0.append(acquired) }
                }
                #expect(held.withLock { $0 } == [true], "the handler has returned by now")
            }
            #expect(host.record.withLock { $0.acquired } == [-1])
            #expect(host.record.withLock { $0.releases } == 1)
        }

        @Test
        func tellsTheHandlerWhyNot() {
            let manager = manager
            let seen = Mutex<(Bool, (any Error)?)?>(nil)
            host.record.withLock { $0.acquireAnswer = 1004 }
            inside {
                manager.withExclusiveControl(beforeDate: .distantPast) { acquired, error in
                    seen.withLock { $0 = (acquired, error) }
                }
            }
            #expect(seen.withLock { $0?.0 } == false)
            let error = seen.withLock { $0?.1 } as? BAError
            #expect(error == BAError(.hostLeaseDeadline, message: "exclusive control"))
            #expect(host.record.withLock { $0.acquired } == [0])
            #expect(host.record.withLock { $0.releases } == 0)
        }

        @Test
        func waitsNoLongerThanToTheDate() throws {
            let manager = manager
            inside {
                manager.withExclusiveControl(beforeDate: Date(timeIntervalSinceNow: 60)) { _, _ in }
                manager.withExclusiveControl(beforeDate: .distantFuture) { _, _ in }
            }
            let acquired = host.record.withLock { $0.acquired }
            #expect(acquired.count == 2)
            #expect((1...60_000).contains(try #require(acquired.first)))
            #expect(try #require(acquired.last) > 60_000)
        }

        @Test
        func takesTheLeaseOnceWhenNested() {
            let manager = manager
            let depth = Mutex(0)
            inside {
                manager.withExclusiveControl { _, _ in
                    manager.withExclusiveControl { acquired, _ in
                        depth.withLock { $0 = acquired ? 2 : 0 }
                    }
                }
            }
            #expect(depth.withLock { $0 } == 2)
            #expect(host.record.withLock { $0.acquired } == [-1])
            #expect(host.record.withLock { $0.releases } == 1)
        }

        @Test
        func waitsForATaskThatHoldsIt() {
            let manager = manager
            let done = Cell("")
            let started = DispatchSemaphore(value: 0)
            inside {
                Task {
                    let value = try await manager.withExclusiveControl {
                        started.signal()
                        Thread.sleep(forTimeInterval: 0.05)
                        return "value"
                    }
                    done.value = value
                }
                started.wait()
            }
            #expect(host.record.withLock { $0.releases } == 1)
        }

        @Test
        func givesItBackWhenTheBodyThrows() {
            struct Fault: Error {}
            let thrown = Cell(false)
            let ended = DispatchSemaphore(value: 0)
            inside {
                Task.detached {
                    do {
                        try await BADownloadManager.shared.withExclusiveControl(
                            before: .distantFuture
                        ) { throw Fault() }
                    } catch {
                        thrown.value = error is Fault
                    }
                    ended.signal()
                }
                ended.wait()
            }
            #expect(thrown.value)
            #expect(host.record.withLock { $0.releases } == 1)
        }

        @Test
        func excludesThreadsOfTheSameProcess() {
            let manager = manager
            let inside = Mutex((now: 0, most: 0))
            let ended = DispatchSemaphore(value: 0)
            self.inside {
                for _ in 0..<8 {
                    Thread.detachNewThread {
                        manager.withExclusiveControl { _, _ in
                            inside.withLock {
                                $0.now += 1
                                $0.most = max($0.most, $0.now)
                            }
                            Thread.sleep(forTimeInterval: 0.001)
                            inside.withLock { $0.now -= 1 }
                        }
                        ended.signal()
                    }
                }
                for _ in 0..<8 { ended.wait() }
            }
            #expect(inside.withLock { $0.most } == 1)
            #expect(host.record.withLock { $0.releases } == 8)
        }
    }
}
