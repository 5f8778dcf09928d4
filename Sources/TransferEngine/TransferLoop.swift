internal import HTTPClient
internal import LinuxSystem

/// The engine's thread: takes orders, drives the network, carries out what each transfer decides.
struct TransferLoop: ~Copyable {
    /// Files that may wait to be published before their places are given away no more.
    private static let mostUnpublished = 384

    private let inbox: TransferInbox
    private let context: TransferContext
    private var session: HTTPSession
    private var transfers: [Int64: Transfer] = [:]
    private var owners: [ObjectIdentifier: Transfer] = [:]
    private var unpublished = 0
    private var isStopping = false

    static func run(_ inbox: TransferInbox, _ context: TransferContext) {
        do throws(HTTPClientError) {
            let session = try HTTPSession(configuration: context.configuration)
            var loop = TransferLoop(inbox: inbox, context: context, session: session)
            loop.run()
        } catch {
            refuseAll(inbox, TransferFailure(error), context.emit)
        }
        context.threads.finish()
    }

    private init(
        inbox: TransferInbox, context: TransferContext, session: consuming HTTPSession
    ) {
        self.inbox = inbox
        self.context = context
        self.session = session
    }

    private mutating func run() {
        while takeLetters() {
            do throws(HTTPClientError) {
                context.cap?.refill(at: context.clock())
                resumeHeld()
                try session.perform()
                endExchanges()
                tickAll()
                try session.wait(for: inbox.descriptor, timeout: patience)
            } catch {
                abandonAll(TransferFailure(error))
                TransferLoop.rest(until: inbox.descriptor)
            }
        }
    }

    /// How long nothing needs doing: until something may be due, or for ever.
    private var patience: Duration {
        guard !owners.isEmpty else { return .seconds(1 << 20) }
        return min(context.cap?.patience ?? .milliseconds(250), .milliseconds(250))
    }

    /// False when it is time to go; then every transfer has ended.
    private mutating func takeLetters() -> Bool {
        let letters = inbox.take()
        for command in letters.commands {
            switch command {
            case .start(let order): if transfers[order.id] == nil { start(order) }
            case .cancel(let id): cancel(id)
            case .setClass(let id, let isBackground):
                transfers[id]?.setClass(isBackground: isBackground)
            }
        }
        for report in letters.reports {
            switch report {
            case .caughtUp(let id, let hash):
                if let transfer = transfers[id], let step = transfer.caughtUp(hash) {
                    carryOut(step, of: transfer)
                }
            case .published(let results): published(results)
            }
        }
        if letters.isStopping, !isStopping {
            isStopping = true
            // Those that are being published end by themselves.
            for id in transfers.keys.sorted() where transfers[id]?.finished == nil { cancel(id) }
        }
        return !(isStopping && transfers.isEmpty)
    }

    private mutating func start(_ order: TransferOrder) {
        let transfer = Transfer(order, context: context)
        transfers[order.id] = transfer
        carryOut(transfer.begin(), of: transfer)
    }

    private mutating func cancel(_ id: Int64) {
        guard let transfer = transfers[id] else {
            // Its caller may wait for this.
            return context.emit(.stopped(id: id))
        }
        guard transfer.finished == nil else {
            transfer.lateCancels += 1
            return
        }
        transfers[id] = nil
        detach(transfer)
        transfer.close()
    }

    private mutating func detach(_ transfer: Transfer) {
        guard let exchange = transfer.exchange else { return }
        session.remove(exchange)
        owners[ObjectIdentifier(exchange)] = nil
        transfer.exchange = nil
    }

    private mutating func carryOut(_ step: Transfer.Step, of transfer: Transfer) {
        switch step {
        case .ask(let request): ask(request, for: transfer)
        case .await(let hash): context.threads.wait(for: hash, id: transfer.order.id)
        case .publish(let job):
            unpublished += 1
            context.threads.publish(job)
            if unpublished <= TransferLoop.mostUnpublished {
                context.emit(.verified(id: job.id))
            }
        case .end: transfers[transfer.order.id] = nil
        }
    }

    private mutating func ask(_ request: HTTPRequest, for transfer: Transfer) {
        do throws(HTTPClientError) {
            let exchange = try HTTPExchange(
                request, configuration: context.configuration, receiver: transfer)
            try session.add(exchange)
            transfer.exchange = exchange
            owners[ObjectIdentifier(exchange)] = transfer
        } catch {
            carryOut(transfer.giveUp(TransferFailure(error)), of: transfer)
        }
    }

    /// One group is durable, or parts of it have failed.
    private mutating func published(_ results: [PublishResult]) {
        unpublished -= results.count
        var group: [FinishedTransfer] = []
        var cancelled: [Int64] = []
        for result in results {
            guard let transfer = transfers.removeValue(forKey: result.id) else { continue }
            cancelled += Array(repeating: result.id, count: transfer.lateCancels)
            if let failure = result.failure {
                transfer.notPublished(failure)
            } else if var finished = transfer.finished {
                finished.stamp = result.stamp
                finished.replaced = result.replaced
                group.append(finished)
            }
        }
        if !group.isEmpty { context.emit(.finished(group)) }
        for id in cancelled { context.emit(.stopped(id: id)) }
    }
}

/// Rounds of the network.
extension TransferLoop {
    private mutating func endExchanges() {
        while let (exchange, outcome) = session.nextEnded() {
            guard let transfer = owners.removeValue(forKey: ObjectIdentifier(exchange)) else {
                continue
            }
            carryOut(transfer.ended(outcome), of: transfer)
        }
    }

    private mutating func tickAll() {
        let now = context.clock()
        for transfer in Array(owners.values) where transfer.tick(at: now) { end(transfer) }
    }

    /// Those that wait for their part of the cap and have one now.
    private mutating func resumeHeld() {
        for transfer in Array(owners.values)
        where transfer.isHeld && context.admits(transfer.order.id) {
            transfer.isHeld = false
            guard let exchange = transfer.exchange else { continue }
            guard !session.resume(exchange) else { continue }
            transfer.fault = transfer.fault ?? .notResumed
            end(transfer)
        }
    }

    /// Ends its exchange for a reason that the transfer knows.
    private mutating func end(_ transfer: Transfer) {
        detach(transfer)
        carryOut(transfer.ended(.finished), of: transfer)
    }

    /// libcurl itself has failed; nothing can go on, everything can be tried again.
    private mutating func abandonAll(_ failure: TransferFailure) {
        for transfer in Array(owners.values) {
            detach(transfer)
            carryOut(transfer.giveUp(failure), of: transfer)
        }
    }

    /// Without a session every order fails, until the caller stops.
    private static func refuseAll(
        _ inbox: TransferInbox, _ failure: TransferFailure, _ emit: (TransferEvent) -> Void
    ) {
        while true {
            let letters = inbox.take()
            for command in letters.commands {
                switch command {
                case .start(let order): emit(.failed(id: order.id, failure: failure))
                case .cancel(let id): emit(.stopped(id: id))
                case .setClass: break
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
