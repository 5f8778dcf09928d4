internal import Glibc
package import LinuxSystem
internal import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that misbehaves as its routes say, and remembers every request.
///
/// At most 128 connections at once, 64 KiB a request, 10,000 requests remembered. Dropping it closes
/// everything and joins its threads.
package final class FaultServer: Sendable {
    private let state: FaultState
    private let acceptor: Mutex<NamedThread?>

    /// Starts listening.
    ///
    /// Routes go by path with query, beginning with `/`; other paths get 404. Port 0 lets the kernel
    /// choose.
    package init(routes: [String: FaultRoute], port: UInt16 = 0) throws(SystemError) {
        let listener = try Descriptor.listenOnLoopback(port: port)
        try Descriptor.setNonblocking(listener.descriptor.raw)
        let made = try FaultState(routes: routes, listener: listener)
        state = made
        acceptor = Mutex(try NamedThread("fault-accept") { FaultAcceptor(state: made).run() })
    }

    deinit {
        stop()
    }

    package var port: UInt16 { state.listener.port }

    /// The address of a path on this server.
    package func url(_ path: String, host: String = "127.0.0.1") -> String {
        "http://\(host):\(port)\(path)"
    }

    /// What was asked so far, in order; of one path, or of all.
    package func requests(for path: String? = nil) -> [FaultRequest] {
        state.log.withLock { log in log.filter { path == nil || $0.path == path } }
    }

    /// Connections taken so far.
    package var connectionCount: Int { state.accepted.withLock { $0 } }

    /// Changes or adds a route for requests from now on; its count of turns begins anew.
    package func setRoute(_ path: String, _ route: FaultRoute) {
        state.setRoute(path, route)
    }

    /// Closes every connection and waits until the last thread has gone.
    package func stop() {
        state.stop.raise()
        acceptor.withLock { $0.take() }?.join()
    }
}

/// What the threads of one server share.
final class FaultState: Sendable {
    static let maximumConnections = 128
    static let maximumLog = 10_000

    let listener: LoopbackListener
    /// Raised once and never cleared: readable from then on.
    let stop: EventFlag
    /// Raised by each connection that ends.
    let ended: EventFlag
    let log = Mutex<[FaultRequest]>([])
    let connections = Mutex(0)
    let accepted = Mutex(0)
    private let routes: Mutex<[String: (route: FaultRoute, turn: Int)]>

    init(
        routes: [String: FaultRoute], listener: consuming LoopbackListener
    ) throws(SystemError) {
        stop = try EventFlag()
        ended = try EventFlag()
        self.listener = listener
        self.routes = Mutex(routes.mapValues { ($0, 0) })
    }

    func setRoute(_ path: String, _ route: FaultRoute) {
        routes.withLock { $0[path] = (route, 0) }
    }

    /// Remembers the request and decides the answer; nil is silence.
    func answer(to request: FaultRequest) -> FaultAnswer? {
        log.withLock { if $0.count < FaultState.maximumLog { $0.append(request) } }
        let found = routes.withLock { routes -> (route: FaultRoute, turn: Int)? in
            let entry = routes[request.path]
            routes[request.path]?.turn += 1
            return entry
        }
        let entry = found ?? (.status(404), 0)
        return FaultAnswer(entry.route, to: request, turn: entry.turn)
    }
}

/// The thread that takes connections and gives each a thread of its own.
struct FaultAcceptor {
    let state: FaultState

    func run() {
        while true {
            let isFull = state.connections.withLock { $0 >= FaultState.maximumConnections }
            var polled = PollSet()
            let stop = polled.add(state.stop.descriptor)
            let ended = polled.add(state.ended.descriptor)
            if !isFull { polled.add(state.listener.descriptor.raw) }
            guard (try? polled.wait(timeout: nil)) != nil, !polled.isReadable(stop) else { break }
            if polled.isReadable(ended) { state.ended.clear() }
            if !isFull { acceptOne() }
        }
        while state.connections.withLock({ $0 > 0 }) {
            var polled = PollSet()
            polled.add(state.ended.descriptor)
            guard (try? polled.wait(timeout: nil)) != nil else { return }
            state.ended.clear()
        }
    }

    private func acceptOne() {
        let raw = accept(state.listener.descriptor.raw, nil, nil)
        guard raw >= 0 else { return }
        _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
        try? Descriptor.setNonblocking(raw)
        state.connections.withLock { $0 += 1 }
        state.accepted.withLock { $0 += 1 }
        let state = self.state
        let thread = try? NamedThread("fault-serve") {
            FaultConnection(state: state, socket: OwnedDescriptor(adopting: raw)).run()
            state.connections.withLock { $0 -= 1 }
            state.ended.raise()
        }
        guard thread == nil else { return }
        _ = Glibc.close(raw)
        state.connections.withLock { $0 -= 1 }
    }
}
