package import LinuxSystem

/// A file that the host has published and may take back, for as long as it is what the host has put
/// there.
package struct PublishedFile: Hashable, Sendable {
    /// Given by the store; 0 until then.
    package var rowID: Int64 = 0
    package var app: String
    package var identifier: String

    /// Of the download it is of.
    package var uniqueIdentifier: String

    /// Absolute path of the container it lies in.
    package var container: String

    /// Where it was seen last, relative to the container.
    package var path: String

    /// What it is, wherever it lies.
    package var stamp: FileStamp

    /// Seconds since 1970.
    package var publishedAt: Int64

    /// Seconds since 1970, as far as the host has seen.
    package var lastUsed: Int64

    /// Of the bytes that were published, 32 bytes; nil where a row was rebuilt, for nobody knows then.
    package var sha256: [UInt8]?

    /// It stays, however little space there is.
    package var isPinned = false

    /// It is being removed, or was when the host was killed.
    package var isPurging = false

    /// A file that is neither pinned nor being removed.
    ///
    /// Times are cut to ``RecordBounds/times``: whoever owns a file can give it any.
    package init(
        app: String, identifier: String, uniqueIdentifier: String, container: String,
        path: String, stamp: FileStamp, publishedAt: Int64, lastUsed: Int64
    ) {
        self.app = app
        self.identifier = identifier
        self.uniqueIdentifier = uniqueIdentifier
        self.container = container
        self.path = path
        self.stamp = stamp
        self.publishedAt = RecordBounds.clamped(publishedAt)
        self.lastUsed = RecordBounds.clamped(lastUsed)
    }

    /// When it was used last, as far as that can be true.
    ///
    /// With a time in the future it would be the last to go for ever. An access time is anybody's to
    /// set: one in the future says nothing. A time of the host's own was read from a clock that was
    /// wrong: it becomes now, and grows old from here.
    ///
    /// - Parameters:
    ///   - accessed: The access time of the file, since 1970.
    ///   - now: Seconds since 1970; before ``RecordBounds/earliestNow`` the clock is not set, and the
    ///     host's own times stay.
    /// - Returns: Seconds since 1970; what `seen` makes of the row.
    package func lastUse(accessed: Int64, now: Int64) -> Int64 {
        let clock = UseClock(now: now)
        return max(min(lastUsed, clock.latest), clock.believed(accessed))
    }
}

/// What can be true of times of use.
struct UseClock {
    /// Seconds since 1970.
    let now: Int64

    /// The latest that a time of the host's own can be.
    var latest: Int64 {
        now < RecordBounds.earliestNow
            ? RecordBounds.times.upperBound : RecordBounds.clamped(now)
    }

    /// What an access time says, at the most.
    func believed(_ accessed: Int64) -> Int64 {
        accessed > now ? RecordBounds.times.lowerBound : RecordBounds.clamped(accessed)
    }
}

/// Where a file was published and what it was then, as ``FinishedDownload`` carries it.
package struct PublishedPlace: Hashable, Sendable {
    /// Absolute path of the container.
    package let container: String
    package let stamp: FileStamp

    /// The file whose name it took, and which is gone for that; nil when it took none.
    package let replaced: FileStamp?

    /// Seconds since 1970.
    package let publishedAt: Int64

    /// - Parameters:
    ///   - container: Absolute path of the container.
    ///   - stamp: Of the file.
    ///   - replaced: Of the file whose name it took, when that had no other.
    ///   - publishedAt: Cut to ``RecordBounds/times``.
    package init(
        container: String, stamp: FileStamp, replaced: FileStamp? = nil, publishedAt: Int64
    ) {
        self.container = container
        self.stamp = stamp
        self.replaced = replaced
        self.publishedAt = RecordBounds.clamped(publishedAt)
    }

    var fault: String? {
        if !RecordBounds.isAbsolute(container) { return "container" }
        return RecordBounds.fits(stamp.sizeBytes) ? nil : "sizeBytes"
    }
}

/// One change of one published file, for ``DownloadStore/changePublished(_:now:)``.
package enum PublishedChange: Hashable, Sendable {
    /// It is about to be removed; not for one that is pinned or being removed.
    case purging(Int64)

    /// It was not removed after all.
    case back(Int64)

    /// It is gone, or the app's own.
    case forgotten(Int64)

    /// It lies there, and has this access time: ``PublishedFile/lastUse(accessed:now:)``.
    case seen(Int64, path: String, lastUsed: Int64)

    /// Whether it has to stay; not for one that is being removed.
    case pinned(Int64, Bool)

    /// A file whose row was lost, without its digest; not when there is one of its unique
    /// identifier.
    case rebuilt(PublishedFile)

    /// The name of the value that is out of bounds, or nil.
    var fault: String? {
        switch self {
        case .seen(_, let path, _): RecordBounds.isInside(path) ? nil : "path '\(path)'"
        case .rebuilt(let file): RecordBounds.fault(in: file)
        case .purging, .back, .forgotten, .pinned: nil
        }
    }
}

extension RecordBounds {
    /// Seconds since 1970, to the end of the year 9999.
    package static let times: ClosedRange<Int64> = 0...253_402_300_799

    /// 2026 began then; no host of today runs before it.
    package static let earliestNow: Int64 = 1_767_225_600

    /// The first field of `file` that is out of bounds, or nil.
    package static func fault(in file: PublishedFile) -> String? {
        let checks: [(String, Bool)] = [
            ("rowID", file.rowID >= 0),
            ("app", isName(file.app)),
            ("identifier", isName(file.identifier)),
            ("uniqueIdentifier", isUUID(file.uniqueIdentifier)),
            ("container", isAbsolute(file.container)),
            ("path", isInside(file.path)),
            ("sizeBytes", fits(file.stamp.sizeBytes)),
            ("publishedAt", times.contains(file.publishedAt)),
            ("lastUsed", times.contains(file.lastUsed)),
            ("sha256", isDigest(file.sha256)),
        ]
        return checks.first { !$0.1 }?.0
    }

    static func isAbsolute(_ path: String) -> Bool {
        // By bytes: "/" and a combining mark are one character.
        path.utf8.first == UInt8(ascii: "/") && pathLength.contains(path.utf8.count)
            && !path.utf8.contains(0)
    }

    static func clamped(_ seconds: Int64) -> Int64 {
        min(max(seconds, times.lowerBound), times.upperBound)
    }
}
