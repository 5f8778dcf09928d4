/// What happens to an order.
///
/// For each id the last event is `finished`, `failed` or `stopped`, and nothing follows it but one
/// `stopped` for each cancel that came too late.
package enum TransferEvent: Hashable, Sendable {
    /// The first usable answer came.
    case began(id: Int64, totalBytes: UInt64?)
    /// The server goes on from what was there.
    case resumed(id: Int64, fromBytes: UInt64)
    /// At most ten a second.
    case progress(id: Int64, receivedBytes: UInt64, totalBytes: UInt64?)
    /// To be stored before it is believed; one with 0 bytes says that the partial is gone.
    case checkpoint(id: Int64, state: ResumeState)
    /// Whole, right, durable, and at its destination.
    case finished(id: Int64, bytes: UInt64, sha256: [UInt8])
    case failed(id: Int64, failure: TransferFailure)
    /// Cancelled or stopped by the caller; the checkpoint before it holds.
    ///
    /// Also the answer to the cancel of an order that had ended already, or that never was.
    case stopped(id: Int64)
}
