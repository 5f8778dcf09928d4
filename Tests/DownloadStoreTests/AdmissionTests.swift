import DownloadScheduler
import DownloadStore
import Testing

struct AdmissionTests {
    private let scratch: ScratchFolder
    private let store: DownloadStore

    init() throws {
        scratch = try ScratchFolder()
        store = try DownloadStore(folder: scratch.path)
    }

    @Test func everyFieldReadsBackAsWritten() throws {
        let admitted = try store.admit([.full("one"), .sample("two")])
        #expect(admitted.map(\.rowID) == [1, 2])
        #expect(admitted.map(\.sequence) == [1, 2])
        #expect(try store.record(app: "app", identifier: "one") == admitted[0])
        #expect(try store.record(app: "app", identifier: "two") == admitted[1])
        #expect(try store.record(rowID: 2) == admitted[1])
    }

    @Test(arguments: [
        "'; DROP TABLE downloads; --", "äöü 日本語 🎈", "?1", "%s", "a/../b",
        String(repeating: "x", count: 255),
    ])
    func textIsOnlyEverText(identifier: String) throws {
        let admitted = try store.admit([.sample(identifier)])
        #expect(try store.record(app: "app", identifier: identifier) == admitted.first)
        #expect(try store.counts(app: "app") == [.created: 1])
    }

    @Test func anUnfinishedTwinRefusesTheWholeBatch() throws {
        _ = try store.admit([.sample("taken")])
        let error = storeError { _ = try store.admit([.sample("new"), .sample("taken")]) }
        #expect(error?.code == .identifierInUse)
        #expect(error?.subject == "'taken' of app")
        #expect(try store.record(app: "app", identifier: "new") == nil)
    }

    @Test func twinsInOneBatchAreRefused() throws {
        let error = storeError { _ = try store.admit([.sample("a"), .sample("a")]) }
        #expect(error?.code == .identifierInUse)
        #expect(try store.counts(app: "app") == [:])
    }

    @Test func twoAppsMayUseOneIdentifier() throws {
        let admitted = try store.admit([.sample("a", app: "one"), .sample("a", app: "two")])
        #expect(try store.record(app: "two", identifier: "a") == admitted[1])
    }

    @Test(arguments: [DownloadState.finished, .failed, .cancelled])
    func anEndedDownloadIsReplaced(end: DownloadState) throws {
        let old = try #require(try store.admit([.sample("a")]).first)
        let failure = DownloadFailure(domain: .bahost, code: 1005, message: "full")
        let change: StoreChange =
            switch end {
            case .finished: .finished(.sample(old.rowID))
            case .failed: .failed(old.rowID, failure)
            default: .cancelled(old.rowID)
            }
        #expect(try store.commit([change]) == [])
        let new = try #require(try store.admit([.sample("a")]).first)
        #expect(new.rowID > old.rowID)
        #expect(try store.record(app: "app", identifier: "a") == new)
        #expect(try store.record(rowID: old.rowID) == nil)
    }

    @Test func aRowNumberIsNeverUsedTwice() throws {
        let old = try #require(try store.admit([.sample("a")]).first)
        let new = try #require(
            try store.admit([.sample("b")], replacing: [old.rowID]).first)
        #expect(new.rowID == old.rowID + 1)
        #expect(try store.counts(app: "app") == [.created: 1])
    }

    @Test func replacingAStrangerOrByATakenNameChangesNothing() throws {
        let rows = try store.admit([.sample("a"), .sample("b")])
        let stranger = storeError { _ = try store.admit([.sample("c")], replacing: [99]) }
        #expect(stranger?.code == .noSuchRow)
        let error = storeError {
            _ = try store.admit([.sample("b")], replacing: [rows[0].rowID])
        }
        #expect(error?.code == .identifierInUse)
        #expect(try store.unfinished(app: "app") == rows)
    }

    @Test func nothingIsAdmittedAsNothing() throws {
        #expect(try store.admit([]) == [])
    }

    @Test func tenThousandRowsAreOneTransaction() throws {
        let records = (0..<10_000).map { DownloadRecord.sample("item \($0)") }
        let clock = ContinuousClock()
        var admitted: [DownloadRecord] = []
        let time = try clock.measure { admitted = try store.admit(records) }
        print("10,000 rows admitted in \(time)")
        #expect(admitted.count == 10_000)
        #expect(try store.counts(app: "app") == [.created: 10_000])
        #expect(try store.unfinished(app: "app") == admitted)
    }
}
