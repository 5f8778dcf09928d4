internal import Glibc
internal import LinuxSystem
internal import WireProtocol

extension VerdictJudge {
    /// The `si_code` of a signal that was sent, not raised by a fault.
    ///
    /// sigaction(2).
    private enum Sender {
        /// `kill(2)`: from anywhere.
        static let process: Int32 = 0

        /// `tgkill(2)`, which is how `raise` and `abort` send: from the worker itself.
        static let itself: Int32 = -6
    }

    func judgeRecord(
        _ record: EvidenceRecord, _ place: RunPlace, _ evidence: Evidence
    ) -> Judgement {
        switch record.kind {
        case .memoryRefused:
            let what = record.text.isEmpty ? "" : " for \(record.text)"
            let asked = Words.grouped(record.askedBytes)
            let left = Words.grouped(record.leftBytes)
            let limit = Words.grouped(evidence.limits.memoryBytes)
            return Judgement(
                .memoryLimit, "asked for \(asked) bytes\(what) with \(left) of \(limit) left",
                at: place)
        case .threadRefused:
            return Judgement(
                .processLimit, "started a thread past the limit of \(evidence.limits.threads)",
                at: place)
        case .processRefused:
            return judgeCall(record, place)
        case .signal:
            return judgeSignal(record, place, evidence)
        }
    }

    /// A signal that the worker's own handler has described.
    private func judgeSignal(
        _ record: EvidenceRecord, _ place: RunPlace, _ evidence: Evidence
    ) -> Judgement {
        let name = Words.signal(record.signal)
        if let limit = judgeLimit(record.signal, place, evidence) { return limit }
        if place == .setup {
            return Judgement(
                .setupError, "the worker ended by \(name) before it was ready", at: place)
        }
        if record.signal == SIGSYS, record.signalCode > 0 { return judgeCall(record, place) }
        if record.signalCode == Sender.process { return external(name, place) }
        if record.signalCode == Sender.itself {
            let what = record.signal == SIGABRT ? "called abort" : "sent itself \(name)"
            return Judgement(.crash, "\(what) \(place.phrase)", at: place)
        }
        if isStackOverflow(record) {
            let room = Words.grouped(record.stackHigh &- record.stackLow)
            return Judgement(
                .stackOverflow, "used up its stack of \(room) bytes \(place.phrase)", at: place)
        }
        let address = "0x" + String(record.faultAddress, radix: 16)
        return Judgement(.crash, "\(name) at address \(address) \(place.phrase)", at: place)
    }

    /// Signals of the kernel's limits mean the same with and without a record.
    private func judgeLimit(
        _ signal: Int32, _ place: RunPlace, _ evidence: Evidence
    ) -> Judgement? {
        switch signal {
        case SIGXCPU:
            return Judgement(
                .cpuLimit,
                "used up its CPU time of \(evidence.limits.cpuSeconds) s \(place.phrase)",
                at: place)
        case SIGXFSZ:
            let limit = Words.grouped(evidence.limits.fileSizeBytes)
            return Judgement(
                .fileLimit, "wrote past \(limit) bytes of a file \(place.phrase)", at: place)
        default: return nil
        }
    }

    /// The fault lies in the guard below the stack: up to the kernel's stack gap of 256 pages under
    /// it, or in its last pages where the bounds of the main stack are rounded.
    ///
    /// mmap(2), MAP_GROWSDOWN.
    private func isStackOverflow(_ record: EvidenceRecord) -> Bool {
        guard record.signal == SIGSEGV || record.signal == SIGBUS, record.stackLow > 0,
            record.stackHigh > record.stackLow
        else { return false }
        let gap: UInt64 = 1 << 20
        let lowest = record.stackLow > gap ? record.stackLow - gap : 1
        let (end, overflow) = record.stackLow.addingReportingOverflow(16 << 10)
        return record.faultAddress >= lowest && record.faultAddress < (overflow ? .max : end)
    }

    private func judgeCall(_ record: EvidenceRecord, _ place: RunPlace) -> Judgement {
        let kernelName = record.systemCall < 0 ? nil : systemCallName(record.systemCall)
        let number = record.systemCall < 0 ? nil : "system call \(record.systemCall)"
        let name: String
        if record.text.isEmpty {
            name = kernelName ?? number ?? "a function that starts a process"
        } else if let kernelName, kernelName != record.text {
            name = "\(record.text) (\(kernelName))"
        } else {
            name = record.text
        }
        let reason =
            record.kind == .processRefused
            ? "plugins may not start processes" : Words.refusal(of: kernelName ?? record.text)
        return Judgement(.policyViolation, "called \(name): \(reason)", at: place)
    }

    /// A signal ended the child and nothing was written about it.
    func judgeSignal(
        _ signal: Int32, _ cpuTime: Duration, _ place: RunPlace, _ evidence: Evidence
    ) -> Judgement {
        let name = Words.signal(signal)
        let cpuLimit = Duration.seconds(Int64(clamping: evidence.limits.cpuSeconds))
        if signal == SIGKILL, cpuTime >= cpuLimit, place != .setup {
            return judgeLimit(SIGXCPU, place, evidence) ?? external(name, place)
        }
        if let limit = judgeLimit(signal, place, evidence) { return limit }
        if [SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT].contains(signal) {
            return external(name, place)
        }
        if place == .setup {
            return Judgement(
                .setupError, "the worker ended by \(name) before it was ready", at: place)
        }
        if signal == SIGSYS {
            return Judgement(
                .policyViolation,
                "made a refused system call \(place.phrase); call not named: signals were blocked",
                at: place)
        }
        return Judgement(.crash, "\(name) \(place.phrase)", at: place)
    }

    private func external(_ name: String, _ place: RunPlace) -> Judgement {
        Judgement(
            .killedExternal, "killed by \(name) \(place.phrase), which the host did not send",
            at: place)
    }
}
