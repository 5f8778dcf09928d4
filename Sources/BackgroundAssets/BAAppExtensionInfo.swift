public import Foundation

/// The app whose extension runs, and what it may still download before its first launch.
///
/// Source: Apple's `BAAppExtensionInfo` (the two sizes); `bahost_app_info` in `bahost/types.h` (the
/// rest).
public struct BAAppExtensionInfo: Hashable, Sendable {
    /// Bytes of plain downloads still allowed before the first launch, 0 and up; nil when the app
    /// is not restricted.
    public var restrictedDownloadSizeRemaining: NSNumber? {
        restrictedBytes.map { NSNumber(value: $0) }
    }

    /// Bytes of essential downloads still allowed before the first launch, 0 and up; nil when the
    /// app is not restricted.
    public var restrictedEssentialDownloadSizeRemaining: NSNumber? {
        restrictedEssentialBytes.map { NSNumber(value: $0) }
    }

    /// The app's `CFBundleIdentifier`.
    public let applicationIdentifier: String
    /// The app's version; nil when the host does not know it.
    public let applicationVersion: String?
    /// The version before an update; nil otherwise.
    public let previousApplicationVersion: String?
    /// The app's first group.
    public let applicationGroupIdentifier: String
    /// The group's folder.
    ///
    /// Writable in it: `Downloads`, `Library`, `tmp`.
    public let containerURL: URL
    /// A folder in the container that the host may empty when space runs short.
    public let cachesURL: URL
    /// The user's language, BCP 47; nil when it is not known.
    public let languageIdentifier: String?
    /// Whether domain list and allowances are in force: the app has not been launched yet.
    public let isRestricted: Bool
    /// Whether the host is in developer mode.
    public let isDeveloperMode: Bool

    let restrictedBytes: Int64?
    let restrictedEssentialBytes: Int64?
}

/// The name of ``BAAppExtensionInfo`` in the first beta of 2022.
public typealias BAApplicationExtensionInfo = BAAppExtensionInfo
