internal import CPluginSDK
internal import Foundation

/// The way to the host: schedules, lists and cancels downloads of the app.
///
/// Inside an extension it can be used from any thread while one of the extension's functions runs;
/// a call still running when that function returns is waited for. Everywhere else each call throws
/// `BAErrorCode.callerConnectionInvalid`. No call traps.
///
/// Source: Apple's `BADownloadManager`; `bahost/host.h` of the SDK.
public final class BADownloadManager: Sendable {
    /// The only one.
    public static let shared = BADownloadManager()

    let lease = ExclusiveLease()

    private init() {}

    /// The host of the call that is on the stack.
    ///
    /// - Throws: `BAError` with `callerConnectionInvalid` outside an extension's call.
    func host() throws -> HostTable {
        guard let host = RunState.shared.host else {
            throw BAError(
                .callerConnectionInvalid,
                message: "there is no host: no function of an extension is running")
        }
        return host
    }

    /// Asks for a download in the background; the host picks the time.
    ///
    /// - Parameter download: A ``BAURLDownload``.
    /// - Throws: ``BAError``: 50 while `downloads(for:)` runs, 56 outside an extension, 0 for a
    ///   download that cannot be asked for, else the host's answer.
    public func scheduleDownload(_ download: BADownload) throws {
        let host = try host()
        guard !RunState.shared.refusesScheduling else {
            throw BAError(
                .callFromExtensionNotAllowed,
                message: "while downloads(for:) runs, only what it returns is downloaded")
        }
        guard let download = download as? BAURLDownload else {
            throw BAError(
                .downloadInvalid, message: "download \"\(download.identifier)\" has no address")
        }
        try RunState.shared.whileCalling { try download.hand(to: host) }
    }

    /// ``scheduleDownload(_:)`` under its name of 2022.
    ///
    /// - Parameter download: A ``BAURLDownload``.
    /// - Throws: As ``scheduleDownload(_:)``.
    public func schedule(_ download: BADownload) throws {
        try scheduleDownload(download)
    }

    /// Not for extensions: a foreground download needs someone who waits for it.
    ///
    /// - Parameter download: Any download.
    /// - Throws: Always ``BAError``: 50 inside an extension, 56 elsewhere.
    public func startForegroundDownload(_ download: BADownload) throws {
        _ = try host()
        throw BAError(
            .callFromExtensionNotAllowed, message: "an extension cannot download in the foreground")
    }

    /// Cancels a download that is waiting or in transfer, by its identifier.
    ///
    /// Its partial file goes.
    ///
    /// - Parameter download: Any download.
    /// - Throws: ``BAError``: 101 for one never scheduled or finished, 103 for one that has failed,
    ///   56 outside an extension.
    public func cancel(_ download: BADownload) throws {
        let host = try host()
        guard !download.identifier.utf8.contains(0) else {
            throw BAError(.downloadNotScheduled, message: "the identifier holds a NUL")
        }
        let status = RunState.shared.whileCalling { host.cancel(download.identifier) }
        let message = "download \"\(download.identifier)\""
        if let error = BAError(hostStatus: status, message: message) { throw error }
    }

    /// The app's downloads that are not finished, in the order of their identifiers.
    public var currentDownloads: [BADownload] {
        get async throws { try fetchCurrentDownloads() }
    }

    /// Fetches the app's downloads that are not finished, in the order of their identifiers.
    ///
    /// May take a moment.
    ///
    /// - Returns: The downloads; those asked for with an address are ``BAURLDownload``.
    /// - Throws: ``BAError``: 56 outside an extension, else the host's answer.
    public func fetchCurrentDownloads() throws -> [BADownload] {
        let host = try host()
        return try RunState.shared.whileCalling { try DownloadPages(host: host).all() }
    }

    /// Fetches the app's downloads that are not finished and hands them to a function, at once, on
    /// the calling thread.
    ///
    /// - Parameter completionHandler: Gets the downloads and nil, or an empty array and why not.
    public func fetchCurrentDownloads(
        completionHandler: ([BADownload], (any Error)?) -> Void
    ) {
        do {
            completionHandler(try fetchCurrentDownloads(), nil)
        } catch {
            completionHandler([], error)
        }
    }
}
