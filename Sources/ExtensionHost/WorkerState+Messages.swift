internal import LinuxSystem
internal import WireProtocol

extension WorkerState {
    mutating func take(
        _ message: WorkerMessage, _ sequence: UInt32, _ now: Instant
    ) -> [Action] {
        guard phase != .killed else { return [] }
        switch message {
        case .hostCall(let call): return take(call, sequence, now)
        case .ready(let ready): return take(ready, now)
        case .loaded(let plugin): return take(plugin, now)
        case .inspected(let facts): return take(facts, now)
        case .answered(let replies): return take(replies, now)
        case .returned(let result): return take(result, now)
        case .needsSwiftRuntime:
            guard isSettingUp, mayNeedRuntime else { return impossible("a wish for Swift", now) }
            return [.restartWithRuntime]
        case .setupFailed(let failure):
            guard place == .setup else { return impossible("a failed set-up", now) }
            note(.setupFailed(failure))
        case .loadFailed(let failure):
            guard place == .setup || place == .load else {
                return impossible("a failed load", now)
            }
            if place == .setup { place = .inspect }
            note(.loadFailed(failure))
        }
        // The worker has said why; it leaves by itself or is made to.
        stopClock(now)
        guard evidence.end == nil, phase != .terminating else { return [] }
        return leave(within: terms.shutdownTime, now)
    }

    private mutating func take(_ ready: WorkerReady, _ now: Instant) -> [Action] {
        guard place == .setup, self.ready == nil else { return impossible("ready", now) }
        self.ready = ready
        // What the kernel holds, which may be a little less than was asked for.
        let inForce = ready.inForce.memoryBytes
        if inForce > 0 {
            evidence.limits.memoryBytes = min(inForce, evidence.limits.memoryBytes)
        }
        peak.start(baselineBytes: ready.heldBytes)
        place = terms.isInspection ? .inspect : .load
        if evidence.end == nil {
            phase = .loading
            startClock(budget: terms.wallBudget, now)
        }
        return [.deliver(.ready(ready))]
    }

    private mutating func take(_ plugin: LoadedPlugin, _ now: Instant) -> [Action] {
        guard place == .load else { return impossible("loaded", now) }
        loaded = plugin
        loadTime = stopClock(now)
        if phase == .loading {
            place = .idle
            phase = .idle
            deadline = nil
        }
        if phase == .terminating { return killAfterGrace(now) }
        if evidence.end != nil { place = .idle }
        return [.deliver(.loaded(plugin))]
    }

    /// All that is wanted of an inspection.
    private mutating func take(_ facts: PluginFacts, _ now: Instant) -> [Action] {
        guard terms.isInspection, place == .inspect else {
            return impossible("facts of a file", now)
        }
        stopClock(now)
        if phase == .terminating { return killAfterGrace(now) }
        self.facts = facts
        place = .shutdown
        evidence.wasAskedToEnd = true
        return evidence.end == nil ? leave(within: terms.shutdownTime, now) : []
    }

    private mutating func take(_ result: EntryReturn, _ now: Instant) -> [Action] {
        guard case .call(let entry) = place else { return impossible("a reply", now) }
        stopClock(now)
        peak.report(heldBytes: result.heldBytes)
        if phase == .terminating { return killAfterGrace(now) }
        lastStatus = result.status
        if let asking {
            self.asking = nil
            if let fault = asking.fault(of: result) { return fail(fault, now) }
        }
        let isAllowed = entry.allowedReplies.contains(result.status)
        if !isAllowed, entry != .shouldDownload { note(.replied(entry, result.status)) }
        let delivered = Action.deliver(.returned(entry, result))
        place = .idle
        guard evidence.end == nil else { return [delivered] }
        phase = .idle
        deadline = nil
        guard isAllowed || result.status < 0 else {
            return leave(within: terms.shutdownTime, now) + [delivered]
        }
        return [delivered]
    }

    mutating func begin(_ call: EntryCall, _ now: Instant) -> [Action] {
        guard phase == .idle else { return [] }
        let spent = isFirstCall ? loadTime : .zero
        isFirstCall = false
        phase = .calling(call.entryPoint)
        place = .call(call.entryPoint)
        if case .packs(let batch) = call {
            asking = PackProgress(batch)
            evidence.pack = asking?.current
            startClock(budget: evidence.packBudget, now)
        } else {
            startClock(budget: max(.zero, terms.wallBudget - spent), now)
        }
        return [.send(.call(call), sequence: 0)]
    }

    private mutating func take(
        _ call: HostCall, _ sequence: UInt32, _ now: Instant
    ) -> [Action] {
        hostCalls += 1
        guard hostCalls <= WorkerState.hostCallBound else { return end(.hostCallBound, now) }
        note(call)
        switch place {
        case .setup, .inspect, .load:
            if case .log = call, place == .load {
                return [.deliver(.hostCall(call, sequence: sequence))]
            }
            return impossible("a host call", now)
        case .idle, .shutdown: return answerIdle(call, sequence)
        case .call: break
        }
        guard evidence.end == nil || !call.wantsReply else { return [] }
        if call.wantsReply {
            guard awaiting.count < WorkerState.awaitingBound, awaiting.insert(sequence).inserted
            else { return fail("sent a host call while that number was in use", now) }
        }
        return [.deliver(.hostCall(call, sequence: sequence))]
    }

    /// Nothing is on the stack: 1006, "not allowed now".
    private func answerIdle(_ call: HostCall, _ sequence: UInt32) -> [Action] {
        guard call.wantsReply, evidence.end == nil else { return [] }
        if case .remaining = call { return [.send(.reply(.value(0)), sequence: sequence)] }
        return [.send(.reply(.status(1006)), sequence: sequence)]
    }

    private mutating func note(_ call: HostCall) {
        guard case .log(let level, let text) = call else { return }
        let names = ["debug", "info", "notice", "warning", "error"]
        let name = names.indices.contains(Int(level)) ? names[Int(level)] : "level \(level)"
        log.append("\(name): \(PlainText.clean(text))")
    }

    private mutating func impossible(_ what: String, _ now: Instant) -> [Action] {
        fail("sent \(what) \(place.phrase)", now)
    }

    private mutating func killAfterGrace(_ now: Instant) -> [Action] {
        deadline = now
        return tick(now)
    }

    private mutating func startClock(budget: Duration, _ now: Instant) {
        runningSince = now
        deadline = now + budget
    }

    /// Returns how long plugin code has just run.
    @discardableResult
    mutating func stopClock(_ now: Instant) -> Duration {
        guard let since = runningSince else { return .zero }
        runningSince = nil
        pluginTime += now - since
        return now - since
    }
}
