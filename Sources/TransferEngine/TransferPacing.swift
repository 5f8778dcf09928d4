package import LinuxSystem

/// When progress is told, a checkpoint given and the partial synced.
///
/// Pure: it is handed the time.
package struct TransferPacing: Sendable {
    /// What is due now.
    package struct Due: Hashable, Sendable {
        package var progress = false
        package var checkpoint = false
        package var sync = false

        package init() {}
    }

    private struct Mark {
        var at: Instant
        var bytes: UInt64
    }

    private var progress: Mark
    private var checkpoint: Mark
    private var sync: Mark

    package init(at now: Instant, bytes: UInt64) {
        let mark = Mark(at: now, bytes: bytes)
        (progress, checkpoint, sync) = (mark, mark, mark)
    }

    /// Compares the bytes received with what was told last.
    ///
    /// Progress: at most every 100 ms. Checkpoint: after a second, or after 1 MiB but not within
    /// 100 ms. Sync: after 5 s, or after 64 MiB but not within a second (docs/extension-author.md).
    package mutating func due(at now: Instant, bytes: UInt64) -> Due {
        var due = Due()
        due.progress = Self.take(&progress, now, bytes, .milliseconds(100), 0, .milliseconds(100))
        due.checkpoint = Self.take(
            &checkpoint, now, bytes, .seconds(1), 1 << 20, .milliseconds(100))
        due.sync = Self.take(&sync, now, bytes, .seconds(5), 64 << 20, .seconds(1))
        return due
    }

    private static func take(
        _ mark: inout Mark, _ now: Instant, _ bytes: UInt64, _ interval: Duration, _ amount: UInt64,
        _ least: Duration
    ) -> Bool {
        let elapsed = now - mark.at
        guard bytes != mark.bytes else { return false }
        let grown = bytes > mark.bytes ? bytes - mark.bytes : 0
        guard elapsed >= interval || (grown >= amount && elapsed >= least) else { return false }
        mark = Mark(at: now, bytes: bytes)
        return true
    }
}
