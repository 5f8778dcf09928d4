internal import HTTPClient
internal import LinuxSystem
internal import URLPolicy

/// One order from its first request to its last event.
///
/// Lives on the engine's thread.
///
/// It decides and writes; it never waits. The engine carries out the ``Step`` it returns.
final class Transfer: HTTPReceiver {
    enum Step {
        /// Call ``rebuild()`` again when there is time.
        case rebuild
        case ask(HTTPRequest)
        case finish(sha256: [UInt8])
        case fail(TransferFailure)
    }

    /// Restarts from zero in one order (design.md §6: bounded).
    static let maximumRestarts = 3

    let order: TransferOrder
    /// The exchange that is under way.
    var exchange: HTTPExchange?
    private let emit: (TransferEvent) -> Void
    private var partial: PartialFile?
    private var trail: RedirectTrail
    private var remainingMirrors: ArraySlice<RemoteURL>
    private var isAtMirror = false
    /// Of the bytes on disk.
    private var validator: Validator?
    private var total: UInt64?
    /// What was stored, as long as the bytes on disk have been neither counted nor dropped.
    private var untouchedState: ResumeState?
    /// True when bytes were joined with nothing but the final hash to prove that they belong together.
    private var isJoinedUnproven = false
    private var restarts = 0
    private var asksForIdentity = true
    private var resumePoint: UInt64 = 0
    private var hasBegun = false
    private var pacing: TransferPacing
    /// Of the current answer.
    private var verdict: ResumeDecision.Verdict?
    private var fault: TransferFailure?
    /// Told when no address is left: the first one that may go better later, else the last.
    private var earlierFailure: TransferFailure?

    init(
        _ order: TransferOrder, emit: @escaping (TransferEvent) -> Void
    ) throws(TransferFailure) {
        self.order = order
        self.emit = emit
        untouchedState = order.resume
        remainingMirrors = order.mirrors[...]
        do throws(URLRefusal) {
            trail = try RedirectTrail(start: order.url, rules: order.rules)
        } catch {
            throw TransferFailure(error)
        }
        pacing = TransferPacing(at: BootClock.now(), bytes: 0)
    }

    /// Opens the partial and says what comes first.
    func begin() -> Step {
        attempt { () throws(TransferFailure) in
            let opened = try PartialFile(path: order.partialPath)
            let found = opened.foundLength
            partial = consume opened
            validator = order.resume?.validator
            total = order.resume?.totalBytes ?? order.expectedBytes
            let canJoin = validator != nil || order.isSelfChecking
            let kept = canJoin ? min(found, order.resume?.receivedBytes ?? 0) : 0
            guard kept > 0, kept <= order.expectedBytes ?? order.maximumBytes else {
                try dropBytes()
                return ask()
            }
            resumePoint = kept
            return .rebuild
        }
    }

    /// Hashes a slice of what is on disk.
    func rebuild() -> Step {
        attempt { () throws(TransferFailure) in
            guard try partial?.rebuild(upTo: resumePoint) ?? true else { return .rebuild }
            pacing = TransferPacing(at: BootClock.now(), bytes: resumePoint)
            untouchedState = nil
            if order.isSelfChecking, resumePoint == order.expectedBytes {
                // Nobody has said yet that these bytes are the server's.
                isJoinedUnproven = true
                return try verify()
            }
            return ask()
        }
    }

    /// What to do now that an exchange has ended.
    func ended(_ outcome: HTTPOutcome) -> Step {
        exchange = nil
        return attempt { () throws(TransferFailure) in
            if let fault { throw fault }
            switch verdict {
            case .restart(let why): return try restart(because: why)
            case .askWithoutEncoding:
                asksForIdentity = false
                return ask()
            case .redirect(let location): return try follow(location)
            case .complete: return try verify()
            case .fail(let failure): throw failure
            case .receive, nil: break
            }
            if case .failed(let fault) = outcome { throw TransferFailure(fault) }
            guard verdict != nil else {
                throw TransferFailure(domain: .transport, code: 52, message: "no answer came")
            }
            return try verify()
        }
    }

    func receive(head: ResponseHead) -> Bool {
        let found = decision.judge(head)
        verdict = found
        guard case .receive(let start, let size) = found else { return false }
        do throws(TransferFailure) {
            try accept(head, from: start, total: size)
            return true
        } catch {
            fault = error
            return false
        }
    }

    func receive(body: RawSpan) -> Bool {
        guard case .receive = verdict, fault == nil else { return false }
        do throws(TransferFailure) {
            try checkRoom(for: UInt64(body.byteCount))
            try partial?.append(body)
            return true
        } catch {
            fault = error
            return false
        }
    }

    /// Tells what is due; called between rounds of the network.
    func tick(at now: Instant) {
        guard case .receive = verdict else { return }
        let due = pacing.due(at: now, bytes: receivedBytes)
        if due.progress {
            emit(.progress(id: order.id, receivedBytes: receivedBytes, totalBytes: total))
        }
        if due.sync {
            do throws(TransferFailure) { try partial?.sync() } catch { fault = error }
        }
        if due.checkpoint { emitCheckpoint() }
    }

    /// The last words when the caller ends it.
    func close() {
        settlePartial()
        emitCheckpoint()
        emit(.stopped(id: order.id))
    }
}

extension Transfer {
    private var receivedBytes: UInt64 { partial?.length ?? 0 }

    private var decision: ResumeDecision {
        var decision = ResumeDecision()
        decision.firstByte = receivedBytes
        decision.validator = validator
        decision.knownTotal = receivedBytes > 0 ? total : nil
        decision.agreedBytes = order.expectedBytes
        decision.maximumBytes = order.maximumBytes
        decision.askedForIdentity = asksForIdentity
        decision.nowSeconds = BootClock.wallSeconds()
        return decision
    }

