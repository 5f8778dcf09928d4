internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// The event `should-download`: one worker is asked about all packs, batch after batch.
extension RunEngine {
    /// Asks about the packs from ``packsAnswered`` on, or lets the worker go when there are no more.
    func askNext(on worker: ActiveWorker) {
        guard !isStopping, let batch = PackBatch(prefixOf: request.packs[packsAnswered...]) else {
            return worker.session.shutDown(now: BootClock.now())
        }
        batchEnd = packsAnswered + batch.packs.count
        call(.packs(batch), on: worker)
    }

    /// A piece of the answer; the worker's supervisor has seen to it that there are not too many.
    func take(_ replies: [Int32], of worker: ActiveWorker, now: Instant) {
        worker.callStart = now
        for status in replies.prefix(batchEnd - packsAnswered) {
            report.packs[packsAnswered].reply = .returned(status)
            packsAnswered += 1
        }
    }

    /// The end of a batch.
    func answered(_ result: EntryReturn, on worker: ActiveWorker) {
        if !result.wasCalled {
            for place in packsAnswered..<batchEnd { report.packs[place].reply = .absent }
            packsAnswered = batchEnd
        }
        // A reply that is not allowed has already sent the worker away.
        if worker.session.isIdle { askNext(on: worker) }
    }
}
