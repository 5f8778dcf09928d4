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
            return judgeCall(record.systemCall, record.text, place)
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
        if record.signal == SIGSYS, record.signalCode > 0 {
            return judgeCall(record.systemCall, record.text, place, evidence.namedCall)
        }
        if record.signalCode == Sender.process { return external(name, place) }
        if record.signalCode == Sender.itself {
            let what = record.signal == SIGABRT ? "called abort" : "sent itself \(name)"
            return Judgement(.crash, "\(what) \(place.phrase)", at: place)
        }
        if isStackOverflow(record) {
            return Judgement(
                .stackOverflow, "used up its stack\(size(of: record, evidence)) \(place.phrase)",
                at: place)
        }
        if isStackRefused(record) {
            let limit = Words.grouped(evidence.limits.memoryBytes)
            return Judgement(
                .memoryLimit,
                "its stack could not grow \(place.phrase): the limit of \(limit) bytes was used up",
                at: place)
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

    /// The bounds of a thread that the worker did not see start are only those of its last page.
    private func size(of record: EvidenceRecord, _ evidence: Evidence) -> String {
        var size = record.stackHigh - record.stackLow
        // The main stack begins somewhere in its topmost pages.
        let limit = evidence.limits.stackBytes
        if size <= limit, limit - size < 64 << 10 { size = limit }
        return size > 4096 ? " of \(Words.grouped(size)) bytes" : ""
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

    /// The fault lies where the stack may grow to, and nothing is mapped there: the kernel had no
    /// memory left to give.
    ///
    /// sigaction(2), SEGV_MAPERR; getrlimit(2), RLIMIT_AS.
    private func isStackRefused(_ record: EvidenceRecord) -> Bool {
        record.signal == SIGSEGV && record.signalCode == 1 && record.stackLow > 0
            && record.faultAddress >= record.stackLow && record.faultAddress < record.stackHigh
    }

    /// A refused call: its number, -1 when it is not known, and the function's name if there is one.
    ///
    /// The function that was announced before stands for the calls that it is known to make.
    func judgeCall(
        _ number: Int64, _ text: String, _ place: RunPlace, _ named: String? = nil
    ) -> Judgement {
        let call = number < 0 ? nil : systemCallName(number) ?? "system call \(number)"
        let isStart = call.map { Words.startsProcess($0) } ?? true
        let function = text.isEmpty ? (isStart ? named : nil) : text
        let name =
            switch (function, call) {
            case (let function?, let call?) where function != call: "\(function) (\(call))"
            case (let first, let second): first ?? second ?? "a function that starts a process"
            }
        let reason = isStart ? "plugins may not start processes" : Words.refusal(of: call ?? "")
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
            if let named = evidence.namedCall { return judgeCall(-1, named, place) }
            return Judgement(
                .policyViolation,
                "made a refused system call \(place.phrase); call not named: "
                    + "signals were blocked, or it was one of another architecture",
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
