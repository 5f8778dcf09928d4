import DownloadScheduler
import DownloadStore
import Testing

/// When a published file was used last, by its row and its access time, under clocks right and wrong.
struct LastUseTests {
    private static let uniqueIdentifier = "123E4567-E89B-12D3-A456-426614174000"
    private static let now = RecordBounds.earliestNow + 1_000_000
    private static let end = RecordBounds.times.upperBound
    private let scratch: ScratchFolder
    private let store: DownloadStore

    init() throws {
        scratch = try ScratchFolder()
        store = try DownloadStore(folder: scratch.path)
    }

    private var file: PublishedFile {
        get throws { try #require(try store.publishedFiles(container: "/c").first) }
    }

    /// A row that was made when the clock said `now`.
    private func rebuild(lastUsed: Int64, now: Int64) throws {
        var file = PublishedFile.sample(Self.uniqueIdentifier)
        file.lastUsed = lastUsed
        file.publishedAt = lastUsed
        #expect(try store.changePublished([.rebuilt(file)], now: now) == [])
    }

    /// Looks, and checks that the file itself says what the row will.
    private func see(accessed: Int64, now: Int64) throws -> Int64 {
        let expected = try file.lastUse(accessed: accessed, now: now)
        let seen = PublishedChange.seen(1, path: "Library/\(accessed)", lastUsed: accessed)
        #expect(try store.changePublished([seen], now: now) == [])
        #expect(try file.path == "Library/\(accessed)")
        #expect(try file.lastUsed == expected)
        return expected
    }

    @Test func theLatestUseCounts() throws {
        try rebuild(lastUsed: 100, now: Self.now)
        let uses: [(Int64, Int64)] = [
            (50, 100), (.min, 100), (200, 200), (150, 200), (Self.now, Self.now),
        ]
        for (accessed, kept) in uses {
            #expect(try see(accessed: accessed, now: Self.now) == kept)
        }
        #expect(try file.publishedAt == 100)
    }

    /// It would be the last to go for ever.
    @Test(arguments: [RecordBounds.earliestNow + 1_000_001, 253_402_300_799, .max])
    func anAccessTimeInTheFutureSaysNothing(accessed: Int64) throws {
        try rebuild(lastUsed: 100, now: Self.now)
        #expect(try see(accessed: accessed, now: Self.now) == 100)
    }

    @Test func aTimeOfAWrongClockBecomesNowAndGrowsOld() throws {
        try rebuild(lastUsed: Self.end, now: Self.end)
        #expect(try file.lastUsed == Self.end)
        #expect(try see(accessed: 5, now: Self.now) == Self.now)
        #expect(try see(accessed: .max, now: Self.now + 500) == Self.now)
    }

    @Test func aRebuiltRowIsOfNoLaterThanNow() throws {
        try rebuild(lastUsed: Self.end, now: Self.now)
        #expect(try file.lastUsed == Self.now)
        #expect(try file.publishedAt == Self.now)
    }

    /// A machine without a battery begins in 1970: that makes no file older than it is.
    @Test(arguments: [Int64.min, 0, 1_000, RecordBounds.earliestNow - 1])
    func aClockThatIsNotSetChangesNoTime(now: Int64) throws {
        try rebuild(lastUsed: Self.now, now: now)
        #expect(try file.lastUsed == Self.now)
        for accessed in [0, 5, Self.now + 1, Self.end] {
            #expect(try see(accessed: accessed, now: now) == Self.now)
        }
    }

    @Test func aClockPastEveryTimeTrapsNowhere() throws {
        try rebuild(lastUsed: 100, now: .max)
        #expect(try see(accessed: .max, now: .max) == Self.end)
    }

    @Test func theTimeOfTheMachineIsTakenUnlessAnotherIsGiven() throws {
        try rebuild(lastUsed: 100, now: Self.now)
        let seen = PublishedChange.seen(1, path: "a", lastUsed: .max)
        #expect(try store.changePublished([seen]) == [])
        #expect(try file.lastUsed == 100)
    }
}
