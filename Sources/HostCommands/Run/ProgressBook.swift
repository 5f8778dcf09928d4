package import LinuxSystem

/// What happens during a run, as far as a person wants to see it.
package enum ProgressEvent: Hashable, Sendable {
    /// A download was admitted; `received` is what was there already.
    case added(identifier: String, total: ByteCount?, received: ByteCount)
    /// Bytes received so far; the first one means that the transfer has begun.
    case progress(
        identifier: String, received: ByteCount, perSecond: ByteCount? = nil,
        left: Duration? = nil)
    case finished(identifier: String, size: ByteCount)
    case failed(identifier: String, message: String)
    /// A wish was not admitted; `hint` is the option that would allow it.
    case refused(identifier: String, message: String, hint: String?)
    /// A line the plugin printed.
    case output(PrintedStream, String)
    /// Something the host has to say.
    case note(String)
}

/// Where a plugin printed a line.
package enum PrintedStream: Hashable, Sendable {
    case output, error, log

    var prefix: String {
        switch self {
        case .output: "plugin: "
        case .error: "plugin stderr: "
        case .log: "plugin log: "
        }
    }
}

/// One download as the display knows it.
struct ProgressItem: Hashable, Sendable {
    let total: ByteCount?
    var received: ByteCount
    var perSecond: ByteCount?
    /// Until it is whole; nil when nobody can tell.
    var left: Duration?
    var hasBegun = false
    /// The last tenth that a plain line told.
    var toldTenths = 0

    /// 0 to 100; nil when the size is not known.
    var percent: Int? { total.map { Percent.of(received, in: $0) } }
}

enum Percent {
    /// 0 to 100, whatever a server sends.
    static func of(_ part: ByteCount, in whole: ByteCount) -> Int {
        guard whole.bytes > 0, part < whole else { return 100 }
        return min(99, Int(Double(part.bytes) / Double(whole.bytes) * 100))
    }
}

/// Bytes per second, smoothed over about two seconds.
struct TransferRate: Hashable, Sendable {
    private(set) var perSecond: UInt64 = 0
    private var mark: Instant?
    private var markBytes: UInt64 = 0
    private var hasRate = false

    mutating func update(_ received: ByteCount, at now: Instant) {
        guard let mark, received.bytes >= markBytes else {
            (self.mark, markBytes) = (now, received.bytes)
            return
        }
        let elapsed = (now - mark).wholeMilliseconds
        guard elapsed >= 500 else { return }
        let fresh = Double(received.bytes - markBytes) * 1_000 / Double(elapsed)
        let smooth = hasRate ? (Double(perSecond) * 2 + fresh) / 3 : fresh
        perSecond = UInt64(min(smooth, 1e18))
        (self.mark, markBytes, hasRate) = (now, received.bytes, true)
    }
}

/// Sums over all downloads, kept up to date one event at a time.
struct ProgressBook: Hashable, Sendable {
    private(set) var items: [String: ProgressItem] = [:]
    /// Those that transfer now, in the order they began.
    private(set) var active: [String] = []
    private(set) var added = 0
    private(set) var ended = 0
    private(set) var received: UInt64 = 0
    private(set) var total: UInt64 = 0
    private(set) var rate = TransferRate()

    mutating func add(_ identifier: String, total: ByteCount?, received: ByteCount) {
        if items[identifier] != nil { remove(identifier) } else { added += 1 }
        items[identifier] = ProgressItem(
            total: total, received: received, toldTenths: tenths(received, total))
        self.total = clampedSum(self.total, total?.bytes ?? 0)
        self.received = clampedSum(self.received, received.bytes)
    }

    /// Returns the item as it is now, and whether its transfer begins with this event.
    mutating func advance(
        _ identifier: String, to bytes: ByteCount, perSecond: ByteCount?, left: Duration?
    ) -> (item: ProgressItem, begins: Bool)? {
        guard var item = items[identifier] else { return nil }
        let begins = !item.hasBegun
        if begins { active.append(identifier) }
        received = clampedSum(received - min(received, item.received.bytes), bytes.bytes)
        item.received = bytes
        item.hasBegun = true
        item.perSecond = perSecond
        item.left = left
        items[identifier] = item
        return (item, begins)
    }

    /// Sets how much of an item has been told; returns whether that is news.
    mutating func tell(_ identifier: String) -> Bool {
        guard var item = items[identifier] else { return false }
        let now = tenths(item.received, item.total)
        guard now > item.toldTenths else { return false }
        item.toldTenths = now
        items[identifier] = item
        return true
    }

    mutating func end(_ identifier: String, size: ByteCount?) {
        guard let item = items[identifier] else { return }
        active.removeAll { $0 == identifier }
        ended += 1
        items[identifier] = nil
        guard let size else { return }
        received = clampedSum(received - min(received, item.received.bytes), size.bytes)
        if item.total == nil { total = clampedSum(total, size.bytes) }
    }

    mutating func updateRate(at now: Instant) {
        rate.update(ByteCount(bytes: received), at: now)
    }

    private mutating func remove(_ identifier: String) {
        guard let item = items[identifier] else { return }
        active.removeAll { $0 == identifier }
        received -= min(received, item.received.bytes)
        total -= min(total, item.total?.bytes ?? 0)
    }

    /// Tenths of a known size; of an unknown one, doublings past 1 MiB.
    private func tenths(_ received: ByteCount, _ total: ByteCount?) -> Int {
        if let total { return Percent.of(received, in: total) / 10 }
        let mebibytes = received.bytes >> 20
        return mebibytes == 0 ? 0 : 64 - mebibytes.leadingZeroBitCount
    }

    private func clampedSum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
