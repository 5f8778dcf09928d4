internal import ExtensionHost
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

/// Drives one worker through a script, on the caller's thread.
final class ScriptRun {
    private let script: WorkerScript
    private let session: WorkerSession
    private let files: ScriptFiles
    private let subject: CheckSubject
    private let startedAt: Instant

    /// Of the whole check.
    private let deadline: Instant
    private var host: ScriptedHost
    private var record: ScriptRecord
    private var next = 0
    private var callStart = Instant(nanoseconds: 0)

    /// When packs were answered last.
    private var answeredAt = Instant(nanoseconds: 0)

    /// When the next step may begin, while nothing is called.
    private var resumeAt: Instant?
    private var isLoaded = false

    /// A call to the host that is answered late, and when.
    private var held: (call: HostCall, sequence: UInt32, until: Instant)?
    private var toldAt: Instant?
    private var written: WrittenBudget
    private var nextLook: Instant

    /// How long a call to the host waits for its answer after the plugin was told to end.
    private static let holdTime = Duration.milliseconds(50)

    init(
        _ script: WorkerScript, _ session: WorkerSession, _ files: ScriptFiles,
        _ subject: CheckSubject, now: Instant, deadline: Instant
    ) {
        self.deadline = deadline
        self.script = script
        self.session = session
        self.files = files
        self.subject = subject
        startedAt = now
        nextLook = now
        host = ScriptedHost(.judged, deadline: now, memoryBytes: subject.limits.memoryBytes)
        record = ScriptRecord(
            rule: script.rule,
            outcome: WorkerOutcome(Judgement(.internalError, "no end was seen", at: .setup)))
        record.manifest = script.manifest
        written = WrittenBudget(bytes: ScriptFiles.writtenBytes)
        _ = written.isSpent(by: files.use(mostFiles: written.mostFiles))
    }

    /// - Parameter stop: Readable when the user wants to stop; nil when nobody can.
    /// - Returns: What was seen.
    /// - Throws: ``PluginCheckError`` with `interrupted` or `hostFault`.
    func finish(stop: Int32?) throws(PluginCheckError) -> ScriptRecord {
        while true {
            var set = PollSet()
            let stopPlace = stop.map { set.add($0) }
            session.register(in: &set)
            do throws(SystemError) {
                try set.wait(timeout: patience)
            } catch {
                throw PluginCheckError(.hostFault, "\(error)")
            }
            if let stopPlace, set.isReadable(stopPlace) {
                throw PluginCheckError(.interrupted, "interrupted by the user")
            }
            let now = BootClock.now()
            for event in session.service(set, now: now) {
                if take(event, now) { return record }
            }
            try moveOn(BootClock.now())
        }
    }

    private var patience: Duration {
        let now = BootClock.now()
        let moments = [session.nextDeadline, resumeAt, held?.until, nextLook].compactMap(\.self)
        return max(.zero, (moments.min() ?? now) - now)
    }

    /// True once the worker has ended.
    private func take(_ event: WorkerEvent, _ now: Instant) -> Bool {
        switch event {
        case .ready: break
        case .loaded:
            isLoaded = true
            planNext(now)
        case .hostCall(let call, let sequence): take(call, sequence, now)
        case .answered(let replies):
            answeredAt = now
            editCall { $0.packReplies += replies }
        case .returned(let entry, let result): returned(entry, result, now)
        case .printed(_, let line):
            record.printedLines += 1
            if record.firstLines.count < ScriptRecord.keptLines { record.firstLines.append(line) }
        case .ended(let outcome):
            record.outcome = outcome
            editCall { if $0.result == nil { $0.duration = now - max(callStart, answeredAt) } }
            record.timeAfterWord = toldAt.map { now - $0 }
            record.strayNames = files.strayNames()
            return true
        }
        return false
    }

    private func editCall(_ edit: (inout CallRecord) -> Void) {
        guard !record.calls.isEmpty else { return }
        edit(&record.calls[record.calls.count - 1])
    }

    private func take(_ call: HostCall, _ sequence: UInt32, _ now: Instant) {
        guard !record.calls.isEmpty else { return }
        if script.isTold, toldAt == nil, call.wantsReply {
            toldAt = now
            held = (call, sequence, now + ScriptRun.holdTime)
            session.terminate(.wallBudget, now: now)
            return
        }
        answer(call, sequence, now)
    }

    private func answer(_ call: HostCall, _ sequence: UInt32, _ now: Instant) {
        let reply = host.answer(call, in: &record.calls[record.calls.count - 1])
        if let question = host.endlessQuestion, record.endlessQuestion == nil {
            record.endlessQuestion = question
            session.terminate(.hostCallBound, now: now)
        }
        if let reply { session.reply(reply, sequence: sequence) }
    }

    private func returned(_ entry: EntryPoint, _ result: EntryReturn, _ now: Instant) {
        let isKept = entry == .downloadFinished && result.status != 0
        let file = next > 0 ? script.steps[next - 1].file : nil
        editCall { call in
            call.result = result
            call.duration = now - callStart
            if isKept, result.wasCalled, let file { call.hasLostFile = !files.hasFile(file) }
        }
        if let file { files.remove(file) }
        planNext(now)
    }

    /// Decides when the next step begins; with none left the worker is sent away.
    private func planNext(_ now: Instant) {
        guard session.isIdle else { return }
        let bound =
            next < script.leastSteps ? WorkerScript.leastStepsBound : script.timeBound
        guard next < script.steps.count, now - startedAt < bound, now < deadline else {
            return session.shutDown(now: now)
        }
        resumeAt = now + script.steps[next].pause
    }

    /// Does what is due by the clock.
    private func moveOn(_ now: Instant) throws(PluginCheckError) {
        if now >= nextLook { look(now) }
        if let held, now >= held.until {
            self.held = nil
            answer(held.call, held.sequence, now)
        }
        guard isLoaded, let resumeAt, now >= resumeAt else { return }
        self.resumeAt = nil
        guard session.isIdle else { return }
        try begin(script.steps[next], now)
        next += 1
    }

    private func begin(_ step: WorkerScript.Step, _ now: Instant) throws(PluginCheckError) {
        if let file = step.file {
            try files.put(file)
            written.notePublished(bytes: UInt64(ScriptFiles.fileBytes.count))
        }
        record.calls.append(CallRecord(step.name, step.call))
        callStart = BootClock.now()
        host = ScriptedHost(
            step.answers, deadline: callStart + session.budget(of: step.call),
            memoryBytes: subject.limits.memoryBytes)
        do throws(ExtensionHostError) {
            try session.call(step.call, now: callStart)
        } catch {
            throw PluginCheckError(.hostFault, "\(error)")
        }
    }

    /// Bounds what is written, every 50 ms.
    private func look(_ now: Instant) {
        nextLook = now + .milliseconds(50)
        if written.isSpent(by: files.use(mostFiles: written.mostFiles)) {
            session.terminate(.writtenBytes, now: now)
        }
    }
}
