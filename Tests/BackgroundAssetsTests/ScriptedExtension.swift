import BackgroundAssets
import Synchronization

/// An extension that does what the test has written.
struct ScriptedExtension: ManagedDownloaderExtension {
    struct Script: Sendable {
        var downloads: @Sendable (BAContentRequest, URL, BAAppExtensionInfo) -> Set<BADownload> = {
            _, _, _ in
            []
        }
        var finished: @Sendable (BADownload, URL) -> Void = { _, _ in }
        var failed: @Sendable (BADownload, any Error) -> Void = { _, _ in }
        var should: @Sendable (AssetPack) -> Bool = { _ in true }
        var terminate: @Sendable () -> Void = {}
    }

    private static let script = Mutex(Script())

    /// Registers the extension with a script, as `@main` would.
    static func register(_ script: Script) {
        Self.script.withLock { $0 = script }
        ScriptedExtension.main()
    }

    private let script = Self.script.withLock { $0 }

    func downloads(
        for request: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        script.downloads(request, manifestURL, extensionInfo)
    }

    func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL) {
        script.finished(finishedDownload, fileURL)
    }

    func backgroundDownload(_ failedDownload: BADownload, failedWithError error: any Error) {
        script.failed(failedDownload, error)
    }

    func shouldDownload(_ assetPack: AssetPack) -> Bool { script.should(assetPack) }

    func extensionWillTerminate() { script.terminate() }
}

/// An extension that leaves everything to the defaults.
struct SilentExtension: BADownloaderExtension {}

/// The other shape of an extension.
final class ClassExtension: NSObject, BADownloaderExtension {
    func backgroundDownload(_ download: BADownload, didFinishDownloadingTo fileURL: URL) {
        print("\(download.identifier) is at \(fileURL.path)")
    }
}

/// An extension with the names of 2022.
struct FirstBetaExtension: BADownloaderExtension {
    func applicationDidInstall(metadata: BAApplicationExtensionInfo) {
        try? BADownloadManager.shared.schedule(
            BAURLDownload(
                identifier: "beta", request: URLRequest(url: URL(fileURLWithPath: "/a")),
                applicationGroupIdentifier: metadata.applicationGroupIdentifier))
    }
}

/// Something that tasks may write and the test reads later.
final class Cell<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    init(_ value: Value) { stored = Mutex(value) }

    var value: Value {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
