internal import CPluginSDK
internal import Foundation

// What the host hands over, read into Swift values. Nothing is repaired: what a struct needs and
// does not hold makes the whole value nil.

/// Bounds for reading texts of the host's; above what it ever sends.
private enum TextBound {
    static let identifier = Int(BAHOST_MAX_IDENTIFIER_BYTES)
    static let address = Int(BAHOST_MAX_URL_BYTES)
    static let name = 1024
    static let path = 4096
    static let message = 16384
    static let userInfo: UInt64 = 1 << 20
}

/// An absolute path of the host's; nil when it is not one.
func hostPath(_ pointer: UnsafePointer<CChar>?) -> String? {
    let path = unsafe hostText(pointer, bound: TextBound.path)
    return path?.hasPrefix("/") == true ? path : nil
}

/// A content request: the kind is told by the entry point, so it is not here.
struct ContentRequestValue {
    let manifestPath: String?
    let info: BAAppExtensionInfo

    init?(_ pointer: UnsafePointer<bahost_content_request>?) {
        guard let content = unsafe HostStruct(pointer),
            let app = unsafe HostStruct(unsafe content.read(\.app, missing: nil)),
            let info = unsafe BAAppExtensionInfo(app)
        else { return nil }
        let path = unsafe content.read(\.manifest_path, missing: nil)
        manifestPath = unsafe hostPath(path)
        let hasNone = unsafe path == nil
        guard manifestPath != nil || hasNone else { return nil }
        self.info = info
    }
}

extension BAAppExtensionInfo {
    init?(_ app: HostStruct<bahost_app_info>) {
        guard let identifier = unsafe app.text(\.app_identifier, bound: TextBound.name),
            let group = unsafe app.text(\.group, bound: TextBound.name),
            let container = unsafe hostPath(unsafe app.read(\.container_path, missing: nil))
        else { return nil }
        let caches = unsafe hostPath(unsafe app.read(\.cache_path, missing: nil))
        let plain = unsafe app.read(\.restricted_bytes_remaining, missing: 0)
        let essential = unsafe app.read(\.restricted_essential_bytes_remaining, missing: 0)
        let flags = unsafe app.read(\.flags, missing: 0)
        self.init(
            applicationIdentifier: identifier,
            applicationVersion: unsafe app.text(\.app_version, bound: TextBound.name),
            previousApplicationVersion: unsafe app.text(\.previous_version, bound: TextBound.name),
            applicationGroupIdentifier: group,
            containerURL: URL(fileURLWithPath: container, isDirectory: true),
            cachesURL: URL(
                fileURLWithPath: caches ?? container + "/Library/Caches", isDirectory: true),
            languageIdentifier: unsafe app.text(\.language, bound: TextBound.name),
            isRestricted: flags & BAHOST_APP_RESTRICTED != 0,
            isDeveloperMode: flags & BAHOST_APP_DEVELOPER != 0,
            restrictedBytes: plain < 0 ? nil : plain,
            restrictedEssentialBytes: essential < 0 ? nil : essential)
    }
}

/// The download that a struct of the host's describes; nil without an identifier.
func makeDownload(_ download: HostStruct<bahost_download>) -> BADownload? {
    guard let identifier = unsafe download.text(\.identifier, bound: TextBound.identifier) else {
        return nil
    }
    let priority = BADownload.Priority(Int(clamping: unsafe download.read(\.priority, missing: 0)))
    let isEssential = unsafe download.read(\.flags, missing: 0) & BAHOST_DOWNLOAD_ESSENTIAL != 0
    let state =
        BADownload.State(rawValue: Int(unsafe download.read(\.state, missing: 0))) ?? .created
    let unique =
        unsafe download.text(\.unique_identifier, bound: TextBound.name) ?? UUID().uuidString
    let kind = unsafe download.read(\.kind, missing: BAHOST_KIND_URL)
    guard kind == BAHOST_KIND_URL || kind == BAHOST_KIND_MANIFEST else {
        return BADownload(
            identifier: identifier, priority: priority, isEssential: isEssential, state: state,
            uniqueIdentifier: unique)
    }
    var wish = BAURLDownload.Wish(identifier: identifier)
    wish.url = unsafe download.text(\.url, bound: TextBound.address).flatMap { URL(string: $0) }
    wish.isEssential = isEssential
    wish.fileSize = Int(clamping: unsafe download.read(\.size_bytes, missing: 0))
    wish.group = unsafe download.text(\.group, bound: TextBound.name)
    wish.priority = priority
    let received = unsafe Int(clamping: download.read(\.received_bytes, missing: 0))
    return kind == BAHOST_KIND_MANIFEST
        ? BAManifestDownload(
            wish: wish, state: state, receivedSize: received, uniqueIdentifier: unique)
        : BAURLDownload(
            wish: wish, state: state, receivedSize: received, uniqueIdentifier: unique)
}

/// The error that a struct of the host's describes; one of no known domain is a ``BAError``.
func makeError(_ error: HostStruct<bahost_error>) -> any Error {
    let number = Int(unsafe error.read(\.code, missing: 0))
    let message = unsafe error.text(\.message, bound: TextBound.message) ?? ""
    let kind: BATransferError.Kind
    switch unsafe error.read(\.domain, missing: BAHOST_DOMAIN_APPLE) {
    case BAHOST_DOMAIN_HTTP: kind = .http
    case BAHOST_DOMAIN_TRANSPORT: kind = .transport
    case BAHOST_DOMAIN_ERRNO: kind = .system
    default: return BAError(BAErrorCode(rawValue: number), message: message)
    }
    let status = Int(unsafe error.read(\.http_status, missing: 0))
    return BATransferError(
        kind: kind, number: number, httpStatus: status == 0 ? nil : status, message: message)
}

extension AssetPack {
    /// - Returns: nil for NULL or without an identifier.
    init?(_ pointer: UnsafePointer<bahost_asset_pack>?) {
        guard let pack = unsafe HostStruct(pointer),
            let identifier = unsafe pack.text(\.identifier, bound: TextBound.identifier)
        else { return nil }
        let local = unsafe pack.read(\.local_version, missing: -1)
        let info = unsafe pack.read(\.user_info, missing: bahost_bytes())
        var userInfo: Data?
        if let data = unsafe info.data, unsafe (1...TextBound.userInfo).contains(info.length) {
            // SAFETY: the host gives the length with the bytes; they are copied here.
            userInfo = unsafe Data(bytes: data, count: Int(info.length))
        }
        self.init(
            id: identifier, version: Int(unsafe pack.read(\.version, missing: 0)),
            downloadSize: Int(clamping: unsafe pack.read(\.download_bytes, missing: 0)),
            userInfo: userInfo,
            installedSize: Int(clamping: unsafe pack.read(\.installed_bytes, missing: 0)),
            localVersion: local < 0 ? nil : Int(local),
            languageIdentifier: unsafe pack.text(\.language, bound: TextBound.name))
    }
}
