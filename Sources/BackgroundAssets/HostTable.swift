internal import CPluginSDK
internal import Foundation

/// The host's functions, called with nothing but Swift values.
///
/// A function that this host does not have answers 1007 (`BAHOST_STATUS_NO_FEATURE`).
///
/// Source: `bahost/host.h`.
// The table stays at its place while the worker lives and may be called from any thread.
@safe
struct HostTable: @unchecked Sendable {
    private let pointer: UnsafePointer<bahost_host>
    private var table: HostStruct<bahost_host>

    /// - Returns: nil for NULL, a size too small to be a table, or another major version.
    init?(_ host: UnsafePointer<bahost_host>?) {
        guard let host = unsafe host, let table = unsafe HostStruct(host) else { return nil }
        let major = unsafe table.read(\.abi_major, missing: UInt16.max)
        guard major == UInt16(BAHOST_ABI_MAJOR) else { return nil }
        unsafe pointer = host
        unsafe self.table = table
    }

    /// Writes to the run's log; what is past 4096 bytes the host cuts.
    func log(_ level: LogLevel, _ text: String) {
        guard let log = unsafe table.read(\.log, missing: nil) else { return }
        var text = text
        text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                // SAFETY: the host copies before it returns.
                unsafe log(
                    pointer, level.rawValue, characters.baseAddress, UInt64(characters.count))
            }
        }
    }

    /// Asks for a download.
    ///
    /// The request is copied before the host returns.
    func schedule(_ request: UnsafePointer<bahost_download_request>) -> Int32 {
        guard let schedule = unsafe table.read(\.schedule, missing: nil) else {
            return BAHOST_STATUS_NO_FEATURE
        }
        return unsafe schedule(pointer, request)
    }

    /// Takes a download back.
    func cancel(_ identifier: String) -> Int32 {
        guard let cancel = unsafe table.read(\.cancel, missing: nil) else {
            return BAHOST_STATUS_NO_FEATURE
        }
        return unsafe identifier.withCString { unsafe cancel(pointer, $0) }
    }

    /// Fetches the page of downloads after `identifier` into `page`.
    ///
    /// - Returns: The host's status, and how many it says it wrote.
    func currentDownloads(
        after identifier: String?, into page: UnsafeMutableBufferPointer<bahost_download>
    ) -> (status: Int32, count: UInt32) {
        guard let list = unsafe table.read(\.current_downloads, missing: nil) else {
            return (BAHOST_STATUS_NO_FEATURE, 0)
        }
        var count: UInt32 = 0
        let capacity = UInt32(clamping: page.count)
        let status =
            if let identifier {
                unsafe identifier.withCString {
                    unsafe list(pointer, $0, page.baseAddress, capacity, &count)
                }
            } else {
                unsafe list(pointer, nil, page.baseAddress, capacity, &count)
            }
        return (status, count)
    }

    /// Takes exclusive control; blocks.
    ///
    /// -1: until the budget of the entry point.
    func acquireExclusive(timeoutMilliseconds: Int64) -> Int32 {
        guard let acquire = unsafe table.read(\.acquire_exclusive, missing: nil) else {
            return BAHOST_STATUS_NO_FEATURE
        }
        return unsafe acquire(pointer, timeoutMilliseconds)
    }

    /// Gives exclusive control back.
    func releaseExclusive() -> Int32 {
        guard let release = unsafe table.read(\.release_exclusive, missing: nil) else {
            return BAHOST_STATUS_NO_FEATURE
        }
        return unsafe release(pointer)
    }
}

extension HostTable {
    /// Levels of the run's log, `BAHOST_LOG_…`.
    enum LogLevel: Int32 {
        case info = 1
        case warning = 3
        case error = 4
    }
}

extension BAError {
    /// The error that a host call's status stands for; nil for success.
    ///
    /// 1 stands for Apple's `downloadInvalid`, whose own number is 0 (SDK/ABI.md, rule 5).
    init?(hostStatus status: Int32, message: String = "") {
        guard status != BAHOST_STATUS_OK else { return nil }
        guard status != BAHOST_STATUS_DOWNLOAD_INVALID else {
            self.init(.downloadInvalid, message: message)
            return
        }
        self.init(BAErrorCode(rawValue: Int(status)), message: message)
    }
}
