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
        case ask(HTTPRequest)
        /// Call ``caughtUp(_:)`` when the hash has.
        case await(FollowingHash)
        /// It is the publisher's; ``notPublished(_:)`` when that fails.
        case publish(PublishJob)
        /// The last event is out.
        case end
    }

    /// Restarts from zero in one order (design.md §6: bounded).
    static let maximumRestarts = 3

    let order: TransferOrder
    let context: TransferContext
    /// The exchange that is under way.
    var exchange: HTTPExchange?
    /// True when the exchange waits for its part of the cap.
    var isHeld = false
    private var isBackground: Bool
    /// Set once it is whole and right: from then on it is the publisher's.
    var finished: FinishedTransfer?
    /// Cancels that came while it was being published.
    var lateCancels = 0

    var partial: PartialFile?
    var plan: MirrorPlan
    var trail: RedirectTrail?
    /// Of the bytes on disk; only the order's own address has one.
    var validator: Validator?
    var total: UInt64?
    /// What was stored, as long as the partial has not been opened.
    var untouchedState: ResumeState?
    /// True when bytes were joined with nothing but the final hash to prove that they belong together.
    var isJoinedUnproven = false
    var restarts = 0
    var asksForIdentity = true
    var hasBegun = false
    private var pacing: TransferPacing
    private var rate: TransferRate
    private var watch: StallWatch
    /// Of the current answer.
    var verdict: ResumeDecision.Verdict?
    var fault: TransferFailure?

    init(_ order: TransferOrder, context: TransferContext) {
        self.order = order
        self.context = context
        isBackground = order.isBackground
        untouchedState = order.resume
        total = order.expectedBytes
        plan = MirrorPlan(retries: order.retries, addresses: 1 + order.mirrors.count)
        let now = context.clock()
        pacing = TransferPacing(at: now, bytes: 0)
        rate = TransferRate(at: now, bytes: 0)
        let configuration = context.configuration
        watch = StallWatch(rate: configuration.stallRate, time: configuration.stallTime)
    }

    func receive(head: ResponseHead) -> Bool {
        let found = decision.judge(head)
        verdict = found
        guard case .receive(let start, let size) = found else { return false }
        if exchange?.isMultiplexed == true { context.cap?.leave(order.id) }
        do throws(TransferFailure) {
            try accept(head, from: start, total: size)
            return true
        } catch {
            fault = error
            return false
        }
    }

    func receive(body: RawSpan) -> BodyVerdict {
        guard case .receive = verdict, fault == nil else { return .refused }
        guard context.admits(order.id) else {
            isHeld = true
            return .held
        }
        guard !isPastRange(adding: UInt64(body.byteCount)) else {
            verdict = .restart("a 206 with more bytes than its range")
            return .refused
        }
        do throws(TransferFailure) {
            try checkRoom(for: UInt64(body.byteCount))
            try partial?.append(body)
            context.cap?.take(body.byteCount, by: order.id)
            return .taken
        } catch {
            fault = error
            return .refused
        }
    }

    /// Writes what has come and tells what is due; called between rounds of the network.
    ///
    /// True when the exchange has to end: see ``ended(_:)``.
    func tick(at now: Instant) -> Bool {
        guard let exchange else { return false }
        do throws(TransferFailure) {
            try partial?.flush()
        } catch {
            fault = fault ?? error
        }
        if !exchange.isAsked || isHeld {
            watch.rest()
        } else if watch.isStalled(at: now, bytes: receivedBytes) {
            fault = fault ?? .stalled(context.configuration.stallTime)
        }
        if fault == nil, case .receive = verdict { tell(at: now) }
        return fault != nil
    }

    private func tell(at now: Instant) {
        let due = pacing.due(at: now, bytes: receivedBytes)
        if due.progress {
            rate.note(receivedBytes, at: now)
            context.emit(
                .progress(
                    id: order.id,
                    TransferProgress(
                        receivedBytes: receivedBytes, totalBytes: total,
                        bytesPerSecond: rate.bytesPerSecond, timeLeft: rate.timeLeft(of: total))))
        }
        if due.sync { partial?.syncSoon() }
        if due.checkpoint { emitCheckpoint() }
    }

    /// Puts it under the cap, or takes it out; no request is made anew.
    func setClass(isBackground: Bool) {
        self.isBackground = isBackground
        guard isBackground else {
            context.cap?.leave(order.id)
            return
        }
        // Held back, it would hold back the others on its connection: only from the next one on.
        if exchange?.isMultiplexed == false { context.cap?.join(order.id) }
    }

    /// Asks for what is missing.
    func ask() throws(TransferFailure) -> Step {
        verdict = nil
        fault = nil
        watch.rest()
        guard let trail else {
            throw TransferFailure(domain: .transport, code: 3, message: "no address to ask")
        }
        var request = HTTPRequest(url: trail.current, addresses: order.rules.addresses)
        request.headers = order.headers.filter { header in
            !(mustDropCredentials && RedirectTrail.isCredential(headerName: header.name))
        }
        request.firstByte = receivedBytes
        request.ifRange = validator?.text
        request.asksForIdentity = asksForIdentity
        request.isAlone = isBackground && context.cap != nil
        if isBackground { context.cap?.join(order.id) }
        return .ask(request)
    }

    /// Counts from here on, after bytes have been found or dropped.
    func setCounters() {
        let now = context.clock()
        pacing = TransferPacing(at: now, bytes: receivedBytes)
        rate = TransferRate(at: now, bytes: receivedBytes)
    }
}

extension Transfer {
    var receivedBytes: UInt64 { partial?.length ?? 0 }

    var address: RemoteURL { plan.current == 0 ? order.url : order.mirrors[plan.current - 1] }

    /// Credentials are for the order's own address, not for a mirror elsewhere.
    private var mustDropCredentials: Bool {
        (trail?.mustDropCredentials ?? false) || address.origin != order.url.origin
    }

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

    func emitCheckpoint() {
        let state = ResumeState(
            receivedBytes: receivedBytes, validator: validator, totalBytes: total)
        context.emit(.checkpoint(id: order.id, state: untouchedState ?? state))
    }
}
