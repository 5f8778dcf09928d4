/// The domain of ``BAError`` when it is seen as an `NSError`, as Apple's logs spell it.
public let BAErrorDomain = "com.apple.backgroundassets.error"

/// A number that says why a call of ``BADownloadManager`` or a download failed.
///
/// Numbers below 1000 are Apple's, with Apple's meaning; numbers from 1000 are this host's own. The
/// list is open: a newer host may send a number that has no name here.
///
/// `catch BAErrorCode.downloadAlreadyScheduled` works on errors thrown by this module.
///
/// Source: Apple's `BAErrorCode`; `bahost/status.h` of the SDK.
public struct BAErrorCode: RawRepresentable, Hashable, Sendable {
    /// The number, as `NSError.code` shows it.
    public let rawValue: Int

    /// Wraps a number; any value.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

// MARK: - Apple's numbers

extension BAErrorCode {
    /// 0: the download cannot be used.
    ///
    /// No address, a method other than GET, a size below zero.
    public static let downloadInvalid = Self(rawValue: 0)
    /// 50: not for extensions (a foreground download), or not while `downloads(for:)` runs.
    public static let callFromExtensionNotAllowed = Self(rawValue: 50)
    /// 51: an app in the background asked for a foreground download.
    public static let callFromInactiveProcessNotAllowed = Self(rawValue: 51)
    /// 55: the host does not accept this caller.
    public static let callerConnectionNotAccepted = Self(rawValue: 55)
    /// 56: there is no host to ask: the code runs neither in an extension nor beside a host.
    public static let callerConnectionInvalid = Self(rawValue: 56)
    /// 100: a download of this identifier is queued or in transfer already.
    public static let downloadAlreadyScheduled = Self(rawValue: 100)
    /// 101: nothing of this identifier is queued or in transfer.
    public static let downloadNotScheduled = Self(rawValue: 101)
    /// 102: a local reason kept the download from starting: no space, no folder.
    public static let downloadFailedToStart = Self(rawValue: 102)
    /// 103: the download has failed already.
    public static let downloadAlreadyFailed = Self(rawValue: 103)
    /// 109: essential downloads are possible only for an install or update request.
    public static let downloadEssentialDownloadNotPermitted = Self(rawValue: 109)
    /// 111: power saver is on, or background refresh is off.
    public static let downloadBackgroundActivityProhibited = Self(rawValue: 111)
    /// 112: with this download the app would pass its allowance.
    public static let downloadWouldExceedAllowance = Self(rawValue: 112)
    /// 113: the host has never heard of this download.
    public static let downloadDoesNotExist = Self(rawValue: 113)
    /// 202: before the app's first launch only hosts on its domain list are allowed.
    public static let sessionDownloadDisallowedByDomain = Self(rawValue: 202)
    /// 203: the allowance was used up when the transfer was to start.
    public static let sessionDownloadDisallowedByAllowance = Self(rawValue: 203)
    /// 204: the transfer went past the allowance.
    public static let sessionDownloadAllowanceExceeded = Self(rawValue: 204)
    /// 206: foreground downloads must wait for the app's first launch.
    public static let sessionDownloadNotPermittedBeforeAppLaunch = Self(rawValue: 206)
}

// MARK: - This host's own numbers

extension BAErrorCode {
    /// 1000: a number out of its range, or a request header that is the host's own.
    public static let hostBadArgument = Self(rawValue: 1000)
    /// 1001: the run has used up its requests, or the app its downloads.
    public static let hostTooManyRequests = Self(rawValue: 1001)
    /// 1002: a text is longer than its bound, empty, or not UTF-8.
    public static let hostBadString = Self(rawValue: 1002)
    /// 1003: the scheme or the form of the address is refused.
    public static let hostURLRefused = Self(rawValue: 1003)
    /// 1004: exclusive control was not to be had before the deadline.
    public static let hostLeaseDeadline = Self(rawValue: 1004)
    /// 1005: there is not enough free space.
    public static let hostNoSpace = Self(rawValue: 1005)
    /// 1006: the call is not possible at this point of the run.
    public static let hostNotAllowedNow = Self(rawValue: 1006)
    /// 1007: this host does not have the feature that was asked for.
    public static let hostNoFeature = Self(rawValue: 1007)
    /// 1008: the group is not one of the app's.
    public static let hostGroupNotYours = Self(rawValue: 1008)
    /// 1009: the group's quota does not hold the download.
    public static let hostGroupQuota = Self(rawValue: 1009)
    /// 1010: the host name resolved to an address that is not allowed.
    public static let hostAddressNotAllowed = Self(rawValue: 1010)
}

extension BAErrorCode: CustomStringConvertible {
    /// The number and, where it has one, its name: `112 (downloadWouldExceedAllowance)`.
    public var description: String {
        Self.names[rawValue].map { "\(rawValue) (\($0))" } ?? "\(rawValue)"
    }

    private static let names: [Int: String] = [
        0: "downloadInvalid", 50: "callFromExtensionNotAllowed",
        51: "callFromInactiveProcessNotAllowed", 55: "callerConnectionNotAccepted",
        56: "callerConnectionInvalid", 100: "downloadAlreadyScheduled",
        101: "downloadNotScheduled", 102: "downloadFailedToStart", 103: "downloadAlreadyFailed",
        109: "downloadEssentialDownloadNotPermitted",
        111: "downloadBackgroundActivityProhibited", 112: "downloadWouldExceedAllowance",
        113: "downloadDoesNotExist", 202: "sessionDownloadDisallowedByDomain",
        203: "sessionDownloadDisallowedByAllowance", 204: "sessionDownloadAllowanceExceeded",
        206: "sessionDownloadNotPermittedBeforeAppLaunch", 1000: "bad argument",
        1001: "too many requests", 1002: "text too long or not UTF-8", 1003: "address refused",
        1004: "exclusive control not to be had in time", 1005: "not enough free space",
        1006: "not allowed now", 1007: "feature not present", 1008: "group not yours",
        1009: "quota of the group", 1010: "address not allowed",
    ]
}
