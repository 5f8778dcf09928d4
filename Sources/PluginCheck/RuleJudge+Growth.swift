internal import LinuxSystem
internal import WireProtocol

/// What many calls of one worker leave behind.
struct Growth {
    /// Calls before which everything may still settle.
    static let settling = 8

    /// Fewer calls after that say nothing.
    static let leastCalls = 8

    /// Returns that are needed to say something.
    static let leastReturns = settling + leastCalls + 1

    /// Over these calls.
    let calls: Int
    let openFiles: Int
    let threads: Int
    let bytes: Int64

    /// What the second half of them added.
    let lateBytes: Int64

    /// Nil when there were too few calls.
    init?(_ calls: [CallRecord]) {
        let returns = calls.compactMap(\.result).dropFirst(Growth.settling)
        guard returns.count > Growth.leastCalls, let first = returns.first,
            let last = returns.last
        else { return nil }
        let middle = returns[returns.startIndex + returns.count / 2]
        self.calls = returns.count - 1
        openFiles = Int(last.holdings.openFiles) - Int(first.holdings.openFiles)
        threads = Int(last.holdings.threads) - Int(first.holdings.threads)
        bytes = Int64(clamping: last.heldBytes) - Int64(clamping: first.heldBytes)
        lateBytes = Int64(clamping: last.heldBytes) - Int64(clamping: middle.heldBytes)
    }

    /// What every fourth call at least adds, for as long as there is room.
    func isSteady(_ growth: Int) -> Bool { growth >= max(3, calls / 4) }

    /// Bytes a call, when it goes on growing.
    var bytesPerCall: Int64 {
        bytes > 0 && lateBytes >= bytes / 4 ? bytes / Int64(max(1, calls)) : 0
    }

    /// From here on growth is a failure, and from a quarter of it worth a warning.
    static let failingBytesPerCall: Int64 = 4 << 10
}

extension RuleJudge {
    /// The same call, many times in one worker.
    package mutating func takeRepeats(_ record: ScriptRecord) {
        takeCommon(record)
        let rules: [ContractRule] = [.repeats, .descriptors, .threads, .memory]
        let symbol = record.calls.first?.entry.symbol ?? ""
        guard let growth = Growth(record.calls) else {
            let count = record.calls.count { $0.result != nil }
            for rule in rules {
                findings.withhold(
                    rule,
                    "\(RuleJudge.count(count, "call")) of \(symbol) returned in the time that"
                        + " there was; to say something takes \(Growth.leastReturns)")
            }
            return takeEnd(record)
        }
        for rule in rules { findings.pass(rule) }
        let during = "in \(growth.calls) calls of \(symbol)"
        let held = "\(ByteCount(bytes: UInt64(clamping: growth.bytes))) more held \(during)"
        // A worker that died of what it left behind has failed for that alone.
        var isKnown = false
        if growth.isSteady(growth.openFiles) {
            isKnown = true
            findings.fail(.descriptors, "\(growth.openFiles) more descriptors open \(during)")
        }
        if growth.isSteady(growth.threads) {
            isKnown = true
            findings.fail(.threads, "\(growth.threads) more threads \(during)")
        }
        // A thread keeps its stack, an open stream its buffer.
        if !isKnown, growth.bytesPerCall >= Growth.failingBytesPerCall {
            isKnown = true
            findings.fail(.memory, held)
        } else if !isKnown, growth.bytesPerCall >= Growth.failingBytesPerCall / 4 {
            findings.warn(.memory, held)
        }
        if !isKnown { takeEnd(record) }
    }
}
