internal import Glibc
internal import LinuxSystem
internal import WireProtocol

/// Turns evidence into a verdict and one sentence.
///
/// Pure; the first cause wins.
package struct VerdictJudge: Sendable {
    /// Exit statuses of the worker that mean something.
    package enum WorkerExit {
        package static let finished: Int32 = 0

        /// An evidence record was written.
        package static let evidence: Int32 = 70

        /// The host's messages could not be read.
        package static let wire: Int32 = 71

        /// The control pipe was closed.
        package static let hostGone: Int32 = 72
    }

    let systemCallName: @Sendable (Int64) -> String?

    /// - Parameter systemCallName: The name of a system call's number on this machine.
    package init(systemCallName: @escaping @Sendable (Int64) -> String?) {
        self.systemCallName = systemCallName
    }

    package func judge(_ evidence: Evidence) -> Judgement {
        if let first = evidence.causes.first { return judge(first, evidence) }
        return judgeEnd(evidence)
    }

    /// The causes after the first.
    func laterCauses(_ evidence: Evidence) -> [Judgement] {
        evidence.causes.dropFirst().map { judge($0, evidence) }
    }

    /// What else happened, one sentence each, for the log: the causes after the first, and a call
    /// that failed and ended nothing.
    package func later(_ evidence: Evidence) -> [String] {
        var sentences = laterCauses(evidence).map { "later: \($0.sentence)" }
        if let name = evidence.namedCall, judge(evidence).verdict != .policyViolation {
            sentences.append("refused: called \(name): plugins may not start processes")
        }
        if let sentence = packSentence(evidence), judge(evidence).detail != sentence {
            sentences.append("also: plugin_error: \(sentence)")
        }
        return sentences
    }

    private func judge(_ seen: SeenCause, _ evidence: Evidence) -> Judgement {
        switch seen.cause {
        case .setupFailed(let failure):
            Judgement(.setupError, "\(failure.step): \(failure.sentence)", at: seen.place)
        case .loadFailed(let failure):
            Judgement(
                failure.isMismatch ? .abiMismatch : .loadError, failure.sentence, at: seen.place)
        case .cgroupKill(let limit): judgeCgroup(limit, seen.place)
        case .launcherEnded(let end): judgeLauncher(end, seen.place)
        case .replied(let entry, let status):
            judgeReply(entry, status, evidence)
        case .answered(let reply):
            judgePack(reply)
        case .terminated(let reason):
            judgeTermination(reason, seen.place, evidence)
        case .record(let record):
            judgeRecord(record, seen.place, evidence)
        }
    }

    private func judgeLauncher(_ end: ChildEnd, _ place: RunPlace) -> Judgement {
        guard let signal = end.signal else {
            let status = end.exitCode.map { "status \($0)" } ?? "an unknown status"
            return Judgement(
                .internalError, "the worker's launcher ended with \(status) \(place.phrase)",
                at: place)
        }
        let isSent = [SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT].contains(signal)
        return Judgement(
            isSent ? .killedExternal : .internalError,
            "the worker's launcher was killed by \(Words.signal(signal)) \(place.phrase),"
                + " which the host did not send", at: place)
    }

    private func judgeCgroup(_ limit: UInt64, _ place: RunPlace) -> Judgement {
        let what = "the \(Words.grouped(limit)) bytes of its memory cgroup were used up"
        guard place != .setup else {
            return Judgement(
                .setupError, "the worker was killed before it was ready: \(what)", at: place)
        }
        return Judgement(
            .memoryLimit, "killed by the kernel \(place.phrase): \(what)", at: place)
    }

    private func judgeReply(
        _ entry: EntryPoint, _ status: Int32, _ evidence: Evidence
    ) -> Judgement {
        let returned = "\(entry.symbol) returned \(status)"
        guard status < 0 else {
            let allowed = entry.allowedReplies.map { "\($0)" }.joined(separator: ", ")
            return Judgement(
                .badReply, "\(returned); allowed are \(allowed) and negative numbers",
                at: .call(entry))
        }
        let count = evidence.discardedRequests
        guard count > 0 else { return Judgement(.pluginError, returned, at: .call(entry)) }
        let what = count == 1 ? "1 collected request was" : "\(count) collected requests were"
        return Judgement(.pluginError, "\(returned); \(what) discarded", at: .call(entry))
    }

    private func judgeTermination(
        _ reason: TerminationReason, _ place: RunPlace, _ evidence: Evidence
    ) -> Judgement {
        switch reason {
        case .wallBudget:
            return judgeWallBudget(place, evidence)
        case .dailyRuntime:
            return Judgement(.wallTimeout, "the app's runtime of today is used up", at: place)
        case .hostStopping: return Judgement(.interrupted, "the host was stopping", at: place)
        case .userInterrupt: return Judgement(.interrupted, "interrupted by the user", at: place)
        case .memoryBudget:
            let limit = Words.grouped(evidence.limits.memoryBytes)
            return Judgement(.memoryLimit, "held more than \(limit) bytes", at: place)
        case .threadBudget:
            return Judgement(
                .processLimit, "ran more threads than the limit of \(evidence.limits.threads)",
                at: place)
        case .writtenBytes:
            return Judgement(
                .fileLimit, "wrote more bytes, or made more files, than one worker may", at: place)
        case .groupQuota(let bytes):
            return Judgement(
                .fileLimit,
                "wrote more than the group's quota of \(Words.grouped(bytes)) bytes leaves, "
                    + "or made more files than one worker may", at: place)
        case .containerUnseen:
            return Judgement(
                .fileLimit,
                "the container cannot be looked through: more than 256 folders in one another, or a "
                    + "folder without rights", at: place)
        case .setupDeadline:
            return Judgement(.setupError, "the worker was not ready after 10.0 s", at: place)
        case .shutdownDeadline:
            return Judgement(
                .wallTimeout, "the worker still ran after it was asked to end", at: place)
        case .hostCallBound:
            let bound = Words.grouped(UInt64(WorkerState.hostCallBound))
            return Judgement(.protocolError, "made more than \(bound) host calls", at: place)
        case .protocolError(let sentence): return Judgement(.protocolError, sentence, at: place)
        }
    }

    /// No cause was seen before the child's end, so its status has to say.
    private func judgeEnd(_ evidence: Evidence) -> Judgement {
        let place = evidence.place
        guard let end = evidence.end, end.exitCode != nil || end.signal != nil else {
            return Judgement(.internalError, "the worker's end was not seen", at: place)
        }
        if evidence.lostFirstThread, end.signal == SIGKILL {
            return Judgement(
                .exitedEarly, "ended the thread that it was called on \(place.phrase)", at: place)
        }
        if let signal = end.signal { return judgeSignal(signal, end.cpuTime, place, evidence) }
        let status = end.exitCode ?? -1
        if status == WorkerExit.evidence, let name = evidence.namedCall {
            return judgeCall(-1, name, place)
        }
        if place == .setup {
            return Judgement(
                .setupError, "the worker ended with status \(status) before it was ready",
                at: place)
        }
        if status == WorkerExit.finished, evidence.wasAskedToEnd {
            return judgePacks(evidence)
        }
        if status == WorkerExit.wire || status == WorkerExit.hostGone {
            return Judgement(
                .protocolError, "the worker lost its connection to the host \(place.phrase)",
                at: place)
        }
        let when =
            if case .call(let entry) = place { "before \(entry.symbol) returned" } else {
                place.phrase
            }
        return Judgement(.exitedEarly, "called exit with status \(status) \(when)", at: place)
    }
}
