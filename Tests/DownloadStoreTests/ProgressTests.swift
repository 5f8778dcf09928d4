import DownloadScheduler
import DownloadStore
import Testing

struct ProgressTests {
    private let scratch: ScratchFolder
    private let store: DownloadStore
    private let rowID: Int64
    private let failure = DownloadFailure(
        domain: .transport, code: 7, httpStatus: 0, message: "refused")
    private let digest = [UInt8](repeating: 9, count: 32)

    init() throws {
        scratch = try ScratchFolder()
        store = try DownloadStore(folder: scratch.path)
        rowID = try #require(try store.admit([.sample("a")]).first).rowID
    }

    private func record() throws -> DownloadRecord { try #require(try store.record(rowID: rowID)) }

    @Test func statesAndAttemptsAreStored() throws {
        try store.update(rowID: rowID, state: .downloading, attempts: 2)
        #expect(try record().state == .downloading)
        try store.update(rowID: rowID, state: .paused)
        #expect(try record().state == .paused)
        #expect(try record().attempts == 2)
    }

    @Test(arguments: [DownloadState.finished, .failed, .cancelled])
    func anEndIsNotReachedByUpdate(state: DownloadState) throws {
        let error = storeError { try store.update(rowID: rowID, state: state) }
        #expect(error?.code == .invalidRecord)
        #expect(try record().state == .created)
    }

    @Test func aCheckpointIsStoredAndForgets() throws {
        let validator = TransferValidator(kind: .strongETag, text: "\"1\"", total: 10)
        try store.checkpoint(rowID: rowID, receivedBytes: 4, validator: validator, totalBytes: 10)
        #expect(try record().receivedBytes == 4)
        #expect(try record().validator == validator)
        #expect(try record().totalBytes == 10)
        try store.checkpoint(rowID: rowID, receivedBytes: 0, validator: nil, totalBytes: nil)
        #expect(try record().receivedBytes == 0)
        #expect(try record().validator == nil)
        #expect(try record().totalBytes == nil)
    }

    @Test func finishingStoresPathSizeAndDigest() throws {
        try store.markFinished(
            rowID: rowID, path: "Downloads/a", receivedBytes: 12, sha256: digest)
        let record = try record()
        #expect(record.state == .finished)
        #expect(record.finishedPath == "Downloads/a")
        #expect(record.receivedBytes == 12)
        #expect(record.resultSha256 == digest)
        #expect(!record.isDelivered)
    }

    @Test func aGroupIsFinishedAsAWhole() throws {
        let other = try #require(try store.admit([.sample("b")]).first)
        let files = [rowID, other.rowID].map {
            FinishedDownload(rowID: $0, path: "d/\($0)", receivedBytes: 1, sha256: digest)
        }
        let stranger = FinishedDownload(rowID: 99, path: "d/x", receivedBytes: 1, sha256: digest)
        #expect(storeError { try store.markFinished(files + [stranger]) }?.code == .noSuchRow)
        #expect(try store.counts(app: "app") == [.created: 2])
        try store.markFinished(files)
        #expect(try store.counts(app: "app") == [.finished: 2])
    }

    @Test(arguments: ["", "/etc/passwd", "a/../../b"])
    func aPathOutOfTheContainerIsRefused(path: String) throws {
        let error = storeError {
            try store.markFinished(rowID: rowID, path: path, receivedBytes: 1, sha256: digest)
        }
        #expect(error?.code == .invalidRecord)
        #expect(try record().state == .created)
    }

    @Test func aFailureIsStoredWhole() throws {
        try store.markFailed(rowID: rowID, failure: failure)
        #expect(try record().state == .failed)
        #expect(try record().error == failure)
    }

    @Test(arguments: [(4096, 4096), (4097, 4096)])
    func aLongMessageIsCutNotRefused(length: Int, kept: Int) throws {
        var failure = failure
        failure.message = String(repeating: "x", count: length)
        try store.markFailed(rowID: rowID, failure: failure)
        #expect(try record().error?.message.utf8.count == kept)
    }

    @Test func aCutKeepsCharactersWholeAndDropsNUL() throws {
        var failure = failure
        failure.message = "\u{0}" + String(repeating: "ä", count: 2047) + "🎈"
        try store.markFailed(rowID: rowID, failure: failure)
        #expect(try record().error?.message == String(repeating: "ä", count: 2047))
    }

    @Test func whatHasEndedStaysEnded() throws {
        try store.cancel(rowID: rowID)
        #expect(try record().state == .cancelled)
        let changes: [() throws -> Void] = [
            { try store.update(rowID: rowID, state: .waiting) },
            { try store.cancel(rowID: rowID) },
            { try store.markFailed(rowID: rowID, failure: failure) },
            {
                try store.markFinished(
                    rowID: rowID, path: "d/a", receivedBytes: 1, sha256: digest)
            },
            {
                try store.checkpoint(
                    rowID: rowID, receivedBytes: 1, validator: nil, totalBytes: nil)
            },
        ]
        for change in changes { #expect(storeError(change)?.code == .noSuchRow) }
        #expect(try record().state == .cancelled)
    }

    @Test func onlyAnEndIsDelivered() throws {
        #expect(storeError { try store.markDelivered(rowID: rowID) }?.code == .noSuchRow)
        try store.markFailed(rowID: rowID, failure: failure)
        try store.markDelivered(rowID: rowID)
        #expect(try record().isDelivered)
    }
}
