package import DownloadScheduler
package import LinuxSystem
package import TransferEngine
package import URLPolicy

/// Who owns a ``DownloadQueue``: knows the apps' rules and allowances, and is told what happens.
///
/// Called on the queue's thread only. Nothing told here was not stored before.
package protocol DownloadQueueOwner: AnyObject {
    /// Where the bytes of a download go and by what rules they are fetched; nil when it has none
    /// any more.
    func place(of record: DownloadRecord) -> DownloadPlace?

    /// Whether a download whose turn it is may start now.
    func admission(of record: DownloadRecord) -> StartAdmission

    /// What may still be written to a place; nil when nobody knows.
    ///
    /// - Parameters:
    ///   - place: Of a download.
    ///   - writtenBytes: What all downloads of the queue have written: as much or less has come to
    ///     what an earlier look has found.
    ///   - isExact: Look again at what has changed, rather than guess.
    /// - Returns: All of it, also what is reserved.
    func space(
        at place: DownloadPlace, writtenBytes: UInt64, isExact: Bool
    ) -> GroupSpace?

    /// Takes back files of the system's, so that so much more can be written than now.
    ///
    /// - Parameters:
    ///   - bytes: As much as is wanting, and no more is taken than that needs; where the size of
    ///     the download is not known, less will do as well.
    ///   - record: The download that needs it.
    /// - Returns: False when nothing was taken back.
    func makeSpace(bytes: UInt64, for record: DownloadRecord) -> Bool

    func queueTells(_ notice: QueueNotice)

    /// What the transfers say of an order that is no download: one with a negative id.
    func sideOrderTells(_ event: TransferEvent)
}

extension DownloadQueueOwner {
    /// Without a quota.
    package func space(
        at place: DownloadPlace, writtenBytes: UInt64, isExact: Bool
    ) -> GroupSpace? {
        (try? place.folder.freeBytes()).map { GroupSpace(diskBytes: $0) }
    }

    /// Nothing is the system's to take back.
    package func makeSpace(bytes: UInt64, for record: DownloadRecord) -> Bool { false }
}

/// Where a download's bytes lie, and by what rules they are fetched.
package struct DownloadPlace: Sendable {
    /// Absolute; in the same mount as ``folder``.
    package var partialPath: String

    /// The folder of published files, which plugins can write.
    package var folder: ConfinedFolder

    /// Absolute path of the container that it is in.
    package var container: String

    /// The file's name in the folder.
    package var name: String

    /// The name that records carry, relative to the container.
    package var publishedPath: String
    package var rules: URLRules

    package init(
        partialPath: String, folder: ConfinedFolder, container: String, name: String,
        publishedPath: String, rules: URLRules
    ) {
        self.partialPath = partialPath
        self.folder = folder
        self.container = container
        self.name = name
        self.publishedPath = publishedPath
        self.rules = rules
    }
}

/// What becomes of a download whose turn it is.
package enum StartAdmission: Hashable, Sendable {
    /// It starts; a file of open size may have so many bytes.
    case start(maximumBytes: UInt64)

    /// To be asked again after so long.
    case later(Duration)

    /// Not under this host's rules: it waits for another host. The reason, as a sentence.
    case hold(String)
    case fail(DownloadFailure)
}

/// What a queue tells its owner; every state is in the store by then.
package enum QueueNotice: Sendable {
    /// The transfer goes on after bytes that were there.
    case resumed(DownloadRecord)

    /// What it had was of no use: it begins at zero.
    case restarted(DownloadRecord, because: String)
    case progress(DownloadRecord, TransferProgress)
    case finished(DownloadRecord)

    /// Failed for now; it is tried again after so long.
    case retrying(DownloadRecord, DownloadFailure, after: Duration)

    /// Failed for good.
    case failed(DownloadRecord)
    case cancelled(DownloadRecord)

    /// Waits for a later host, with what it has: for space, or for other rules.
    case held(DownloadRecord, reason: String)

    /// Its transfer has ended for now, and a transfer of open size may have its bytes.
    case paused(DownloadRecord)

    /// A row that cannot be read.
    case note(String)

    /// The store or the machine has failed: everything stops.
    case broken(String)
}
