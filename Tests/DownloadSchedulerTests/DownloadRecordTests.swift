import DownloadScheduler
import Testing

struct DownloadRecordTests {
    @Test(arguments: [
        (DownloadState.created, Int32(0)), (.waiting, 1), (.paused, 1), (.downloading, 2),
        (.finished, 3), (.failed, -1), (.cancelled, -1),
    ])
    func everyStateHasApplesNumber(state: DownloadState, number: Int32) {
        #expect(state.appleState == number)
    }

    @Test func theWordsOfTheStatesAreThoseOfTheRecord() {
        let words = "created waiting downloading paused finished failed cancelled"
        #expect(DownloadState.allCases.map(\.rawValue).joined(separator: " ") == words)
    }

    @Test func threeStatesAreEnds() {
        let ends = DownloadState.allCases.filter { !$0.isUnfinished }
        #expect(ends == [.finished, .failed, .cancelled])
    }

    @Test(arguments: [
        ("\"v1\"", true), ("", false), (String(repeating: "x", count: 1024), true),
        (String(repeating: "x", count: 1025), false), ("a\nb", false), ("a\u{7F}", false),
    ])
    func aValidatorIsBounded(text: String, isKept: Bool) {
        let validator = TransferValidator(kind: .strongETag, text: text, total: nil)
        #expect((validator != nil) == isKept)
    }

    @Test func theSummaryCarriesWhatTheSchedulerOrdersBy() {
        var record = DownloadRecord(
            app: "app", identifier: "id", uniqueIdentifier: "u", kind: .url, url: "https://h/x",
            group: "g")
        record.rowID = 7
        record.isEssential = true
        record.priority = -3
        record.sequence = 9
        record.host = "h:443"
        record.allowsMetered = true
        let expected = DownloadSummary(
            id: 7, app: "app", host: "h:443", downloadClass: .essential,
            position: DownloadPosition(priority: -3, sequence: 9), allowsMetered: true)
        #expect(record.summary == expected)
        record.isForeground = true
        #expect(record.downloadClass == .foreground)
    }
}
