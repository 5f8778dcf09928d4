internal import HTTPClient
internal import LinuxSystem

/// What the transfers of one engine share; lives on the engine's thread.
final class TransferContext {
    let configuration: HTTPConfiguration
    let threads: DiskThreads
    let clock: () -> Instant
    let emit: (TransferEvent) -> Void
    /// Nil when nothing is capped.
    var cap: BandwidthCap?

    init(
        configuration: HTTPConfiguration, threads: DiskThreads, cap: ByteCount?,
        clock: @escaping () -> Instant, emit: @escaping (TransferEvent) -> Void
    ) {
        self.configuration = configuration
        self.threads = threads
        self.clock = clock
        self.emit = emit
        self.cap = cap.map { BandwidthCap(rate: $0, at: clock()) }
    }

    /// True when this order may take some of its answer now.
    func admits(_ id: Int64) -> Bool { cap?.admits(id) ?? true }
}
