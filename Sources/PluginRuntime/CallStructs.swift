internal import CPluginSDK
internal import WireProtocol

/// Where the files of a run are, as the plugin is told.
struct CallPaths {
    let container: String
    let manifest: String?

    var cache: String { container + "/Library/Caches" }
}

extension CallArena {
    func app(_ app: AppDescription, _ paths: CallPaths) -> UnsafePointer<bahost_app_info> {
        var info = unsafe bahost_app_info()
        unsafe info.struct_size = UInt32(MemoryLayout<bahost_app_info>.size)
        unsafe info.flags = (app.isRestricted ? 1 : 0) | (app.isDeveloper ? 2 : 0)
        unsafe info.app_identifier = text(app.identifier)
        unsafe info.app_version = known(app.version)
        unsafe info.previous_version = known(app.previousVersion)
        unsafe info.group = text(app.group)
        unsafe info.container_path = text(paths.container)
        unsafe info.cache_path = text(paths.cache)
        unsafe info.language = known(app.language)
        unsafe info.restricted_bytes_remaining = app.restrictedBytesRemaining
        unsafe info.restricted_essential_bytes_remaining = app.restrictedEssentialBytesRemaining
        return unsafe value(info)
    }

    func contentRequest(
        _ entry: EntryPoint, _ app: AppDescription, manifestBytes: UInt64, _ paths: CallPaths
    ) -> UnsafePointer<bahost_content_request> {
        var request = unsafe bahost_content_request()
        unsafe request.struct_size = UInt32(MemoryLayout<bahost_content_request>.size)
        unsafe request.kind = entry == .install ? 1 : entry == .update ? 2 : 3
        unsafe request.manifest_path = text(paths.manifest)
        unsafe request.manifest_size = paths.manifest == nil ? 0 : manifestBytes
        unsafe request.app = self.app(app, paths)
        return unsafe value(request)
    }

    func download(_ download: DownloadDescription) -> bahost_download {
        var result = unsafe bahost_download()
        unsafe result.struct_size = UInt32(MemoryLayout<bahost_download>.size)
        unsafe result.flags = (download.isEssential ? 1 : 0) | (download.isForeground ? 2 : 0)
        unsafe result.state = download.state
        unsafe result.kind = download.kind
        unsafe result.identifier = text(download.identifier)
        unsafe result.unique_identifier = text(download.uniqueIdentifier)
        unsafe result.url = text(download.url)
        unsafe result.group = text(download.group)
        unsafe result.size_bytes = download.sizeBytes
        unsafe result.received_bytes = download.receivedBytes
        unsafe result.priority = download.priority
        return unsafe result
    }

    func assetPack(_ pack: AssetPackDescription) -> UnsafePointer<bahost_asset_pack> {
        var result = unsafe bahost_asset_pack()
        unsafe result.struct_size = UInt32(MemoryLayout<bahost_asset_pack>.size)
        unsafe result.flags = pack.isUpdate ? 1 : 0
        unsafe result.identifier = text(pack.identifier)
        unsafe result.version = pack.version
        unsafe result.local_version = pack.localVersion
        unsafe result.download_bytes = pack.downloadBytes
        unsafe result.installed_bytes = pack.installedBytes
        unsafe result.policy = UInt32(pack.policy.rawValue)
        unsafe result.installation_events =
            (pack.appliesToFirstInstallation ? 1 : 0) | (pack.appliesToSubsequentUpdate ? 2 : 0)
        unsafe result.language = known(pack.language)
        unsafe result.user_info.data = bytes(pack.userInfo)
        unsafe result.user_info.length = UInt64(pack.userInfo.count)
        return unsafe value(result)
    }

    func error(_ error: ErrorDescription) -> UnsafePointer<bahost_error> {
        var result = unsafe bahost_error()
        unsafe result.struct_size = UInt32(MemoryLayout<bahost_error>.size)
        unsafe result.domain = error.domain
        unsafe result.code = error.code
        unsafe result.http_status = error.httpStatus
        unsafe result.message = text(error.message)
        return unsafe value(result)
    }
}
