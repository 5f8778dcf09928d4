import DownloadScheduler
import DownloadStore
import Testing

struct ChangeTests {
    private let scratch: ScratchFolder
    private let store: DownloadStore
    private let rowID: Int64
    private let failure = DownloadFailure(
        domain: .transport, code: 7, httpStatus: 0, message: "refused")

    init() throws {
        scratch = try ScratchFolder()
        store = try DownloadStore(folder: scratch.path)
        rowID = try #require(try store.admit([.sample("a")]).first).rowID
    }

    private func record() throws -> DownloadRecord { try #require(try store.record(rowID: rowID)) }

    /// Makes one change that has to be made.
    private func make(_ change: StoreChange) throws {
        #expect(try store.commit([change]) == [])
    }

    @Test func statesAttemptsAndRetriesAreStored() throws {
        try make(.state(rowID, .downloading, attempts: 2, retries: 1))
        #expect(try record().state == .downloading)
        try make(.state(rowID, .paused))
        #expect(try record().state == .paused)
        #expect(try record().attempts == 2)
        #expect(try record().retries == 1)
        try make(.state(rowID, .waiting, retries: 0))
        #expect(try record().attempts == 2)
        #expect(try record().retries == 0)
    }

    @Test(arguments: [DownloadState.finished, .failed, .cancelled])
    func anEndIsNotReachedByAState(state: DownloadState) throws {
        let error = storeError { _ = try store.commit([.state(rowID, state)]) }
        #expect(error?.code == .invalidRecord)
        #expect(try record().state == .created)
    }

    @Test func aCheckpointIsStoredAndForgets() throws {
        let validator = TransferValidator(kind: .strongETag, text: "\"1\"", total: 10)
        try make(.checkpoint(rowID, receivedBytes: 4, validator: validator, totalBytes: 10))
        #expect(try record().receivedBytes == 4)
        #expect(try record().validator == validator)
        #expect(try record().totalBytes == 10)
        try make(.checkpoint(rowID, receivedBytes: 0, validator: nil, totalBytes: nil))
        #expect(try record().receivedBytes == 0)
        #expect(try record().validator == nil)
        #expect(try record().totalBytes == nil)
    }

    @Test func finishingStoresPathSizeAndDigest() throws {
        try make(.finished(.sample(rowID, receivedBytes: 12)))
        let record = try record()
        #expect(record.state == .finished)
        #expect(record.finishedPath == "Downloads/\(rowID)")
        #expect(record.receivedBytes == 12)
        #expect(record.resultSha256 == FinishedDownload.sample(rowID).sha256)
        #expect(!record.isDelivered)
    }

    @Test func aBatchLeavesOutWhatIsGoneAndMakesTheRest() throws {
        let other = try #require(try store.admit([.sample("b")]).first)
        try make(.cancelled(other.rowID))
        let leftOut = try store.commit([
            .finished(.sample(99)), .state(rowID, .downloading), .failed(other.rowID, failure),
            .finished(.sample(rowID)), .state(rowID, .waiting),
        ])
        #expect(leftOut == [0, 2, 4])
        #expect(try store.counts(app: "app") == [.finished: 1, .cancelled: 1])
    }

    @Test func oneValueOutOfBoundsRefusesTheWholeBatch() throws {
        let most = UInt64(Int64.max)
        let bad: [StoreChange] = [
            .state(rowID, .waiting, attempts: -1), .state(rowID, .waiting, retries: -1),
            .checkpoint(rowID, receivedBytes: most + 1, validator: nil, totalBytes: nil),
            .checkpoint(rowID, receivedBytes: 0, validator: nil, totalBytes: most + 1),
            .finished(.sample(rowID, receivedBytes: most + 1)),
            .finished(.sample(rowID, sha256: [1])),
        ]
        for change in bad {
            let error = storeError { _ = try store.commit([.cancelled(rowID), change]) }
            #expect(error?.code == .invalidRecord, "\(change)")
            #expect(error?.subject.hasSuffix(" of row \(rowID)") == true)
        }
        #expect(try record().state == .created)
        try make(.checkpoint(rowID, receivedBytes: most, validator: nil, totalBytes: most))
        #expect(try record().totalBytes == most)
    }

    @Test(arguments: ["", "/etc/passwd", "a/../../b"])
    func aPathOutOfTheContainerIsRefused(path: String) throws {
        let error = storeError {
            _ = try store.commit([.finished(.sample(rowID, path: path))])
        }
        #expect(error?.code == .invalidRecord)
        #expect(try record().state == .created)
    }

    @Test func aFailureIsStoredWhole() throws {
        try make(.failed(rowID, failure))
        #expect(try record().state == .failed)
        #expect(try record().error == failure)
    }

    @Test(arguments: [(4096, 4096), (4097, 4096)])
    func aLongMessageIsCutNotRefused(length: Int, kept: Int) throws {
        var failure = failure
        failure.message = String(repeating: "x", count: length)
        try make(.failed(rowID, failure))
        #expect(try record().error?.message.utf8.count == kept)
    }

    @Test func aCutKeepsCharactersWholeAndDropsNUL() throws {
        var failure = failure
        failure.message = "\u{0}" + String(repeating: "ä", count: 2047) + "🎈"
        try make(.failed(rowID, failure))
        #expect(try record().error?.message == String(repeating: "ä", count: 2047))
    }

    @Test func whatHasEndedStaysEnded() throws {
        try make(.cancelled(rowID))
        let changes: [StoreChange] = [
            .state(rowID, .waiting), .cancelled(rowID), .failed(rowID, failure),
            .finished(.sample(rowID)), .foreground(rowID, true), .first(rowID),
            .checkpoint(rowID, receivedBytes: 1, validator: nil, totalBytes: nil),
        ]
        let before = try record()
        #expect(before.state == .cancelled)
        #expect(try store.commit(changes) == Array(changes.indices))
        #expect(try record() == before)
    }

    @Test func onlyAnEndIsDelivered() throws {
        #expect(try store.commit([.delivered(rowID)]) == [0])
        try make(.failed(rowID, failure))
        try make(.delivered(rowID))
        #expect(try record().isDelivered)
    }

    @Test func foregroundComesAndGoes() throws {
        var essential = DownloadRecord.sample("b")
        essential.isEssential = true
        let other = try #require(try store.admit([essential]).first)
        for (row, plain) in [(rowID, DownloadClass.background), (other.rowID, .essential)] {
            try make(.foreground(row, true))
            #expect(try store.record(rowID: row)?.downloadClass == .foreground)
            try make(.foreground(row, false))
            #expect(try store.record(rowID: row)?.downloadClass == plain)
        }
    }

    @Test func whatIsPutFirstGoesBeforeEveryPriority() throws {
        var urgent = DownloadRecord.sample("b")
        urgent.priority = .max - 1
        _ = try store.admit([urgent, .sample("c")])
        try make(.first(rowID + 2))
        #expect(try store.unfinished(app: "app").map(\.identifier) == ["c", "b", "a"])
    }

    @Test func noChangesAreNoTransaction() throws {
        #expect(try store.commit([]) == [])
    }
}
