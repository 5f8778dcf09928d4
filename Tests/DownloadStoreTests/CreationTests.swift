import DownloadScheduler
import DownloadStore
import Foundation
import Testing

/// A store that makes its database with the first download.
struct CreationTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    private func open() throws -> DownloadStore {
        try DownloadStore(folder: scratch.path, creation: .whenAdmitting)
    }

    @Test func untilSomethingIsAdmittedThereIsNothingButTheLock() throws {
        let store = try open()
        #expect(try store.requeueInFlight(app: "app") == 0)
        #expect(try store.unfinished(app: "app") == [])
        #expect(try store.undelivered(app: "app") == [])
        #expect(try store.current(app: "app", after: nil, limit: 1) == [])
        #expect(try store.counts(app: "app") == [:])
        #expect(try store.record(app: "app", identifier: "a") == nil)
        #expect(try store.record(rowID: 1) == nil)
        #expect(try store.admit([]) == [])
        #expect(try store.commit([.cancelled(1), .delivered(1)]) == [0, 1])
        #expect(try store.windowKeys().isEmpty)
        #expect(!store.hasDatabase)
        #expect(try scratch.names() == ["host.lock"])
    }

    @Test func whatIsAdmittedIsThereAfterReopening() throws {
        var store: DownloadStore? = try open()
        let admitted = try store?.admit([.full("a"), .sample("b")])
        #expect(store?.hasDatabase == true)
        #expect(try store?.unfinished(app: "app") == admitted)
        store = nil
        let next = try open()
        #expect(next.hasDatabase)
        #expect(try next.unfinished(app: "app") == admitted)
    }

    @Test func theFolderIsHeldWithoutADatabaseToo() throws {
        let store = try open()
        let error = storeError { _ = try open() }
        #expect(error?.code == .heldByHost(pid: getpid()))
        #expect(try store.admit([.sample("a")]).count == 1)
    }

    @Test func aDamagedDatabaseIsSetAsideAtOnce() throws {
        try scratch.write("downloads.sqlite", Data("no database".utf8))
        let store = try open()
        #expect(store.hasDatabase)
        #expect(store.notes.count == 1)
        #expect(try scratch.names().contains("downloads.sqlite.corrupt-1"))
    }

    @Test func aDatabaseThatCannotBeMadeIsSaidByTheAdmission() async throws {
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(77)) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let store = try DownloadStore(folder: path, creation: .whenAdmitting)
            guard limitFileSize(4096) else { exit(1) }
            guard storeError({ _ = try store.admit([.sample("a")]) })?.code == .noSpace else {
                exit(2)
            }
            guard !store.hasDatabase, limitFileSize(1 << 20) else { exit(3) }
            guard try store.admit([.sample("a")]).count == 1 else { exit(4) }
            exit(77)
        }
        #expect(try open().counts(app: "app") == [.created: 1])
    }
}
