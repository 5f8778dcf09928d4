internal import LinuxSystem
internal import Synchronization
internal import TransferEngine

/// Brings transfer events from the engine's thread to the run's loop.
final class TransferMailbox: Sendable {
    private let letters = Mutex<[TransferEvent]>([])
    private let flag: EventFlag

    init() throws(SystemError) {
        flag = try EventFlag()
    }

    /// Readable when something is in it.
    var descriptor: Int32 { flag.descriptor }

    func put(_ event: TransferEvent) {
        letters.withLock { $0.append(event) }
        flag.raise()
    }

    func take() -> [TransferEvent] {
        flag.clear()
        return letters.withLock { box in
            let taken = box
            box = []
            return taken
        }
    }
}
