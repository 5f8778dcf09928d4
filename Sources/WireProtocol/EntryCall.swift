/// The entry points a host calls in a plugin, numbered for the wire.
package enum EntryPoint: UInt8, Hashable, Sendable, CaseIterable {
    case install = 1
    case update = 2
    case checkForUpdates = 3
    case shouldDownload = 4
    case downloadFinished = 5
    case downloadFailed = 6
    case authenticationChallenge = 7
    case willTerminate = 8

    /// Of all, in their order.
    package static var symbols: [String] { allCases.map(\.symbol) }

    /// The symbol's name in the plugin.
    package var symbol: String {
        switch self {
        case .install: "bahost_install"
        case .update: "bahost_update"
        case .checkForUpdates: "bahost_check_for_updates"
        case .shouldDownload: "bahost_should_download"
        case .downloadFinished: "bahost_download_finished"
        case .downloadFailed: "bahost_download_failed"
        case .authenticationChallenge: "bahost_authentication_challenge"
        case .willTerminate: "bahost_will_terminate"
        }
    }
}

/// What a plugin is told of its app.
///
/// `bahost_app_info`.
package struct AppDescription: Hashable, Sendable {
    package var isRestricted = true
    package var isDeveloper = false
    package var identifier = ""
    package var version = ""
    package var previousVersion = ""
    package var group = ""
    package var language = "en"

    /// -1: not restricted.
    package var restrictedBytesRemaining: Int64 = -1
    package var restrictedEssentialBytesRemaining: Int64 = -1

    package init() {}
}

/// A download as a plugin sees it.
///
/// `bahost_download`.
package struct DownloadDescription: Hashable, Sendable {
    package var isEssential = false
    package var isForeground = false

    /// Apple's number: failed -1, created 0, waiting 1, downloading 2, finished 3.
    package var state: Int32 = 0

    /// 1 url, 2 manifest, 3 asset pack.
    package var kind: UInt32 = 1
    package var identifier = ""
    package var uniqueIdentifier = ""
    package var url = ""
    package var group = ""
    package var sizeBytes: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    package var priority: Int64 = 0

    package init() {}
}

/// Why a download failed, as a plugin sees it.
///
/// `bahost_error`.
package struct ErrorDescription: Hashable, Sendable {
    /// 1 Apple, 2 bahost, 3 HTTP, 4 transport, 5 errno.
    package var domain: UInt32
    package var code: Int32
    package var httpStatus: Int32
    package var message: String

    package init(domain: UInt32, code: Int32, httpStatus: Int32, message: String) {
        self.domain = domain
        self.code = code
        self.httpStatus = httpStatus
        self.message = message
    }
}

/// One call of an entry point.
package enum EntryCall: Hashable, Sendable {
    /// `.install`, `.update` or `.checkForUpdates`; the manifest's path is in the set-up.
    case content(EntryPoint, AppDescription, manifestBytes: UInt64)

    /// The path is relative to the container.
    case finished(DownloadDescription, path: String)
    case failed(DownloadDescription, ErrorDescription)

    /// One question for each pack, in this order.
    ///
    /// The replies come as ``WorkerMessage/answered(_:)``.
    case packs(PackBatch)

    package var entryPoint: EntryPoint {
        switch self {
        case .content(let entry, _, _): entry
        case .finished: .downloadFinished
        case .failed: .downloadFailed
        case .packs: .shouldDownload
        }
    }
}

/// What came back from an entry point, with the worker's own measurements.
package struct EntryReturn: Hashable, Sendable {
    package var status: Int32
    package var heldBytes: UInt64

    /// False when the plugin does not have the entry point, and the default applied.
    package var wasCalled: Bool

    /// What the worker had then, with nothing of the plugin's on the stack; zeros unless
    /// ``WorkerSetup/countsHoldings``.
    package var holdings = WorkerHoldings()

    /// Host calls that were turned away since the return before, because nothing was on the stack.
    package var lateCalls: UInt32 = 0

    package init(status: Int32, heldBytes: UInt64, wasCalled: Bool) {
        self.status = status
        self.heldBytes = heldBytes
        self.wasCalled = wasCalled
    }
}

/// What a worker has besides memory, its own part included.
package struct WorkerHoldings: Hashable, Sendable {
    /// Open descriptors among the first ``WireBound/countedFiles`` numbers.
    package var openFiles: UInt32

    /// The first one and the watcher among them.
    package var threads: UInt32

    package init(openFiles: UInt32 = 0, threads: UInt32 = 0) {
        self.openFiles = openFiles
        self.threads = threads
    }
}
