import CommandLineOptions
import HostCommands
import ExtensionHost
import Testing

@Suite struct VerdictTests {
    private func status(
        _ result: Verdict = .ok, _ downloads: [RunRecord.State] = [], refused: Int = 0,
        strict: Bool = false, interrupted: Bool = false
    ) -> CommandLineOptions.ExitStatus {
        .of(
            result: result, downloads: downloads, refused: refused, strict: strict,
            interrupted: interrupted)
    }

    @Test func isOkWithoutDownloads() {
        #expect(status() == .ok)
        #expect(status(refused: 3) == .ok)
        #expect(status(.ok, [.finished, .finished]) == .ok)
    }

    @Test(arguments: Verdict.allCases.filter { $0 != .ok })
    func everyOtherResultWinsAndHasItsOwnName(result: Verdict) {
        let found = status(result, [.failed], refused: 1, strict: true, interrupted: true)
        #expect(found.name == result.rawValue)
        #expect(found.number >= 20)
    }

    @Test(arguments: RunRecord.State.allCases.filter { $0 != .finished })
    func anUnfinishedDownloadShows(state: RunRecord.State) {
        #expect(status(.ok, [.finished, state], refused: 1, strict: true) == .downloadUnfinished)
    }

    @Test func refusalsCountOnlyWhenStrict() {
        #expect(status(refused: 1, strict: true) == .refusals)
        #expect(status(refused: 0, strict: true) == .ok)
        #expect(status(refused: 1, strict: false) == .ok)
    }

    @Test func anInterruptionWinsOverDownloads() {
        #expect(
            status(.ok, [.waiting], refused: 1, strict: true, interrupted: true) == .interrupted)
    }

    @Test func aRecordSettlesItsStatus() {
        var record = fullRecord()
        record.result = .ok
        #expect(record.settleStatus(strict: true, interrupted: false) == .downloadUnfinished)
        #expect(record.status == 10)
        record.downloads = []
        record.settleStatus(strict: true, interrupted: false)
        #expect(record.status == 11)
    }
}
