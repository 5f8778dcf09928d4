internal import LinuxSystem
internal import WireProtocol

/// How far a call about packs has come.
struct PackProgress: Hashable, Sendable {
    private let identifiers: [String]
    private var answered = 0
    private var wrongStatus: Int32?

    init(_ batch: PackBatch) {
        identifiers = batch.packs.map(\.identifier)
    }

    /// The pack that the next answer is about.
    var current: String? {
        answered < identifiers.count && wrongStatus == nil ? identifiers[answered] : nil
    }

    /// Takes one answer; nil when none is open.
    mutating func take(_ status: Int32) -> PackReply? {
        guard let identifier = current else { return nil }
        answered += 1
        if !EntryPoint.shouldDownload.isAllowed(status) { wrongStatus = status }
        return PackReply(identifier: identifier, status: status)
    }

    /// What a return that does not fit its answers says of the worker; nil when it fits.
    func fault(of result: EntryReturn) -> String? {
        let count = "\(answered) of \(identifiers.count) answers"
        guard result.wasCalled else {
            let isDefault = answered == 0 && result.status == 1
            return isDefault ? nil : "sent \(count) without having asked the plugin"
        }
        if let wrongStatus {
            return result.status == wrongStatus ? nil : "sent a reply that is not its last answer"
        }
        guard answered == identifiers.count else { return "sent \(count)" }
        return result.status == 0 ? nil : "sent a reply that is not its last answer"
    }
}

extension EntryPoint {
    /// True for what the entry point may return, an error of the plugin's own included.
    func isAllowed(_ status: Int32) -> Bool {
        status < 0 || allowedReplies.contains(status)
    }
}

extension WorkerState {
    /// Answers about packs: each piece is progress, and the time of the next pack begins with it.
    mutating func take(_ replies: [Int32], _ now: Instant) -> [Action] {
        guard place == .call(.shouldDownload), asking != nil else {
            return fail("sent answers about packs \(place.phrase)", now)
        }
        for status in replies {
            guard let reply = asking?.take(status) else {
                return fail("sent an answer too many about packs", now)
            }
            note(reply)
        }
        evidence.pack = asking?.current
        if case .calling = phase { deadline = now + evidence.packBudget }
        return [.deliver(.answered(replies))]
    }

    private mutating func note(_ reply: PackReply) {
        guard EntryPoint.shouldDownload.isAllowed(reply.status) else {
            return note(.answered(reply))
        }
        guard reply.status < 0 else { return }
        evidence.packError = evidence.packError ?? reply
        evidence.packErrors += 1
    }
}
