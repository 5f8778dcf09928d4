internal import DownloadStore
internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// Answers to what a plugin asks of the host.
extension RunEngine {
    /// Longest page of current downloads.
    private static let pageLength = 256

    func answer(
        _ call: HostCall, _ sequence: UInt32, on worker: ActiveWorker, now: Instant
    ) {
        switch call {
        case .log(let level, let text):
            observe(.logged(level: level, PlainText.clean(text)))
        case .refused(let identifier, let code, let sentence):
            refuse(Refusal(reportedBy: identifier, code: code, sentence: sentence))
        case .schedule(let wish):
            worker.session.reply(.status(schedule(wish, worker.call)), sequence: sequence)
        case .cancel(let identifier):
            let refusal =
                broker.cancelCollected(identifier) ? nil : cancelDownload(identifier)
            worker.session.reply(.status(refusal?.status ?? 0), sequence: sequence)
        case .currentDownloads(let after, let capacity):
            worker.session.reply(page(after, capacity), sequence: sequence)
        case .acquireExclusive(let timeout):
            acquire(timeout, sequence, on: worker, now: now)
        case .releaseExclusive:
            let (status, next) = lease.release(worker.number)
            worker.session.reply(.status(status), sequence: sequence)
            if let next { pass(next) }
        case .remaining(let what):
            let value = remaining(what, on: worker, now: now)
            worker.session.reply(.value(value), sequence: sequence)
        }
    }

    private func schedule(_ wish: DownloadWish, _ entry: EntryPoint?) -> Int32 {
        guard let entry else { return RefusalCode.notAllowedNow.status }
        let decision = broker.judge(wish, entry: entry)
        switch decision {
        case .collected: break
        case .admitted(let request): admit([request])
        case .refused(let refusal): refuse(refusal)
        }
        return decision.status
    }

    func refuse(_ refusal: Refusal) {
        guard report.note(refusal) else { return }
        observe(.refused(refusal))
    }

    private func page(_ after: String?, _ capacity: UInt32) -> HostReply {
        let limit = min(Int(capacity), RunEngine.pageLength)
        do throws(DownloadStoreError) {
            queue.flush()
            let rows = try queue.store.current(
                app: request.app.identifier, after: after, limit: limit)
            var bytes = 0
            let fitting = rows.map { RunEngine.description(of: $0) }.prefix { download in
                bytes += download.encodedBytes
                return bytes <= WireBound.pageBytes
            }
            return .downloads(Array(fitting))
        } catch {
            return .status(RefusalCode.notAllowedNow.status)
        }
    }

    private func acquire(
        _ timeout: Int64, _ sequence: UInt32, on worker: ActiveWorker, now: Instant
    ) {
        let status = lease.acquire(
            worker.number, sequence: sequence, timeoutMilliseconds: timeout, now: now)
        if let status { worker.session.reply(.status(status), sequence: sequence) }
    }

    /// Sends a lease's answer to the worker that waits for it.
    func pass(_ answer: ExclusiveLease.Answer) {
        guard let worker, worker.number == answer.holder else { return }
        worker.session.reply(.status(answer.status), sequence: answer.sequence)
    }

    private func remaining(_ what: UInt32, on worker: ActiveWorker, now: Instant) -> Int64 {
        if let bytes = broker.remaining(what: what) { return bytes }
        switch what {
        case 3:
            let left = worker.callBudget - (now - worker.callStart)
            return max(0, left.wholeMilliseconds)
        case 5:
            let held = ProcessMemory.read(pid: worker.session.pid)?.heldBytes ?? 0
            let limit = worker.memoryBytes.addingReportingOverflow(worker.heldAtStart).partialValue
            return Int64(clamping: limit > held ? limit - held : 0)
        default: return -1
        }
    }
}
