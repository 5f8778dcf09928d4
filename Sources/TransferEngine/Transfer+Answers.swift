internal import HTTPClient
internal import LinuxSystem
internal import URLPolicy

/// From the first address to an answer that is whole.
extension Transfer {
    /// Opens the partial and asks, or looks at what is there already.
    func begin() -> Step {
        attempt { () throws(TransferFailure) in try enter() }
    }

    /// Begins at the plan's address.
    private func enter() throws(TransferFailure) -> Step {
        asksForIdentity = true
        do throws(URLRefusal) {
            trail = try RedirectTrail(start: address, rules: order.rules)
        } catch {
            throw TransferFailure(error)
        }
        guard partial == nil else {
            validator = nil
            if !order.isSelfChecking { try dropBytes(because: "another address is asked") }
            return try ask()
        }
        try openPartial()
        if order.isSelfChecking, receivedBytes > 0, receivedBytes == order.expectedBytes {
            // Nobody has said yet that these bytes are the server's.
            isJoinedUnproven = true
            return try verify()
        }
        return try ask()
    }

    private func openPartial() throws(TransferFailure) {
        let opened = try PartialFile(path: order.partialPath, threads: context.threads)
        let found = opened.file.foundLength
        partial = consume opened
        validator = plan.current == 0 ? order.resume?.validator : nil
        let canJoin = validator != nil || order.isSelfChecking
        let kept = canJoin ? min(found, order.resume?.receivedBytes ?? 0) : 0
        guard kept > 0, kept <= order.expectedBytes ?? order.maximumBytes else {
            return try dropBytes(because: "what is there cannot be gone on with")
        }
        total = order.resume?.totalBytes ?? order.expectedBytes
        try partial?.keep(kept)
        untouchedState = nil
        setCounters()
    }

    /// What to do now that an exchange has ended.
    func ended(_ outcome: HTTPOutcome) -> Step {
        exchange = nil
        isHeld = false
        return attempt { () throws(TransferFailure) in
            if let fault { throw fault }
            switch verdict {
            case .restart(let why): return try restart(because: why)
            case .askWithoutEncoding:
                asksForIdentity = false
                return try ask()
            case .redirect(let location): return try follow(location)
            case .complete:
                total = receivedBytes
                return try verify()
            case .fail(let failure): throw failure
            case .receive, nil: break
            }
            if case .failed(let fault) = outcome { throw TransferFailure(fault) }
            guard verdict != nil else {
                throw TransferFailure(
                    domain: .transport, code: 52, message: "no answer came", isRetryable: true)
            }
            return try verify()
        }
    }

    /// Takes an answer whose body is wanted.
    func accept(
        _ head: ResponseHead, from start: UInt64, total size: UInt64?
    ) throws(TransferFailure) {
        var isTold = start > 0
        if start == 0 {
            isTold = receivedBytes > 0
            try dropBytes(because: "the server has another version, or sends the whole file")
            validator = plan.current == 0 ? Validator(of: head) : nil
        } else {
            isJoinedUnproven = isJoinedUnproven || validator == nil
        }
        total = size
        let version = validator.map { PartialVersion($0, totalBytes: size) }
        partial?.setVersion(isJoinedUnproven ? nil : version)
        if !hasBegun {
            hasBegun = true
            context.emit(.began(id: order.id, totalBytes: size))
        }
        if start > 0 { context.emit(.resumed(id: order.id, fromBytes: start)) }
        // What was stored of an earlier version must not be joined with this one.
        if isTold { emitCheckpoint() }
    }

    /// True for a part that goes on past its own range: none of it can be relied on.
    func isPastRange(adding count: UInt64) -> Bool {
        guard case .receive(let start, let total?) = verdict, start > 0 else { return false }
        return receivedBytes >= total || count > total - receivedBytes
    }

    /// The byte counter that nothing gets past.
    func checkRoom(for count: UInt64) throws(TransferFailure) {
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
        guard let current = trail?.current else { return try ask() }
        do throws(HTTPClientError) {
            let next = try URLParser.resolve(location, against: current)
            do throws(URLRefusal) {
                try trail?.follow(to: next)
            } catch {
                throw HTTPClientError(error)
            }
        } catch {
            throw TransferFailure(error)
        }
        return try ask()
    }

    func restart(because why: String) throws(TransferFailure) -> Step {
        guard restarts < Transfer.maximumRestarts else {
            throw TransferFailure(
                domain: .transport, code: 33,
                message: "started over \(restarts) times, and the server still gives \(why)")
        }
        restarts += 1
        try dropBytes(because: why)
        return try ask()
    }

    func dropBytes(because why: String) throws(TransferFailure) {
        let hadSome = receivedBytes > 0 || untouchedState?.receivedBytes ?? 0 > 0
        try partial?.restart()
        untouchedState = nil
        validator = nil
        total = order.expectedBytes
        isJoinedUnproven = false
        setCounters()
        if hadSome { context.emit(.restarted(id: order.id, because: why)) }
    }

    /// Runs a step; what it throws goes to the next address, or ends the order.
    func attempt(_ body: () throws(TransferFailure) -> Step) -> Step {
        do throws(TransferFailure) {
            return try body()
        } catch {
            return recover(from: error)
        }
    }

    /// A failure that may pass is the caller's to wait for; one for good is the next address's chance.
    private func recover(from failure: TransferFailure) -> Step {
        guard failure.domain != .errno, !failure.isRetryable, plan.advance() else {
            return giveUp(failure)
        }
        return attempt { () throws(TransferFailure) in
            if failure.spoilsPartial { try dropBytes(because: failure.message) }
            return try enter()
        }
    }
}
