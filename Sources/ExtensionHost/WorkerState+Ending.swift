internal import LinuxSystem
internal import WireProtocol

extension WorkerState {
    /// What the clock alone brings about.
    mutating func tick(_ now: Instant) -> [Action] {
        if let limit = hangUpDeadline, now >= limit, phase != .killed, phase != .draining {
            return fail("closed its connection to the host", now)
        }
        guard let limit = deadline, now >= limit else { return [] }
        switch phase {
        case .setup: return end(.setupDeadline, now)
        case .loading, .calling: return terminate(.wallBudget, now)
        case .shuttingDown: return end(.shutdownDeadline, now)
        case .terminating: return kill(now)
        case .draining: return finish()
        case .killed:
            finishChild(.killed, now)
            return [.killLauncher]
        case .idle, .done: return []
        }
    }

    /// Ends politely where the plugin is told, at once where it is not.
    mutating func terminate(_ reason: TerminationReason, _ now: Instant) -> [Action] {
        switch phase {
        case .setup: return end(reason, now)
        case .idle:
            note(.terminated(reason))
            return leave(within: terms.grace, now)
        case .loading, .calling:
            guard let byte = reason.controlByte else { return end(reason, now) }
            note(.terminated(reason))
            phase = .terminating
            deadline = now + terms.grace
            return [.warn(byte)]
        case .terminating, .shuttingDown, .killed, .draining, .done: return []
        }
    }

    /// Asks a worker whose replies are complete to leave.
    mutating func shutDown(_ now: Instant) -> [Action] {
        switch phase {
        case .idle:
            place = .shutdown
            evidence.wasAskedToEnd = true
            return leave(within: terms.shutdownTime, now)
        case .setup, .loading, .calling: return terminate(.hostStopping, now)
        default: return []
        }
    }

    mutating func leave(within time: Duration, _ now: Instant) -> [Action] {
        phase = .shuttingDown
        deadline = now + time
        return [.send(.shutdown, sequence: 0)]
    }

    /// A fault of the protocol; once the child is gone or killed, it changes nothing any more.
    mutating func fail(_ sentence: String, _ now: Instant) -> [Action] {
        end(.protocolError(sentence), now)
    }

    mutating func end(_ reason: TerminationReason, _ now: Instant) -> [Action] {
        guard phase != .killed else { return [] }
        note(.terminated(reason))
        return phase == .draining ? [] : kill(now)
    }

    private mutating func kill(_ now: Instant) -> [Action] {
        stopClock(now)
        phase = .killed
        // For the launcher to tell of it.
        deadline = now + terms.hangUpTime
        hangUpDeadline = nil
        return [.kill]
    }

    mutating func finishChild(_ end: ChildEnd, _ now: Instant) {
        guard evidence.end == nil else { return }
        stopClock(now)
        evidence.end = end
        evidence.place = place
        endedAt = now
        phase = .draining
        deadline = now + terms.drainTime
        hangUpDeadline = nil
        awaiting = []
    }

    mutating func finish() -> [Action] {
        phase = .done
        deadline = nil
        evidence.place = place
        return [.deliver(.ended(outcome))]
    }

    private var outcome: WorkerOutcome {
        var outcome = WorkerOutcome(judge.judge(evidence))
        outcome.status = lastStatus
        outcome.exitCode = evidence.end?.exitCode
        outcome.signal = evidence.end?.signal
        outcome.wallTime = (endedAt ?? startedAt) - startedAt
        outcome.pluginTime = pluginTime
        outcome.cpuTime = evidence.end?.cpuTime ?? .zero
        outcome.peakBytes = peak.bytes
        outcome.baselineBytes = peak.baselineBytes
        outcome.peakSource = peak.source
        outcome.ready = ready
        outcome.loaded = loaded
        outcome.facts = facts
        outcome.later = judge.laterCauses(evidence)
        outcome.log = log.lines + judge.later(evidence)
        outcome.hostCalls = hostCalls
        if case .setupFailed(let failure) = evidence.causes.first?.cause {
            outcome.minimumMemoryBytes = failure.minimumBytes
        }
        return outcome
    }
}
