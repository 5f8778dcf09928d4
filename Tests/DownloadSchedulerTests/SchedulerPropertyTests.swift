import DownloadScheduler
import TestSupport
import Testing

/// Random events against ``ReferenceScheduler``; a failure names its seed, which goes in `seeds` to
/// see it again.
struct SchedulerPropertyTests {
    private static let seeds: [UInt64] =
        Array(1...30) + [65_714_465_741_754_801, UInt64.random(in: 1000 ... .max)]

    @Test(arguments: seeds)
    func doesWhatTheReferenceDoes(seed: UInt64) {
        if seed >= 1000 { print("random seed of this run: \(seed)") }
        var run = begun(seed)
        for step in 0..<120 {
            // A question is answered when its turn comes; something may happen before.
            if Int.random(in: 0..<4, using: &run.random) > 0 {
                let fault = run.answerAll()
                #expect(fault == nil, "seed \(seed), step \(step), answering")
                if fault != nil { return }
            }
            let event = run.nextEvent()
            let fault = run.apply(event)
            #expect(fault == nil, "seed \(seed), step \(step), \(event)")
            if fault != nil { return }
        }
        #expect(run.answerAll() == nil, "seed \(seed)")
        let fault = run.drain()
        #expect(fault == nil, "seed \(seed), while draining")
    }

    @Test(arguments: seeds.prefix(10))
    func stoppingEmptiesEverySlotAndKeepsTheRest(seed: UInt64) {
        var run = begun(seed)
        for _ in 0..<80 {
            #expect(run.apply(run.nextEvent()) == nil, "seed \(seed)")
            #expect(run.answerAll() == nil, "seed \(seed)")
        }
        #expect(run.apply(.stopRequested) == nil, "seed \(seed)")
        for id in run.busy.sorted() { #expect(run.apply(.stopped(id)) == nil, "seed \(seed)") }
        #expect(run.scheduler.slotsInUse == 0, "seed \(seed)")
        #expect(run.questions.isEmpty, "seed \(seed)")
    }

    /// A run with some rows in the store from before.
    private func begun(_ seed: UInt64) -> RandomRun {
        var run = RandomRun(seed: seed)
        for _ in 0..<Int.random(in: 0..<60, using: &run.random) { run.store(run.newSummary()) }
        for key in RandomRun.keys {
            #expect(run.apply(.windowOpened(key)) == nil, "seed \(seed)")
        }
        #expect(run.answerAll() == nil, "seed \(seed)")
        return run
    }
}
