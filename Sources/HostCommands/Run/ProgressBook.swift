package import LinuxSystem
internal import TransferEngine

/// What happens during a run, as far as a person wants to see it.
package enum ProgressEvent: Hashable, Sendable {
    /// A download was admitted; `received` is what was there already.
    case added(identifier: String, total: ByteCount?, received: ByteCount)
    /// Bytes received so far; the first one means that the transfer has begun.
    ///
    /// `total` is what the server says, for when nothing was agreed.
    case progress(
        identifier: String, received: ByteCount, total: ByteCount? = nil,
        perSecond: ByteCount? = nil, left: Duration? = nil)
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
    /// Nil when nobody has said.
    private(set) var total: ByteCount?
    private let isAgreed: Bool
    var received: ByteCount
    var perSecond: ByteCount?
    /// Until it is whole; nil when nobody can tell.
    var left: Duration?
    var hasBegun = false
    /// The last tenth that a plain line told.
    var toldTenths = 0

    /// - Parameters:
    ///   - total: What was agreed.
    ///   - received: What was there already.
    init(total: ByteCount?, received: ByteCount) {
        self.total = total
        self.received = received
        isAgreed = total != nil
        toldTenths = tenths
    }

    /// Takes the size that the server names where none was agreed.
    ///
    /// A version that is begun anew has fewer bytes `now`, and is told of anew.
    mutating func take(named: ByteCount?, now: ByteCount) {
        guard !isAgreed, let named, named != total else { return }
        total = named
        received = min(received, now)
        toldTenths = tenths
    }

    /// Tenths of a known size; of an unknown one, doublings past 1 MiB.
    var tenths: Int {
        if let percent { return percent / 10 }
        let mebibytes = received.bytes >> 20
        return mebibytes == 0 ? 0 : 64 - mebibytes.leadingZeroBitCount
    }

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

/// Sums over all downloads, kept up to date one event at a time.
struct ProgressBook: Sendable {
    private(set) var items: [String: ProgressItem] = [:]
    /// Those that transfer now, in the order they began.
    private(set) var active: [String] = []
    private(set) var added = 0
    private(set) var ended = 0
    private(set) var received: UInt64 = 0
    private(set) var total: UInt64 = 0
    private var rate: TransferRate?

    /// Bytes that came since the start, without what was there already.
    private var fetched: UInt64 = 0

    /// Bytes per second, smoothed.
    var perSecond: ByteCount { ByteCount(bytes: rate?.bytesPerSecond ?? 0) }

    mutating func add(_ identifier: String, total: ByteCount?, received: ByteCount) {
        if items[identifier] != nil { remove(identifier) } else { added += 1 }
        items[identifier] = ProgressItem(total: total, received: received)
        self.total = clampedSum(self.total, total?.bytes ?? 0)
        self.received = clampedSum(self.received, received.bytes)
    }

    /// Returns the item as it is now, and whether its transfer begins with this event.
    mutating func advance(
        _ identifier: String, to bytes: ByteCount, of named: ByteCount?, perSecond: ByteCount?,
        left: Duration?
    ) -> (item: ProgressItem, begins: Bool)? {
        guard var item = items[identifier] else { return nil }
        let begins = !item.hasBegun
        if begins { active.append(identifier) }
        forget(item)
        item.take(named: named, now: bytes)
        count(from: item.received, to: bytes)
        item.received = bytes
        total = clampedSum(total, item.total?.bytes ?? 0)
        item.hasBegun = true
        item.perSecond = perSecond
        item.left = left
        items[identifier] = item
        return (item, begins)
    }

    /// Sets how much of an item has been told; returns whether that is news.
    mutating func tell(_ identifier: String) -> Bool {
        guard var item = items[identifier] else { return false }
        guard item.tenths > item.toldTenths else { return false }
        item.toldTenths = item.tenths
        items[identifier] = item
        return true
    }

    mutating func end(_ identifier: String, size: ByteCount?) {
        guard let item = items[identifier] else { return }
        active.removeAll { $0 == identifier }
        ended += 1
        items[identifier] = nil
        guard let size else { return }
        received -= min(received, item.received.bytes)
        count(from: item.received, to: size)
        if item.total == nil { total = clampedSum(total, size.bytes) }
    }

    mutating func updateRate(at now: Instant) {
        if rate == nil { rate = TransferRate(at: now, bytes: fetched) }
        rate?.note(fetched, at: now)
    }

    private mutating func remove(_ identifier: String) {
        guard let item = items[identifier] else { return }
        active.removeAll { $0 == identifier }
        forget(item)
    }

    /// Takes an item out of both sums.
    private mutating func forget(_ item: ProgressItem) {
        received -= min(received, item.received.bytes)
        total -= min(total, item.total?.bytes ?? 0)
    }

    /// An item that is in no sum has so many bytes now.
    private mutating func count(from old: ByteCount, to new: ByteCount) {
        received = clampedSum(received, new.bytes)
        fetched = clampedSum(fetched, new.bytes - min(new.bytes, old.bytes))
    }

    private func clampedSum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
