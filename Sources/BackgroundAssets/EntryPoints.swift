package import CPluginSDK
internal import Foundation

// The functions the host finds in the library; `bahost/plugin.h` says what each promises. They turn
// C into Swift, call the extension, and give the answer back. None traps on what it is given.

/// Negative numbers an entry point returns when the extension could not be asked.
enum EntryFault {
    /// The library's `main` registered nothing.
    static let noExtension: Int32 = -1000
    /// A pointer was NULL, or a struct lacked what it must hold.
    static let unreadable: Int32 = -1001
}

/// Runs one call into the extension, with the host at hand, and waits for what it began.
private func enter(
    _ host: UnsafePointer<bahost_host>?,
    _ body: (any BADownloaderExtension, HostTable) -> Int32?
) -> Int32 {
    guard let table = unsafe HostTable(host) else { return EntryFault.unreadable }
    RunState.shared.begin(table)
    defer {
        // The worker ends without closing stdio: what was printed must be out.
        fflush(nil)
        RunState.shared.end()
    }
    guard let downloader = ExtensionRegistry.shared.instance() else {
        table.log(.error, "no extension is registered: is a type marked @main?")
        return EntryFault.noExtension
    }
    guard let status = body(downloader, table) else {
        table.log(.error, "the host's call could not be read")
        return EntryFault.unreadable
    }
    MainRunLoop.run { RunState.shared.hasOpenCalls }
    return status
}

private func enterContent(
    _ kind: BAContentRequest, _ host: UnsafePointer<bahost_host>?,
    _ request: UnsafePointer<bahost_content_request>?
) -> Int32 {
    unsafe enter(host) { downloader, table in
        guard let content = unsafe ContentRequestValue(request) else { return nil }
        let info = content.info
        RunState.shared.learn(
            container: info.containerURL.path, ofGroup: info.applicationGroupIdentifier)
        let none = info.containerURL.appendingPathComponent("tmp/no-manifest", isDirectory: false)
        let manifest = content.manifestPath.map { URL(fileURLWithPath: $0, isDirectory: false) }
        let wanted = RunState.shared.whileSchedulingIsRefused {
            downloader.downloads(for: kind, manifestURL: manifest ?? none, extensionInfo: info)
        }
        for download in wanted.inHandoverOrder() {
            handOver(download, to: table)
        }
        return 0
    }
}

/// Asks for one download; a refusal is told in the log and keeps nobody else from going on.
private func handOver(_ download: BADownload, to table: HostTable) {
    do {
        guard let download = download as? BAURLDownload else {
            throw BAError(
                .downloadInvalid, message: "download \"\(download.identifier)\" has no address")
        }
        try download.hand(to: table)
    } catch {
        table.log(.warning, "refused: \(error)")
    }
}

@c(bahost_install)
package func installEntry(
    _ host: UnsafePointer<bahost_host>?, _ request: UnsafePointer<bahost_content_request>?
) -> Int32 {
    unsafe enterContent(.install, host, request)
}

@c(bahost_update)
package func updateEntry(
    _ host: UnsafePointer<bahost_host>?, _ request: UnsafePointer<bahost_content_request>?
) -> Int32 {
    unsafe enterContent(.update, host, request)
}

@c(bahost_check_for_updates)
package func checkForUpdatesEntry(
    _ host: UnsafePointer<bahost_host>?, _ request: UnsafePointer<bahost_content_request>?
) -> Int32 {
    unsafe enterContent(.periodic, host, request)
}

@c(bahost_should_download)
package func shouldDownloadEntry(
    _ host: UnsafePointer<bahost_host>?, _ pack: UnsafePointer<bahost_asset_pack>?
) -> Int32 {
    unsafe enter(host) { downloader, _ in
        guard let pack = unsafe AssetPack(pack) else { return nil }
        guard let managed = downloader as? any ManagedDownloaderExtension else { return 1 }
        return managed.shouldDownload(pack) ? 1 : 0
    }
}

@c(bahost_download_finished)
package func downloadFinishedEntry(
    _ host: UnsafePointer<bahost_host>?, _ download: UnsafePointer<bahost_download>?,
    _ path: UnsafePointer<CChar>?
) -> Int32 {
    unsafe enter(host) { downloader, _ in
        guard let record = unsafe HostStruct(download), let finished = unsafe makeDownload(record),
            let path = unsafe hostPath(path)
        else { return nil }
        if let group = (finished as? BAURLDownload)?.applicationGroupIdentifier,
            let downloads = path.range(of: "/Downloads/", options: .backwards)
        {
            RunState.shared.learn(
                container: String(path[..<downloads.lowerBound]), ofGroup: group)
        }
        downloader.backgroundDownload(
            finished, finishedWithFileURL: URL(fileURLWithPath: path, isDirectory: false))
        return RunState.shared.keepsFinishedFile ? BAHOST_FINISHED_KEEP : BAHOST_FINISHED_DONE
    }
}

@c(bahost_download_failed)
package func downloadFailedEntry(
    _ host: UnsafePointer<bahost_host>?, _ download: UnsafePointer<bahost_download>?,
    _ error: UnsafePointer<bahost_error>?
) -> Int32 {
    unsafe enter(host) { downloader, _ in
        guard let record = unsafe HostStruct(download), let failed = unsafe makeDownload(record),
            let error = unsafe HostStruct(error)
        else { return nil }
        downloader.backgroundDownload(failed, failedWithError: unsafe makeError(error))
        return 0
    }
}

// Default handling: the tag does not ask for the feature, so the host does not call this yet.
@c(bahost_authentication_challenge)
package func authenticationChallengeEntry(
    _ host: UnsafePointer<bahost_host>?, _ download: UnsafePointer<bahost_download>?,
    _ challenge: UnsafePointer<bahost_challenge>?,
    _ reply: UnsafeMutablePointer<bahost_challenge_reply>?
) -> Int32 {
    1
}

// On a thread of its own, beside an entry point: it touches none of that one's state.
@c(bahost_will_terminate)
package func willTerminateEntry(_ host: UnsafePointer<bahost_host>?, _ reason: UInt32) {
    ExtensionRegistry.shared.existingInstance?.extensionWillTerminate()
}
