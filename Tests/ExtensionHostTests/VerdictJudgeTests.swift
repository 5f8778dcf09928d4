import ExtensionHost
import Glibc
import LinuxSystem
import Testing
import WireProtocol

/// One row: what is known, what must be said.
struct VerdictCase: Sendable, CustomTestStringConvertible {
    let name: String
    let verdict: Verdict
    let detail: String
    let stage: RunStage
    let evidence: Evidence

    init(
        _ name: String, _ verdict: Verdict, _ detail: String, _ stage: RunStage,
        _ fill: (inout Evidence) -> Void
    ) {
        self.name = name
        self.verdict = verdict
        self.detail = detail
        self.stage = stage
        var evidence = Evidence()
        evidence.place = .call(.install)
        fill(&evidence)
        self.evidence = evidence
    }

    var testDescription: String { name }

    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let names: [Int64: String] = [57: "fork", 56: "clone", 101: "ptrace", 321: "bpf"]
        let judge = VerdictJudge(systemCallName: { names[$0] })
        let judgement = judge.judge(evidence)
        #expect(judgement.verdict == verdict, sourceLocation: sourceLocation)
        #expect(judgement.detail == detail, sourceLocation: sourceLocation)
        #expect(judgement.stage == stage, sourceLocation: sourceLocation)
    }
}

extension Evidence {
    mutating func saw(_ cause: Cause, at place: RunPlace = .call(.install)) {
        causes.append(SeenCause(cause, at: place))
    }

    mutating func exited(_ code: Int32, cpu: Duration = .zero) {
        end = ChildEnd(exitCode: code, signal: nil, cpuTime: cpu)
    }

    mutating func died(_ signal: Int32, cpu: Duration = .zero) {
        end = ChildEnd(exitCode: nil, signal: signal, cpuTime: cpu)
    }

    mutating func signalled(
        _ signal: Int32, code: Int32 = 1, address: UInt64 = 0,
        at place: RunPlace = .call(.install), _ fill: (inout EvidenceRecord) -> Void = { _ in }
    ) {
        var record = EvidenceRecord(kind: .signal)
        record.signal = signal
        record.signalCode = code
        record.faultAddress = address
        fill(&record)
        saw(.record(record), at: place)
        exited(70)
    }

    mutating func recorded(
        _ kind: EvidenceRecord.Kind, _ fill: (inout EvidenceRecord) -> Void = { _ in }
    ) {
        var record = EvidenceRecord(kind: kind)
        fill(&record)
        saw(.record(record))
        exited(70)
    }
}

struct VerdictJudgeTests {
    @Test(arguments: VerdictTables.endings)
    func saysHowTheChildEnded(row: VerdictCase) {
        row.check()
    }

    @Test(arguments: VerdictTables.records)
    func saysWhatTheWorkerRecorded(row: VerdictCase) {
        row.check()
    }

    @Test(arguments: VerdictTables.terminations)
    func saysWhyTheHostEndedIt(row: VerdictCase) {
        row.check()
    }

    @Test(arguments: VerdictTables.replies)
    func saysWhatWasWrongWithTheReply(row: VerdictCase) {
        row.check()
    }

    @Test func theFirstCauseWinsAndTheOthersAreLogged() {
        var evidence = Evidence()
        evidence.saw(.terminated(.wallBudget))
        evidence.signalled(SIGSEGV)
        let judge = VerdictJudge(systemCallName: { _ in nil })
        #expect(judge.judge(evidence).verdict == .wallTimeout)
        #expect(judge.later(evidence) == ["later: crash: SIGSEGV at address 0x0 in bahost_install"])
    }

    @Test func everyVerdictHasItsWordOfTheContract() {
        let words = Verdict.allCases.map(\.rawValue).joined(separator: " ")
        #expect(
            words == "ok plugin_error bad_reply load_error abi_mismatch memory_limit "
                + "stack_overflow file_limit process_limit cpu_limit wall_timeout "
                + "policy_violation crash exited_early protocol_error killed_external "
                + "interrupted setup_error internal_error")
    }

    /// The stack of the row below is 1 MiB from 0x7f0000100000.
    @Test(
        arguments: [
            (0x7f00_0000_0000, .stackOverflow), (0x7eff_ffff_ffff, .crash),
            (0x7f00_0010_3fff, .stackOverflow), (0x7f00_0010_4000, .memoryLimit),
            (0x7f00_001f_ffff, .memoryLimit), (0x7f00_0020_0000, .crash), (0, .crash),
        ] as [(UInt64, Verdict)])
    func aFaultInTheStackIsAnOverflowAtItsEndAndWantOfMemoryAboveThat(
        address: UInt64, expected: Verdict
    ) {
        var evidence = Evidence()
        evidence.signalled(SIGSEGV, address: address) {
            $0.stackLow = 0x7f00_0010_0000
            $0.stackHigh = 0x7f00_0020_0000
        }
        let verdict = VerdictJudge(systemCallName: { _ in nil }).judge(evidence).verdict
        #expect(verdict == expected)
    }

    @Test(arguments: [UInt64.max, 1, 4096])
    func anAbsurdRecordIsStillOnlyACrash(low: UInt64) {
        var evidence = Evidence()
        evidence.signalled(SIGSEGV, address: .max) {
            $0.stackLow = low
            $0.stackHigh = low
        }
        #expect(VerdictJudge(systemCallName: { _ in nil }).judge(evidence).verdict == .crash)
    }
}
