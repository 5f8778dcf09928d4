internal import Foundation

// All stored properties are constants of Sendable types; @unchecked only because it has subclasses.

/// Something that is to be downloaded, or is being, or was.
///
/// A value read once: an object does not change when the host goes on with its download. Ask
/// ``BADownloadManager/currentDownloads`` for fresh ones. Two objects are equal when their
/// ``uniqueIdentifier`` is the same.
///
/// Make a ``BAURLDownload``; this class itself cannot be created.
///
/// Source: Apple's `BADownload`; `bahost_download` in `bahost/types.h`.
public class BADownload: @unchecked Sendable {
    /// Where a download stands, with Apple's numbers.
    public enum State: Int, Hashable, Sendable {
        /// It has failed, or was cancelled.
        case failed = -1
        /// It has not been handed to the host.
        case created = 0
        /// It is queued, or paused.
        case waiting = 1
        /// Its bytes are coming in.
        case downloading = 2
        /// The whole file is there and has been checked.
        case finished = 3
    }

    /// The order among the downloads of one app: higher goes first.
    ///
    /// Any number is possible.
    public struct Priority: RawRepresentable, Hashable, Comparable, Sendable {
        /// The number.
        public let rawValue: Int

        /// Wraps a number; any value.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Wraps a number; any value.
        public init(_ rawValue: Int) {
            self.rawValue = rawValue
        }

        /// -1000.
        public static let min = Self(rawValue: -1000)
        /// 0.
        public static let `default` = Self(rawValue: 0)
        /// 1000.
        public static let max = Self(rawValue: 1000)

        /// Compares the numbers.
        public static func < (left: Self, right: Self) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// Where the download stood when this object was made.
    public let state: State
    /// The app's own name for it, unique among its downloads.
    ///
    /// 1 to 255 bytes of UTF-8.
    public let identifier: String
    /// The name of this one object: another one for each scheduling of the same identifier.
    public let uniqueIdentifier: String
    /// Its place in the order of the app's downloads.
    public let priority: Priority
    /// Whether the app cannot be launched before this is there.
    public let isEssential: Bool

    init(
        identifier: String, priority: Priority, isEssential: Bool, state: State = .created,
        uniqueIdentifier: String = UUID().uuidString
    ) {
        self.identifier = identifier
        self.priority = priority
        self.isEssential = isEssential
        self.state = state
        self.uniqueIdentifier = uniqueIdentifier
    }

    /// Makes the same download once more, plain instead of essential, with a new
    /// ``uniqueIdentifier``.
    ///
    /// What a failed essential download is asked for again as. Of a download that came from the
    /// host, request headers, mirrors and hash are not known and so not in the copy.
    public func removingEssential() -> BADownload {
        BADownload(identifier: identifier, priority: priority, isEssential: false)
    }
}

extension BADownload: Hashable {
    /// Compares ``uniqueIdentifier``.
    public static func == (left: BADownload, right: BADownload) -> Bool {
        left.uniqueIdentifier == right.uniqueIdentifier
    }

    /// Hashes ``uniqueIdentifier``.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uniqueIdentifier)
    }
}

extension BADownload: CustomStringConvertible {
    /// Type, identifier and state, for a log.
    public var description: String {
        "\(type(of: self))(\"\(identifier)\", \(state)\(isEssential ? ", essential" : ""))"
    }
}
