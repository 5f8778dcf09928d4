import CPluginSDK
import Foundation
import Synchronization

/// A host table whose functions record what they are asked and answer what the test wants.
final class FakeHost: Sendable {
    /// What arrived at `schedule`.
    struct Request: Equatable {
        var identifier: String?
        var url: String?
        var headers: [String: String] = [:]
        var mirrors: [String] = []
        var flags: UInt32 = 0
        var size: UInt64 = 0
        var priority: Int64 = 0
        var group: String?
        var sha256: [UInt8]?
        var structSize: UInt32 = 0
    }

    struct Record {
        var requests: [Request] = []
        var cancelled: [String] = []
        var acquired: [Int64] = []
        var releases = 0
        var log: [String] = []
        /// Status by identifier; 0 for the others.
        var answers: [String: Int32] = [:]
        var cancelAnswer: Int32 = 0
        var acquireAnswer: Int32 = 0
        var listAnswer: Int32 = 0
        /// What the list of downloads holds, in order.
        var listed: [String] = []
        /// Writes this instead of the true count; for a host gone mad.
        var listedCount: UInt32?
        /// Pages always start at the beginning; for a host gone mad.
        var repeatsPages = false
        var pagesAsked = 0
    }

    let record = Mutex(Record())

    /// Runs a body with the table; `change` spoils it first, for tests of bad tables.
    func call<Value>(
        changing change: (inout bahost_host) -> Void = { _ in },
        _ body: (UnsafePointer<bahost_host>) throws -> Value
    ) rethrows -> Value {
        var table = unsafe bahost_host()
        unsafe table.struct_size = UInt32(MemoryLayout<bahost_host>.size)
        unsafe table.abi_major = UInt16(BAHOST_ABI_MAJOR)
        unsafe table.abi_minor = UInt16(BAHOST_ABI_MINOR)
        unsafe table.context = Unmanaged.passUnretained(self).toOpaque()
        unsafe table.log = recordLog
        unsafe table.schedule = recordSchedule
        unsafe table.cancel = recordCancel
        unsafe table.current_downloads = listDownloads
        unsafe table.acquire_exclusive = recordAcquire
        unsafe table.release_exclusive = recordRelease
        unsafe change(&table)
        return try unsafe withUnsafePointer(to: table) { try unsafe body($0) }
    }
}

private func fake(_ host: UnsafePointer<bahost_host>?) -> FakeHost? {
    guard let context = unsafe host?.pointee.context else { return nil }
    // SAFETY: the context is the FakeHost whose `call` is on the stack.
    return unsafe Unmanaged<FakeHost>.fromOpaque(context).takeUnretainedValue()
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    unsafe pointer.map { unsafe String(cString: $0) }
}

private let recordLog:
    @convention(c) (UnsafePointer<bahost_host>?, Int32, UnsafePointer<CChar>?, UInt64) -> Void = {
        host, level, characters, length in
        let bytes = unsafe UnsafeRawBufferPointer(start: characters, count: Int(length))
        let line = unsafe "\(level) " + String(decoding: bytes, as: UTF8.self)
        unsafe fake(host)?.record.withLock { $0.log.append(line) }
    }

private let recordSchedule:
    @convention(c) (UnsafePointer<bahost_host>?, UnsafePointer<bahost_download_request>?) -> Int32 =
        { host, pointer in
            guard let request = unsafe pointer?.pointee, let fake = unsafe fake(host) else {
                return 1000
            }
            var seen = FakeHost.Request()
            seen.structSize = unsafe request.struct_size
            seen.identifier = unsafe text(request.identifier)
            seen.url = unsafe text(request.url)
            seen.flags = unsafe request.flags
            seen.size = unsafe request.size_bytes
            seen.priority = unsafe request.priority
            seen.group = unsafe text(request.group)
            for index in unsafe 0..<Int(request.header_count) {
                guard let header = unsafe request.headers?[index],
                    let name = unsafe text(header.name)
                else { return 1000 }
                seen.headers[name] = unsafe text(header.value)
            }
            for index in unsafe 0..<Int(request.mirror_count) {
                seen.mirrors.append(unsafe text(request.mirrors?[index]) ?? "NULL")
            }
            if let hash = unsafe request.sha256 {
                seen.sha256 = unsafe Array(UnsafeBufferPointer(start: hash, count: 32))
            }
            return fake.record.withLock { record in
                record.requests.append(seen)
                return record.answers[seen.identifier ?? ""] ?? 0
            }
        }

private let recordCancel:
    @convention(c) (UnsafePointer<bahost_host>?, UnsafePointer<CChar>?) -> Int32 = {
        host, identifier in
        let name = unsafe text(identifier) ?? "NULL"
        return unsafe fake(host)?.record.withLock { record in
            record.cancelled.append(name)
            return record.cancelAnswer
        } ?? 1000
    }

private let listDownloads:
    @convention(c) (
        UnsafePointer<bahost_host>?, UnsafePointer<CChar>?, UnsafeMutablePointer<bahost_download>?,
        UInt32, UnsafeMutablePointer<UInt32>?
    ) -> Int32 = { host, after, out, capacity, count in
        guard let fake = unsafe fake(host), let out = unsafe out, let count = unsafe count else {
            return 1000
        }
        let last = unsafe text(after)
        let (page, record) = fake.record.withLock { record in
            record.pagesAsked += 1
            let rest = record.listed.filter { record.repeatsPages || last.map($0.isAfter) ?? true }
            return (rest.prefix(Int(capacity)), record)
        }
        for (index, identifier) in page.enumerated() {
            var download = unsafe bahost_download()
            unsafe download.struct_size = UInt32(MemoryLayout<bahost_download>.size)
            unsafe download.kind = BAHOST_KIND_URL
            unsafe download.state = BAHOST_STATE_WAITING
            // Never freed: lives until the entry point returns, and the process is short.
            unsafe download.identifier = UnsafePointer(strdup(identifier))
            unsafe download.received_bytes = 7
            unsafe (out + index).pointee = download
        }
        unsafe count.pointee = record.listedCount ?? UInt32(page.count)
        return record.listAnswer
    }

private let recordAcquire: @convention(c) (UnsafePointer<bahost_host>?, Int64) -> Int32 = {
    host, timeout in
    unsafe fake(host)?.record.withLock { record in
        record.acquired.append(timeout)
        return record.acquireAnswer
    } ?? 1000
}

private let recordRelease: @convention(c) (UnsafePointer<bahost_host>?) -> Int32 = { host in
    unsafe fake(host)?.record.withLock { $0.releases += 1 }
    return 0
}

extension String {
    /// Whether this comes after another text, byte by byte.
    fileprivate func isAfter(_ other: String) -> Bool {
        other.utf8.lexicographicallyPrecedes(utf8)
    }
}
