internal import CPluginSDK
internal import Foundation

/// Reads the list of downloads, a page at a time.
struct DownloadPages {
    /// What an app can have admitted is below this; a list that goes on is a fault.
    static let mostPages = 1000

    let host: HostTable

    /// - Throws: `BAError` with the host's answer, or `callerConnectionInvalid` for a list that
    ///   cannot be read.
    func all() throws -> [BADownload] {
        var downloads: [BADownload] = []
        for _ in 0..<Self.mostPages {
            let page = try page(after: downloads.last?.identifier)
            guard let first = page.first else { return downloads }
            if let last = downloads.last,
                !last.identifier.utf8.lexicographicallyPrecedes(first.identifier.utf8)
            {
                throw unreadable("its pages do not go forward")
            }
            downloads += page
        }
        throw unreadable("it does not end")
    }

    private func page(after identifier: String?) throws -> [BADownload] {
        let capacity = Int(BAHOST_MAX_PAGE_DOWNLOADS)
        let page = UnsafeMutableBufferPointer<bahost_download>.allocate(capacity: capacity)
        defer { unsafe page.deallocate() }
        var empty = unsafe bahost_download()
        unsafe empty.struct_size = UInt32(MemoryLayout<bahost_download>.stride)
        unsafe page.initialize(repeating: empty)
        let (status, count) = unsafe host.currentDownloads(after: identifier, into: page)
        if let error = BAError(hostStatus: status, message: "the list of downloads") {
            throw error
        }
        guard count <= UInt32(capacity) else { throw unreadable("a page is too long") }
        return try (0..<Int(count)).map { index in
            let record = unsafe page.baseAddress.map { unsafe UnsafePointer($0 + index) }
            guard let read = unsafe HostStruct(record), let download = unsafe makeDownload(read)
            else {
                throw unreadable("a download in it has no identifier")
            }
            return download
        }
    }

    private func unreadable(_ fault: String) -> BAError {
        BAError(.callerConnectionInvalid, message: "the host's list of downloads: \(fault)")
    }
}
