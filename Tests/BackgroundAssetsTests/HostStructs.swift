import CPluginSDK
import Foundation

/// Makes the host's structs and keeps their texts until the end of the process.
enum HostStructs {
    static func text(_ text: String?) -> UnsafePointer<CChar>? {
        unsafe text.flatMap { unsafe UnsafePointer(strdup($0)) }
    }

    static func app(
        group: String = "group.tests", container: String? = "/c", plain: Int64 = -1,
        essential: Int64 = -1
    ) -> bahost_app_info {
        var app = unsafe bahost_app_info()
        unsafe app.struct_size = UInt32(MemoryLayout<bahost_app_info>.size)
        unsafe app.flags = BAHOST_APP_RESTRICTED
        unsafe app.app_identifier = text("org.example.app")
        unsafe app.app_version = text("2.0")
        unsafe app.previous_version = text("1.9")
        unsafe app.group = text(group)
        unsafe app.container_path = text(container)
        unsafe app.cache_path = text("/c/Library/Caches")
        unsafe app.language = text("pt-BR")
        unsafe app.restricted_bytes_remaining = plain
        unsafe app.restricted_essential_bytes_remaining = essential
        return unsafe app
    }

    /// Runs a body with a content request for the app.
    static func withContent<Value>(
        _ app: bahost_app_info = unsafe HostStructs.app(), manifest: String? = "/m/manifest.json",
        changing change: (inout bahost_content_request) -> Void = { _ in },
        _ body: (UnsafePointer<bahost_content_request>) throws -> Value
    ) rethrows -> Value {
        try unsafe withUnsafePointer(to: app) { app in
            var content = unsafe bahost_content_request()
            unsafe content.struct_size = UInt32(MemoryLayout<bahost_content_request>.size)
            unsafe content.kind = BAHOST_CONTENT_INSTALL
            unsafe content.manifest_path = text(manifest)
            unsafe content.app = app
            unsafe change(&content)
            return try unsafe withUnsafePointer(to: content) { try unsafe body($0) }
        }
    }

    static func download(
        _ identifier: String? = "level-1", kind: UInt32 = BAHOST_KIND_URL, essential: Bool = false
    ) -> bahost_download {
        var download = unsafe bahost_download()
        unsafe download.struct_size = UInt32(MemoryLayout<bahost_download>.size)
        unsafe download.flags = essential ? BAHOST_DOWNLOAD_ESSENTIAL : 0
        unsafe download.state = BAHOST_STATE_FINISHED
        unsafe download.kind = kind
        unsafe download.identifier = text(identifier)
        unsafe download.unique_identifier = text("unique-1")
        unsafe download.url = text("https://example.com/a")
        unsafe download.group = text("group.tests")
        unsafe download.size_bytes = 4096
        unsafe download.received_bytes = 4000
        unsafe download.priority = -3
        return unsafe download
    }

    static func error(
        domain: UInt32, code: Int32, status: Int32 = 0, message: String? = "it broke"
    ) -> bahost_error {
        var error = unsafe bahost_error()
        unsafe error.struct_size = UInt32(MemoryLayout<bahost_error>.size)
        unsafe error.domain = domain
        unsafe error.code = code
        unsafe error.http_status = status
        unsafe error.message = text(message)
        return unsafe error
    }
}

/// The entry points as a caller that may pass NULL sees them.
enum NullableEntries {
    typealias Content =
        @convention(c) (UnsafePointer<bahost_host>?, UnsafePointer<bahost_content_request>?) ->
        Int32
    typealias Finished =
        @convention(c) (
            UnsafePointer<bahost_host>?, UnsafePointer<bahost_download>?, UnsafePointer<CChar>?
        ) -> Int32
    typealias Failed =
        @convention(c) (
            UnsafePointer<bahost_host>?, UnsafePointer<bahost_download>?,
            UnsafePointer<bahost_error>?
        ) -> Int32
    typealias Should =
        @convention(c) (UnsafePointer<bahost_host>?, UnsafePointer<bahost_asset_pack>?) -> Int32

    // SAFETY: the same functions; only the word of the importer about NULL differs.
    static var install: Content {
        let entry:
            @convention(c) (UnsafePointer<bahost_host>, UnsafePointer<bahost_content_request>) ->
                Int32 = unsafe bahost_install
        return unsafe unsafeBitCast(entry, to: Content.self)
    }

    static var finished: Finished {
        let entry:
            @convention(c) (
                UnsafePointer<bahost_host>, UnsafePointer<bahost_download>, UnsafePointer<CChar>
            ) -> Int32 = unsafe bahost_download_finished
        return unsafe unsafeBitCast(entry, to: Finished.self)
    }

    static var failed: Failed {
        let entry:
            @convention(c) (
                UnsafePointer<bahost_host>, UnsafePointer<bahost_download>,
                UnsafePointer<bahost_error>
            ) -> Int32 = unsafe bahost_download_failed
        return unsafe unsafeBitCast(entry, to: Failed.self)
    }

    static var should: Should {
        let entry:
            @convention(c) (UnsafePointer<bahost_host>, UnsafePointer<bahost_asset_pack>) -> Int32 =
                unsafe bahost_should_download
        return unsafe unsafeBitCast(entry, to: Should.self)
    }
}
