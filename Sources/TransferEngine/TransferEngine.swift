package import HTTPClient
package import LinuxSystem
internal import Synchronization

/// Runs orders, many at once, on threads of its own.
///
/// Orders and events are values; nothing else passes between the caller and the thread, so that the
/// engine can become a process of its own.
package final class TransferEngine: Sendable {
    private let inbox: TransferInbox
    private let thread: Mutex<NamedThread?>

    /// Opens libcurl and starts the threads: one for the network, three that wait for the disk.
    ///
    /// - Parameters:
    ///   - configuration: Of all exchanges.
    ///   - backgroundRate: Bytes a second for all orders with ``TransferOrder/isBackground`` together;
    ///     nil is no cap.
    ///   - clock: What time it is; another one is for tests.
    ///   - onEvent: Called on the network's thread, one event at a time; must not wait.
    /// - Throws: An errno failure when libcurl or a thread cannot be had.
    package init(
        configuration: HTTPConfiguration = HTTPConfiguration(), backgroundRate: ByteCount? = nil,
        clock: @escaping @Sendable () -> Instant = BootClock.now,
        onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) throws(TransferFailure) {
        do throws(HTTPClientError) { try CurlLibrary.load() } catch { throw TransferFailure(error) }
        do throws(SystemError) {
            let inbox = try TransferInbox()
            self.inbox = inbox
            let threads = try DiskThreads { report in inbox.report(report) }
            thread = Mutex(
                try NamedThread("bah-transfer") {
                    let context = TransferContext(
                        configuration: configuration, threads: threads, cap: backgroundRate,
                        clock: clock, emit: onEvent)
                    TransferLoop.run(inbox, context)
                })
        } catch {
            throw TransferFailure(error)
        }
    }

    deinit {
        stop()
    }

    /// Begins an order.
    ///
    /// One whose id is still running, or given after ``stop()``, is ignored.
    package func start(_ order: TransferOrder) {
        inbox.put { $0.commands.append(.start(order)) }
    }

    /// Ends an order: a last checkpoint, then `stopped`; the partial stays.
    ///
    /// One that has ended already, or that is not known, is only answered by `stopped`.
    package func cancel(_ id: Int64) {
        inbox.put { $0.commands.append(.cancel(id)) }
    }

    /// Moves an order under the background cap or out of it, while it runs; unknown ones are passed over.
    package func setClass(_ id: Int64, isBackground: Bool) {
        inbox.put { $0.commands.append(.setClass(id, isBackground: isBackground)) }
    }

    /// Cancels everything and waits for the thread's end; from within `onEvent` it does not wait.
    package func stop() {
        inbox.put { $0.isStopping = true }
        let thread = thread.withLock { $0.take() }
        guard let thread, !thread.isCurrent else { return }
        thread.join()
    }
}

/// What the caller has asked for and the thread has not seen yet.
final class TransferInbox: Sendable {
    enum Command {
        case start(TransferOrder)
        case cancel(Int64)
        case setClass(Int64, isBackground: Bool)
    }

    struct Letters {
        var commands: [Command] = []
        var reports: [DiskThreads.Report] = []
        var isStopping = false
    }

    private let letters = Mutex(Letters())
    private let flag: EventFlag

    init() throws(SystemError) {
        flag = try EventFlag()
    }

    var descriptor: Int32 { flag.descriptor }

    func put(_ change: (inout Letters) -> Void) {
        letters.withLock { letters in
            guard !letters.isStopping else { return }
            change(&letters)
        }
        flag.raise()
    }

    /// What the disk's threads say is heard to the last.
    func report(_ report: DiskThreads.Report) {
        letters.withLock { $0.reports.append(report) }
        flag.raise()
    }

    func take() -> Letters {
        flag.clear()
        return letters.withLock { letters in
            let taken = letters
            letters.commands = []
            letters.reports = []
            return taken
        }
    }
}
