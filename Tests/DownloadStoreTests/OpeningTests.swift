import DownloadScheduler
import DownloadStore
import Foundation
import Testing

struct OpeningTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    @Test func whatWasStoredIsThereAfterReopening() throws {
        let admitted = try scratch.withStore { try $0.admit([.full("a"), .sample("b")]) }
        try scratch.withStore { (store) throws in
            #expect(try store.unfinished(app: "app") == admitted)
            #expect(store.notes == [])
        }
    }

    @Test func closingLeavesTheDatabaseAndAnEmptyLock() throws {
        try scratch.withStore { _ = try $0.admit([.sample("a")]) }
        #expect(try scratch.names() == ["ballast", "downloads.sqlite", "host.lock"])
        #expect(try scratch.read("host.lock").isEmpty)
    }

    @Test func aSecondStoreIsRefusedWithTheHoldersProcessId() throws {
        try scratch.withStore { (store) throws in
            let error = storeError { _ = try DownloadStore(folder: scratch.path) }
            #expect(error?.code == .heldByHost(pid: getpid()))
            #expect(error?.description.contains("process id \(getpid())") == true)
            #expect(try store.admit([.sample("a")]).count == 1)
        }
        try scratch.withStore { (store) throws in
            #expect(try store.counts(app: "app") == [.created: 1])
        }
    }

    @Test func aMissingFolderIsRefused() {
        let error = storeError { _ = try DownloadStore(folder: scratch.file("none")) }
        #expect(error?.code == .folderUnusable)
        #expect(error?.systemCode == ENOENT)
    }

    @Test func aFileInThePlaceOfTheFolderIsRefused() throws {
        try scratch.write("file", Data("x".utf8))
        let error = storeError { _ = try DownloadStore(folder: scratch.file("file")) }
        #expect(error?.code == .folderUnusable)
        #expect(error?.systemCode == ENOTDIR)
    }

    @Test func whatIsNoPathIsRefused() {
        for path in ["", "a\u{0}b"] {
            #expect(storeError { _ = try DownloadStore(folder: path) }?.code == .folderUnusable)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "uid 0 may write to every folder"))
    func aReadOnlyFolderIsRefused() throws {
        #expect(unsafe chmod(scratch.path, 0o500) == 0)
        let error = storeError { _ = try DownloadStore(folder: scratch.path) }
        unsafe chmod(scratch.path, 0o700)
        #expect(error?.code == .folderUnusable)
        #expect(error?.systemCode == EACCES)
    }

    @Test func aFIFOInThePlaceOfTheDatabaseIsRefusedWithoutBlocking() throws {
        #expect(unsafe mkfifo(scratch.databasePath, 0o600) == 0)
        let error = storeError { _ = try DownloadStore(folder: scratch.path) }
        #expect(error?.code == .folderUnusable)
    }

    @Test func aLinkInThePlaceOfTheDatabaseIsRefused() throws {
        #expect(unsafe symlink("elsewhere.sqlite", scratch.databasePath) == 0)
        let error = storeError { _ = try DownloadStore(folder: scratch.path) }
        #expect(error?.systemCode == ELOOP)
        #expect(try !scratch.names().contains("elsewhere.sqlite"))
    }

    @Test func aForeignLockIsWaitedOutAndThenNamed() throws {
        let store = try DownloadStore(folder: scratch.path, patience: .milliseconds(20))
        try scratch.withDatabase { other in
            try other.run("BEGIN IMMEDIATE")
            let error = storeError { _ = try store.admit([.sample("a")]) }
            #expect(error?.code == .busy)
            try other.run("COMMIT")
        }
        #expect(try store.admit([.sample("a")]).count == 1)
    }

    @Test func aForeignLockOnTheWholeDatabaseIsWaitedOutBeforeOpening() throws {
        try scratch.withStore { _ = try $0.admit([.sample("a")]) }
        try scratch.withDatabase { other in
            try other.run("PRAGMA locking_mode = EXCLUSIVE")
            try other.run("BEGIN EXCLUSIVE")
            let time = ContinuousClock().measure {
                let error = storeError {
                    _ = try DownloadStore(folder: scratch.path, patience: .milliseconds(300))
                }
                #expect(error?.code == .busy)
            }
            #expect(time >= .milliseconds(300))
        }
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            #expect(try store.counts(app: "app") == [.created: 1])
        }
    }

    @Test func onlyTheOwnerMayReadTheFiles() throws {
        try scratch.withStore { (store) throws in
            _ = try store.admit([.sample("a")])
            for name in try scratch.names() {
                let facts = try FileManager.default.attributesOfItem(atPath: scratch.file(name))
                #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            #expect(try scratch.names().contains("downloads.sqlite-wal"))
        }
    }

    @Test func aFullDiskKeepsNothingAndIsNotTheEnd() async throws {
        let path = scratch.path
        // A file size limit stands in for the disk: the same refusal of a write.
        await #expect(processExitsWith: .exitCode(77)) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let store = try DownloadStore(folder: path)
            guard limitFileSize(256 * 1024) else { exit(1) }
            let many = (0..<2000).map { DownloadRecord.sample("item \($0)") }
            guard storeError({ _ = try store.admit(many) })?.code == .noSpace else { exit(2) }
            guard try store.counts(app: "app") == [:] else { exit(3) }
            guard try store.admit([.sample("small")]).count == 1 else { exit(4) }
            exit(77)
        }
        try scratch.withStore { (store) throws in
            #expect(try store.counts(app: "app") == [.created: 1])
        }
    }

    @Test func aFullDiskInTheMiddleOfACommitKeepsNothingOfIt() async throws {
        let path = scratch.path
        try scratch.withStore { _ = try $0.admit((0..<300).map { .sample("item \($0)") }) }
        await #expect(processExitsWith: .exitCode(77)) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let store = try DownloadStore(folder: path)
            guard limitFileSize(256 * 1024) else { exit(1) }
            let failure = DownloadFailure(
                domain: .bahost, code: 1, message: String(repeating: "x", count: 4096))
            let changes = (1...300).map { StoreChange.failed($0, failure) }
            guard storeError({ _ = try store.commit(changes) })?.code == .noSpace else { exit(2) }
            guard try store.counts(app: "app") == [.created: 300] else { exit(3) }
            guard try store.commit([.cancelled(1)]) == [] else { exit(4) }
            exit(77)
        }
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            #expect(try store.counts(app: "app") == [.created: 299, .cancelled: 1])
        }
    }
}
