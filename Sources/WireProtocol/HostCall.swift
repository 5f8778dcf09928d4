/// One HTTP header of a request.
package struct RequestHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// What a plugin asks for, its strings bounded, nothing judged yet.
///
/// `bahost_download_request`.
package struct DownloadWish: Hashable, Sendable {
    package var isEssential = false
    package var allowsMetered = false
    package var identifier = ""
    package var url = ""
    package var headers: [RequestHeader] = []
    package var mirrors: [String] = []

    /// 0: unknown.
    package var sizeBytes: UInt64 = 0
    package var priority: Int64 = 0

    /// Nil: the app's.
    package var group: String?

    /// 32 bytes, or nil.
    package var sha256: [UInt8]?

    package init() {}
}

/// A call from a plugin into the host.
package enum HostCall: Hashable, Sendable {
    /// No reply.
    ///
    /// Levels 0 (trace) to 4 (error).
    case log(level: Int32, text: String)
    case schedule(DownloadWish)
    case cancel(identifier: String)
    case currentDownloads(after: String?, capacity: UInt32)

    /// -1: until the budget; 0: now or never.
    case acquireExclusive(timeoutMilliseconds: Int64)
    case releaseExclusive

    /// 1 plain bytes, 2 essential bytes, 3 ms of this call, 4 ms today, 5 memory bytes.
    case remaining(what: UInt32)

    /// No reply: the worker itself refused a request because of its form.
    case refused(identifier: String, code: Int32, sentence: String)

    /// False for the two that the host only takes note of.
    package var wantsReply: Bool {
        switch self {
        case .log, .refused: false
        default: true
        }
    }
}

/// The host's answer to a ``HostCall``.
package enum HostReply: Hashable, Sendable {
    case status(Int32)
    case value(Int64)
    case downloads([DownloadDescription])
}

/// From the host to a worker.
package enum HostMessage: Hashable, Sendable {
    case setup(WorkerSetup)
    case call(EntryCall)
    case reply(HostReply)
    case shutdown
}

/// From a worker to the host.
package enum WorkerMessage: Hashable, Sendable {
    case ready(WorkerReady)
    case setupFailed(SetupFailure)
    case loaded(LoadedPlugin)
    case loadFailed(LoadFailure)
    case hostCall(HostCall)

    /// What the next packs of the batch were answered with, 1 to 256 of them.
    ///
    /// `returned` ends the batch; without the entry point there are no answers before it.
    case answered([Int32])
    case returned(EntryReturn)

    /// The plugin needs the Swift runtime, which this launcher does not have; nothing was loaded.
    case needsSwiftRuntime

    /// The end of an inspection, whatever was found.
    case inspected(PluginFacts)
}