    private func ask() -> Step {
        verdict = nil
        fault = nil
        var request = HTTPRequest(url: trail.current, addresses: order.rules.addresses)
        request.headers = order.headers.filter { header in
            !(trail.mustDropCredentials && RedirectTrail.isCredential(headerName: header.name))
        }
        request.firstByte = receivedBytes
        request.ifRange = validator?.text
        request.asksForIdentity = asksForIdentity
        return .ask(request)
    }

    /// Takes an answer whose body is wanted.
    private func accept(
        _ head: ResponseHead, from start: UInt64, total size: UInt64?
    ) throws(TransferFailure) {
        if start == 0 {
            try dropBytes()
            validator = isAtMirror ? nil : Validator(of: head)
        } else {
            isJoinedUnproven = isJoinedUnproven || validator == nil
        }
        total = size
        if !hasBegun {
            hasBegun = true
            emit(.began(id: order.id, totalBytes: size))
        }
        if start > 0 { emit(.resumed(id: order.id, fromBytes: start)) }
        emitCheckpoint()
    }

    /// The byte counter that nothing gets past.
    private func checkRoom(for count: UInt64) throws(TransferFailure) {
        let (sum, overflow) = receivedBytes.addingReportingOverflow(count)
        let length = overflow ? .max : sum
        if let agreed = order.expectedBytes, length > agreed {
            throw .sizeMismatch(agreed: agreed, found: "more")
        }
        guard length <= order.expectedBytes ?? order.maximumBytes else {
            throw .overAllowance(order.maximumBytes, hasBegun: true)
        }
    }

    private func follow(_ location: String) throws(TransferFailure) -> Step {
        let next: RemoteURL
        do throws(HTTPClientError) {
            next = try URLParser.resolve(location, against: trail.current)
        } catch {
            throw TransferFailure(error)
        }
        do throws(URLRefusal) { try trail.follow(to: next) } catch { throw TransferFailure(error) }
        return ask()
    }

    private func restart(because why: String) throws(TransferFailure) -> Step {
        guard restarts < Transfer.maximumRestarts else {
            throw TransferFailure(
                domain: .transport, code: 33,
                message: "started over \(restarts) times, and the server still gives \(why)")
        }
        restarts += 1
        try dropBytes()
        return ask()
    }

    private func dropBytes() throws(TransferFailure) {
        try partial?.restart()
        untouchedState = nil
        validator = nil
        total = order.expectedBytes
        isJoinedUnproven = false
        pacing = TransferPacing(at: BootClock.now(), bytes: 0)
    }

    /// Compares what is on disk with what was agreed, and publishes it.
    private func verify() throws(TransferFailure) -> Step {
        let length = receivedBytes
        if let agreed = order.expectedBytes, length != agreed {
            // Without a length of the server's own, a cut answer cannot be told from a short file.
            throw .sizeMismatch(agreed: agreed, found: "\(length)", isRetryable: length < agreed)
        }
        guard let found = try partial?.finishHash() else {
            return .fail(
                TransferFailure(SystemError(call: "open", subject: order.partialPath, code: 2)))
        }
        if let agreed = order.sha256, agreed != found {
            if isJoinedUnproven { return try restart(because: "bytes of another version") }
            throw .digestMismatch(agreed: agreed, found: found)
        }
        try partial?.sync()
        if let destination = order.destinationPath {
            do throws(SystemError) {
                try Publisher.publish(order.partialPath, to: destination)
            } catch {
                throw TransferFailure(error)
            }
        }
        emit(.finished(id: order.id, bytes: length, sha256: found))
        return .finish(sha256: found)
    }

    private func emitCheckpoint() {
        let state = ResumeState(
            receivedBytes: receivedBytes, validator: validator, totalBytes: total)
        emit(.checkpoint(id: order.id, state: untouchedState ?? state))
    }
}

extension Transfer {
    /// Runs a step; what it throws goes to the next mirror, or ends the order.
    private func attempt(_ body: () throws(TransferFailure) -> Step) -> Step {
        do throws(TransferFailure) {
            return try body()
        } catch {
            return recover(from: error)
        }
    }

    private func recover(from failure: TransferFailure) -> Step {
        // This machine has failed, and another server would not help.
        guard failure.domain != .errno else { return giveUp(failure) }
        guard let next = remainingMirrors.popFirst() else {
            if failure.spoilsPartial { try? dropBytes() }
            return giveUp(earlierFailure ?? failure)
        }
        if earlierFailure == nil, failure.isRetryable { earlierFailure = failure }
        return attempt { () throws(TransferFailure) in
            isAtMirror = true
            asksForIdentity = true
            validator = nil
            if !order.isSelfChecking || failure.spoilsPartial { try dropBytes() }
            do throws(URLRefusal) {
                trail = try RedirectTrail(start: next, rules: order.rules)
            } catch {
                throw TransferFailure(error)
            }
            return ask()
        }
    }

    /// Makes durable what is there; a file with nothing in it is not left behind.
    private func settlePartial() {
        if receivedBytes > 0 || untouchedState != nil {
            try? partial?.sync()
        } else {
            removePartial()
        }
    }

    private func removePartial() {
        partial?.remove()
        partial = nil
        untouchedState = nil
        validator = nil
    }

    /// Ends the order for a reason that lies outside it.
    func abandon(_ failure: TransferFailure) {
        _ = giveUp(failure)
    }

    /// The last checkpoint says what is left; a partial that nothing can come of is removed.
    private func giveUp(_ failure: TransferFailure) -> Step {
        if failure.keepsPartial {
            settlePartial()
        } else {
            removePartial()
        }
        emitCheckpoint()
        emit(.failed(id: order.id, failure: failure))
        return .fail(failure)
    }
}
