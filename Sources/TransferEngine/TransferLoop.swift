internal import HTTPClient
internal import LinuxSystem

/// The engine's thread: takes orders, drives the network, carries out what each transfer decides.
struct TransferLoop: ~Copyable {
    private let inbox: TransferInbox
    private let configuration: HTTPConfiguration
    private let onEvent: (TransferEvent) -> Void
    private var session: HTTPSession
    private var transfers: [Int64: Transfer] = [:]
    private var owners: [ObjectIdentifier: Transfer] = [:]
    private var rebuilding: [Transfer] = []

    static func run(
        _ inbox: TransferInbox, configuration: HTTPConfiguration,
        onEvent: @escaping (TransferEvent) -> Void
    ) {
        do throws(HTTPClientError) {
            let session = try HTTPSession(configuration: configuration)
            var loop = TransferLoop(
                inbox: inbox, configuration: configuration, session: session, onEvent: onEvent)
            loop.run()
        } catch {
            refuseAll(inbox, TransferFailure(error), onEvent)
        }
    }

    private init(
        inbox: TransferInbox, configuration: HTTPConfiguration, session: consuming HTTPSession,
        onEvent: @escaping (TransferEvent) -> Void
    ) {
        self.inbox = inbox
        self.configuration = configuration
        self.session = session
        self.onEvent = onEvent
    }

    private mutating func run() {
        while takeLetters() {
            do throws(HTTPClientError) {
                try session.perform()
                endExchanges()
                rebuildSome()
                let now = BootClock.now()
                for transfer in transfers.values { transfer.tick(at: now) }
                try session.wait(for: inbox.descriptor, timeout: patience)
            } catch {
                abandonAll(TransferFailure(error))
                TransferLoop.rest(until: inbox.descriptor)
            }
        }
    }

    /// How long nothing needs doing: not at all, until a checkpoint may be due, or for ever.
    private var patience: Duration {
        guard rebuilding.isEmpty else { return .zero }
        return transfers.isEmpty ? .seconds(1 << 20) : .milliseconds(250)
    }

    /// False when it is time to go; then every transfer has been closed.
    private mutating func takeLetters() -> Bool {
        let letters = inbox.take()
        for command in letters.commands {
            switch command {
            case .start(let order): if transfers[order.id] == nil { start(order) }
            case .cancel(let id): cancel(id)
            }
        }
        guard letters.isStopping else { return true }
        for id in transfers.keys.sorted() { cancel(id) }
        return false
    }

    private mutating func start(_ order: TransferOrder) {
        do throws(TransferFailure) {
            let transfer = try Transfer(order, emit: onEvent)
            transfers[order.id] = transfer
            carryOut(transfer.begin(), of: transfer)
        } catch {
            onEvent(.failed(id: order.id, failure: error))
        }
    }

    private mutating func cancel(_ id: Int64) {
        guard let transfer = transfers.removeValue(forKey: id) else {
            // Its caller may wait for this.
            return onEvent(.stopped(id: id))
        }
        detach(transfer)
        rebuilding.removeAll { $0 === transfer }
        transfer.close()
    }

    private mutating func detach(_ transfer: Transfer) {
        guard let exchange = transfer.exchange else { return }
        session.remove(exchange)
        owners[ObjectIdentifier(exchange)] = nil
        transfer.exchange = nil
    }

    private mutating func endExchanges() {
        while let (exchange, outcome) = session.nextEnded() {
            guard let transfer = owners.removeValue(forKey: ObjectIdentifier(exchange)) else {
                continue
            }
            carryOut(transfer.ended(outcome), of: transfer)
        }
    }

    private mutating func rebuildSome() {
        let waiting = rebuilding
        rebuilding = []
        for transfer in waiting { carryOut(transfer.rebuild(), of: transfer) }
    }

    private mutating func carryOut(_ step: Transfer.Step, of transfer: Transfer) {
        switch step {
        case .rebuild: rebuilding.append(transfer)
        case .ask(let request): ask(request, for: transfer)
        case .finish, .fail: transfers[transfer.order.id] = nil
        }
    }

    private mutating func ask(_ request: HTTPRequest, for transfer: Transfer) {
        do throws(HTTPClientError) {
            let exchange = try HTTPExchange(
                request, configuration: configuration, receiver: transfer)
            try session.add(exchange)
            transfer.exchange = exchange
            owners[ObjectIdentifier(exchange)] = transfer
        } catch {
            transfers[transfer.order.id] = nil
            transfer.abandon(TransferFailure(error))
        }
    }

    /// libcurl itself has failed; nothing can go on, everything can be tried again.
    private mutating func abandonAll(_ failure: TransferFailure) {
        for transfer in transfers.values {
            detach(transfer)
            transfer.abandon(failure)
        }
        transfers = [:]
        rebuilding = []
    }

    /// Without a session every order fails, until the caller stops.
    private static func refuseAll(
        _ inbox: TransferInbox, _ failure: TransferFailure, _ onEvent: (TransferEvent) -> Void
    ) {
        while true {
            let letters = inbox.take()
            for command in letters.commands {
                switch command {
                case .start(let order): onEvent(.failed(id: order.id, failure: failure))
                case .cancel(let id): onEvent(.stopped(id: id))
                }
            }
            guard !letters.isStopping else { return }
            rest(until: inbox.descriptor)
        }
    }

    /// Waits without libcurl, at most a second, so that its failure does not become a busy loop.
    private static func rest(until descriptor: Int32) {
        var polled = PollSet()
        polled.add(descriptor)
        try? polled.wait(timeout: .seconds(1))
    }
}
