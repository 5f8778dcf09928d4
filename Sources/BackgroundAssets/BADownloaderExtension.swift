public import Foundation

#if canImport(FoundationNetworking)
    @_weakLinked public import FoundationNetworking
#endif

/// What an app's downloader extension does.
///
/// Conform a type to it, mark it `@main`, and build it as a dynamic library: that library is the
/// plugin the host runs. Every function has a default, so write only those that matter.
///
/// ```swift
/// @main
/// struct Levels: BADownloaderExtension {
///     func downloads(
///         for request: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
///     ) -> Set<BADownload> {
///         [BAURLDownload(identifier: "level-1", url: levelOne, essential: true, fileSize: 4096)]
///     }
/// }
/// ```
///
/// A class must be final, or write its `init()` as `required`.
///
/// The functions run in a confined process, one at a time, with little memory and time; what they
/// print ends up in the run's log. One object lives for a batch: the first call and the completions
/// that can be delivered after it. State that must last belongs into files in the container.
///
/// Source: Apple's `BADownloaderExtension`; `bahost/plugin.h` of the SDK.
public protocol BADownloaderExtension {
    /// Makes the extension; called before its first function.
    init()

    /// Says what is to be downloaded.
    ///
    /// While this runs, ``BADownloadManager`` refuses to schedule (50): what is returned counts. A
    /// download that the host refuses is named in the run's log, with its code; the others go on.
    ///
    /// - Parameters:
    ///   - request: Why the extension was woken.
    ///   - manifestURL: The app's manifest, a local file, read-only and gone after the return. For
    ///     an app without a manifest, a place where no file is.
    ///   - extensionInfo: The app and its allowances.
    /// - Returns: Every download wanted now. Essential ones go first, then by priority.
    func downloads(
        for request: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload>

    /// Takes a finished file, whose size and hash have been checked.
    ///
    /// Move it into `Library` of the container before returning: what still lies at `fileURL` then
    /// is removed. Without this function the file stays where it is, and may be purged when space
    /// runs short.
    ///
    /// - Parameters:
    ///   - finishedDownload: The download.
    ///   - fileURL: The file, in `Downloads` of the container.
    func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL)

    /// The same under the name that is found in some articles; only one of the two is needed.
    ///
    /// - Parameters:
    ///   - finishedDownload: The download.
    ///   - fileURL: The file, in `Downloads` of the container.
    func backgroundDownload(_ finishedDownload: BADownload, didFinishDownloadingTo fileURL: URL)

    /// Hears of a download that has failed for good: its retries are used up, or it was refused.
    ///
    /// The same identifier may be scheduled again at once, such as
    /// ``BADownload/removingEssential()``. The app's manifest, which the host fetches itself, is
    /// told of here too; its type is not exactly `BAURLDownload`.
    ///
    /// - Parameters:
    ///   - failedDownload: The download.
    ///   - error: A ``BAError`` or a ``BATransferError``.
    func backgroundDownload(_ failedDownload: BADownload, failedWithError error: any Error)

    /// Answers a server that asks for credentials. Declared so that extensions written for Apple's
    /// systems build; this host does not call it yet and handles every challenge by default.
    ///
    /// - Parameters:
    ///   - download: The download.
    ///   - challenge: What the server asks.
    /// - Returns: What to do, and the credential to use.
    func backgroundDownload(
        _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
    )
        async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Hears that the process will be killed half a second from now. Advisory: it may never come.
    ///
    /// Runs on a thread of its own, beside whatever function is running.
    func extensionWillTerminate()

    /// The install request under its name in the first beta of 2022.
    ///
    /// Schedules by ``BADownloadManager/schedule(_:)``. Called only in an extension without
    /// `downloads(for:manifestURL:extensionInfo:)`.
    ///
    /// - Parameter metadata: The app and its allowances.
    func applicationDidInstall(metadata: BAAppExtensionInfo)

    /// The update request under its name in the first beta of 2022; as
    /// ``applicationDidInstall(metadata:)``.
    ///
    /// - Parameter metadata: The app and its allowances.
    func applicationDidUpdate(metadata: BAAppExtensionInfo)

    /// The periodic request under its name in the first beta of 2022; as
    /// ``applicationDidInstall(metadata:)``.
    ///
    /// - Parameter metadata: The app and its allowances.
    func checkForUpdates(metadata: BAAppExtensionInfo)
}

extension BADownloaderExtension {
    /// Registers the type.
    ///
    /// `@main` calls it when the host has loaded the library; nobody else need.
    public static func main() {
        ExtensionRegistry.shared.register { Self() }
    }

    /// Wants nothing, but gives an extension with the names of 2022 its turn.
    public func downloads(
        for request: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        RunState.shared.whileSchedulingIsAllowed {
            switch request {
            case .install: applicationDidInstall(metadata: extensionInfo)
            case .update: applicationDidUpdate(metadata: extensionInfo)
            case .periodic: checkForUpdates(metadata: extensionInfo)
            }
        }
        return []
    }

    /// Hands on to the function of the other name.
    public func backgroundDownload(
        _ finishedDownload: BADownload, finishedWithFileURL fileURL: URL
    ) {
        backgroundDownload(finishedDownload, didFinishDownloadingTo: fileURL)
    }

    /// Leaves the file where it is.
    public func backgroundDownload(
        _ finishedDownload: BADownload, didFinishDownloadingTo fileURL: URL
    ) {
        RunState.shared.keepFinishedFile()
    }

    /// Does nothing.
    public func backgroundDownload(
        _ failedDownload: BADownload, failedWithError error: any Error
    ) {}

    /// Leaves the challenge to the host.
    public func backgroundDownload(
        _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }

    /// Does nothing.
    public func extensionWillTerminate() {}

    /// Does nothing.
    public func applicationDidInstall(metadata: BAAppExtensionInfo) {}

    /// Does nothing.
    public func applicationDidUpdate(metadata: BAAppExtensionInfo) {}

    /// Does nothing.
    public func checkForUpdates(metadata: BAAppExtensionInfo) {}
}
