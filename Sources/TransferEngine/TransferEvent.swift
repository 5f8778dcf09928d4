package import LinuxSystem

/// What happens to an order.
///
/// For each id the last event is `finished`, `failed` or `stopped`, and nothing follows it but one
/// `stopped` for each cancel that came too late.
package enum TransferEvent: Hashable, Sendable {
    /// The first usable answer came.
    case began(id: Int64, totalBytes: UInt64?)
    /// The server goes on from what was there.
    case resumed(id: Int64, fromBytes: UInt64)
    /// What was there is of no use: it begins again at 0.
    case restarted(id: Int64, because: String)
    /// At most ten a second; never less than before, but after `restarted`.
    case progress(id: Int64, TransferProgress)
    /// To be stored before it is believed; one with 0 bytes says that the partial is gone.
    case checkpoint(id: Int64, state: ResumeState)
    /// Whole and right, and about to be published: it needs no connection any more.
    ///
    /// Left out when many others are, so that whoever starts the next one then does not flood us.
    case verified(id: Int64)
    /// A group of files, each whole, right, durable, and at its destination.
    case finished([FinishedTransfer])
    case failed(id: Int64, failure: TransferFailure)
    /// Cancelled or stopped by the caller; the checkpoint before it holds.
    ///
    /// Also the answer to the cancel of an order that had ended already, or that never was. The cancel
    /// of one that is being published is answered after that.
    case stopped(id: Int64)
}

/// How far a transfer is.
package struct TransferProgress: Hashable, Sendable {
    package let receivedBytes: UInt64
    /// Nil when nobody has said.
    package let totalBytes: UInt64?
    /// Smoothed; nil at the very start.
    package let bytesPerSecond: UInt64?
    /// Nil when it cannot be known.
    package let timeLeft: Duration?

    package init(
        receivedBytes: UInt64, totalBytes: UInt64?, bytesPerSecond: UInt64? = nil,
        timeLeft: Duration? = nil
    ) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.timeLeft = timeLeft
    }
}

/// A file that is there.
package struct FinishedTransfer: Hashable, Sendable {
    package let id: Int64
    package let bytes: UInt64
    package let sha256: [UInt8]

    /// What the file was before anybody else could reach it; nil without a destination.
    package var stamp: FileStamp?

    /// The file whose name it took, if that had no other.
    package var replaced: FileStamp?

    package init(
        id: Int64, bytes: UInt64, sha256: [UInt8], stamp: FileStamp? = nil,
        replaced: FileStamp? = nil
    ) {
        self.id = id
        self.bytes = bytes
        self.sha256 = sha256
        self.stamp = stamp
        self.replaced = replaced
    }
}
