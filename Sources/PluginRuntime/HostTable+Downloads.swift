internal import CPluginSDK
internal import Glibc
internal import WireProtocol

extension HostTable {
    /// Lists downloads into the plugin's array.
    static func currentDownloads(
        _ host: UnsafePointer<bahost_host>?, _ after: UnsafePointer<CChar>?,
        _ out: UnsafeMutablePointer<bahost_download>?, _ capacity: UInt32,
        _ count: UnsafeMutablePointer<UInt32>?
    ) -> Int32 {
        guard link.admitsCall else { return BAHOST_STATUS_NOT_ALLOWED_NOW }
        let page: DownloadPage
        do throws(ArgumentFault) {
            guard unsafe host == pointer else {
                throw ArgumentFault.bad("the first argument is not the host's table")
            }
            page = try unsafe DownloadPage(after: after, out: out, capacity: capacity, count: count)
        } catch {
            return refuse("current_downloads", error)
        }
        let call = HostCall.currentDownloads(after: page.after, capacity: page.capacity)
        return link.ask(call) { reply, arena in
            if case .status(let status) = reply { return status }
            guard case .downloads(let downloads) = reply, downloads.count <= page.capacity else {
                WorkerExit.protocolBroken.end()
            }
            page.fill(downloads, arena)
            return BAHOST_STATUS_OK
        } ?? BAHOST_STATUS_NOT_ALLOWED_NOW
    }
}

/// A plugin's array of `bahost_download`, read and checked once.
@safe private struct DownloadPage {
    let after: String?
    let capacity: UInt32
    private let stride: Int
    private let out: UnsafeMutableRawPointer
    private let count: UnsafeMutablePointer<UInt32>

    init(
        after: UnsafePointer<CChar>?, out: UnsafeMutablePointer<bahost_download>?,
        capacity: UInt32, count: UnsafeMutablePointer<UInt32>?
    ) throws(ArgumentFault) {
        guard let out = unsafe out else { throw .bad("out is NULL") }
        guard let count = unsafe count else { throw .bad("count is NULL") }
        guard capacity > 0 else { throw .bad("capacity is 0") }
        stride = try unsafe PluginMemory.size(
            UnsafeRawPointer(out), "out",
            atLeast: MemoryLayout<bahost_download>.size)
        guard unsafe stride.isMultiple(of: MemoryLayout<bahost_download>.alignment) else {
            throw .bad("out->struct_size is \(stride), not a multiple of 8")
        }
        if let after = unsafe after {
            self.after = try unsafe PluginMemory.text(
                after, "after", atMost: WireBound.identifierBytes)
        } else {
            self.after = nil
        }
        self.capacity = min(capacity, UInt32(WireBound.listCount))
        unsafe self.out = UnsafeMutableRawPointer(out)
        unsafe self.count = unsafe count
    }

    func fill(_ downloads: [DownloadDescription], _ arena: CallArena) {
        for (place, download) in downloads.enumerated() {
            var element = unsafe arena.download(download)
            // SAFETY: the plugin says it has room for `capacity` elements `stride` bytes apart.
            unsafe withUnsafeBytes(of: &element) { bytes in
                guard let source = bytes.baseAddress else { return }
                unsafe memcpy(out + place * stride, source, bytes.count)
            }
        }
        unsafe count.pointee = UInt32(downloads.count)
    }
}
