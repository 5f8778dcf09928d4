import DownloadScheduler
import DownloadStore
import Testing

struct RecordBoundsTests {
    private func fault(_ change: (inout DownloadRecord) -> Void) -> String? {
        var record = DownloadRecord.sample("a")
        change(&record)
        return RecordBounds.fault(in: record)
    }

    private func text(_ length: Int) -> String { String(repeating: "x", count: length) }

    @Test func aPlainRecordIsInBounds() {
        #expect(fault { _ in } == nil)
    }

    @Test(arguments: [(0, false), (1, true), (255, true), (256, false)])
    func namesHave1To255Bytes(length: Int, fits: Bool) {
        #expect((fault { $0.app = text(length) } == nil) == fits)
        #expect((fault { $0.identifier = text(length) } == nil) == fits)
        #expect((fault { $0.group = text(length) } == nil) == fits)
    }

    @Test(arguments: [(0, false), (1, true), (8192, true), (8193, false)])
    func addressesHave1To8192Bytes(length: Int, fits: Bool) {
        #expect((fault { $0.url = text(length) } == nil) == fits)
        #expect((fault { $0.mirrors = [text(length)] } == nil) == fits)
    }

    @Test(arguments: [(0, true), (8192, true), (8193, false)])
    func hostsHaveUpTo8192Bytes(length: Int, fits: Bool) {
        #expect((fault { $0.host = text(length) } == nil) == fits)
    }

    @Test(arguments: [(0, true), (-1, false)])
    func countsAreNotNegative(count: Int, fits: Bool) {
        #expect((fault { $0.attempts = count } == nil) == fits)
        #expect((fault { $0.retries = count } == nil) == fits)
    }

    @Test(arguments: [(16, true), (17, false)])
    func thereAreAtMost16Mirrors(count: Int, fits: Bool) {
        let mirrors = [String](repeating: "https://m/", count: count)
        #expect((fault { $0.mirrors = mirrors } == nil) == fits)
    }

    @Test(arguments: [(64, 254, true), (65, 1, false), (64, 255, true), (64, 256, false)])
    func thereAreAtMost64HeadersOf16KiB(count: Int, length: Int, fits: Bool) {
        let header = DownloadRecord.Header(name: "X", value: text(length))
        let headers = [DownloadRecord.Header](repeating: header, count: count)
        #expect((fault { $0.headers = headers } == nil) == fits)
    }

    @Test(arguments: ["", "a:b", "a\nb"])
    func badHeaderNamesAreRefused(name: String) {
        #expect(fault { $0.headers = [.init(name: name, value: "v")] } == "headers")
    }

    @Test(arguments: ["a\nb", "a\rb", "a\u{1B}b"])
    func lineEndsAreRefusedEverywhere(text: String) {
        #expect(fault { $0.headers = [.init(name: "n", value: text)] } == "headers")
        #expect(fault { $0.url = text } == "url")
        #expect(fault { $0.mirrors = [text] } == "mirrors")
        #expect(fault { $0.identifier = text } == "identifier")
    }

    @Test(arguments: [(UInt64(Int64.max), true), (UInt64(Int64.max) + 1, false)])
    func sizesEndWhereSignedNumbersEnd(bytes: UInt64, fits: Bool) {
        #expect((fault { $0.sizeBytes = bytes } == nil) == fits)
        #expect((fault { $0.receivedBytes = bytes } == nil) == fits)
        #expect((fault { $0.totalBytes = bytes } == nil) == fits)
    }

    @Test(arguments: [(31, false), (32, true), (33, false)])
    func digestsHave32Bytes(length: Int, fits: Bool) {
        let digest = [UInt8](repeating: 1, count: length)
        #expect((fault { $0.sha256 = digest } == nil) == fits)
        #expect((fault { $0.resultSha256 = digest } == nil) == fits)
    }

    @Test(arguments: [
        ("Downloads/a", true), ("a", true), ("Downloads/..a", true), ("", false), ("/a", false),
        ("../a", false), ("Downloads/../a", false), ("Downloads//a", false), ("a/", false),
        (".", false),
        // A slash that is one character with what is before or behind it.
        ("a/\u{301}b", true), ("d\u{600}/f", true), ("..\u{301}/a", true),
        ("/\u{301}a", false), ("../\u{301}a", false), ("a/../\u{301}a", false),
        ("a\u{600}/../f", false), ("a/\u{301}/../../f", false), ("a\u{600}/", false),
    ])
    func aFinishedPathStaysInTheContainer(path: String, fits: Bool) {
        #expect((fault { $0.finishedPath = path } == nil) == fits)
    }

    @Test func nothingHoldsNUL() {
        let text = "a\u{0}b"
        #expect(fault { $0.identifier = text } == "identifier")
        #expect(fault { $0.headers = [.init(name: text, value: "v")] } == "headers")
        #expect(fault { $0.headers = [.init(name: "n", value: text)] } == "headers")
        #expect(fault { $0.finishedPath = text } == "finishedPath")
    }

    @Test(arguments: [
        "", "x", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-42661417400g",
        "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}",
    ])
    func onlyAUUIDIsAUUID(text: String) {
        #expect(fault { $0.uniqueIdentifier = text } == "uniqueIdentifier")
    }

    @Test func anEndNeedsItsFacts() {
        #expect(fault { $0.state = .finished } == "finishedPath")
        #expect(fault { $0.state = .failed } == "error")
    }

    @Test func aRecordOutOfBoundsIsRefusedByFieldName() throws {
        let scratch = try ScratchFolder()
        let store = try DownloadStore(folder: scratch.path)
        var record = DownloadRecord.sample("a")
        record.url = ""
        let error = storeError { _ = try store.admit([.sample("b"), record]) }
        #expect(error?.code == .invalidRecord)
        #expect(error?.subject == "url of download 'a'")
        #expect(try store.counts(app: "app") == [:])
    }

    @Test(arguments: [DownloadState.finished, .failed, .cancelled])
    func anEndedRecordIsNotAdmitted(state: DownloadState) throws {
        let scratch = try ScratchFolder()
        let store = try DownloadStore(folder: scratch.path)
        var record = DownloadRecord.full("a")
        record.state = state
        #expect(storeError { _ = try store.admit([record]) }?.subject == "state of download 'a'")
    }
}
