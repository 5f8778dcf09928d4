/// What goes over the wire for one request: bytes, where to cut them, and what comes then.
struct FaultAnswer {
    enum Ending {
        case keepOpen
        case close
        case reset
        case stall
    }

    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var ending = Ending.keepOpen
    var portion: Int?
    var pause: Duration = .zero
    /// In place of status line and headers.
    var rawHead: [UInt8]?

    var headBytes: [UInt8] {
        if let rawHead { return rawHead }
        let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("HTTP/1.1 \(status) Scripted\r\n\(lines)\r\n".utf8)
    }

    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { headers.append((name, value)) }
    }

    mutating func cut(after count: Int, _ ending: Ending) {
        body = Array(body.prefix(count))
        self.ending = ending
    }
}

extension FaultAnswer {
    /// The honest answer, optionally as if no range had been asked.
    init(honest content: FaultContent, to request: FaultRequest, usesRange: Bool = true) {
        self.init(status: 200)
        set("ETag", content.entityTag)
        set("Last-Modified", content.lastModified)
        set("Date", content.date)
        let total = content.bytes.count
        guard usesRange, let first = request.firstByte, content.matches(request.header("if-range"))
        else {
            set("Accept-Ranges", usesRange ? "bytes" : "none")
            fill(content.bytes)
            return
        }
        guard first < total else {
            status = 416
            set("Content-Range", "bytes */\(total)")
            fill(Array("no such range".utf8))
            return
        }
        self.status = 206
        set("Content-Range", "bytes \(first)-\(total - 1)/\(total)")
        fill(Array(content.bytes[first...]))
    }

    private mutating func fill(_ bytes: [UInt8]) {
        body = bytes
        set("Content-Length", "\(bytes.count)")
    }

    /// The answer of a route to its n-th request, counted from 0.
    ///
    /// Nil: no answer, nothing at all.
    init?(_ route: FaultRoute, to request: FaultRequest, turn: Int) {
        switch route {
        case .sequence(let routes):
            guard let chosen = turn < routes.count ? routes[turn] : routes.last else { return nil }
            self.init(chosen, to: request, turn: 0)
        case .neverAnswers: return nil
        case .raw(let bytes):
            self.init(status: 0, ending: .close, rawHead: bytes)
        case .status(let status, let headers, let body):
            self.init(status: status)
            for (name, value) in headers { set(name, value) }
            fill(body)
        case .redirect(let location, let status):
            self.init(status: status)
            set("Location", location)
            fill(Array("moved".utf8))
        case .honest(let content), .ignoresRange(let content), .wrongStart(let content, _),
            .wrongTotal(let content, _), .shortRange(let content, _), .short(let content, _),
            .long(let content, _), .unsized(let content), .chunked(let content),
            .gzip(let content, _), .drip(let content, _, _), .stall(let content, _),
            .reset(let content, _), .giantHeaders(let content, _):
            var usesRange = true
            if case .ignoresRange = route { usesRange = false }
            self.init(honest: content, to: request, usesRange: usesRange)
            spoil(as: route, content: content, request: request)
        }
    }

    /// Turns the honest answer into the faulty one.
    private mutating func spoil(
        as route: FaultRoute, content: FaultContent, request: FaultRequest
    ) {
        switch route {
        case .wrongStart(_, let offset): spoilRange(content, request, startBy: offset)
        case .wrongTotal(_, let excess): spoilRange(content, request, totalBy: excess)
        case .shortRange(_, let missing): spoilRange(content, request, endBy: missing)
        case .short(_, let count): cut(after: count, .close)
        case .long(_, let extra):
            body += extra
            ending = .close
        case .unsized:
            set("Content-Length", nil)
            set("Connection", "close")
            ending = .close
        case .chunked:
            set("Content-Length", nil)
            set("Transfer-Encoding", "chunked")
            let size = String(body.count, radix: 16)
            body = Array("\(size)\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        case .gzip(_, let onlyWhenAsked):
            if !onlyWhenAsked || request.header("accept-encoding") != nil {
                set("Content-Encoding", "gzip")
            }
        case .drip(_, let count, let duration):
            portion = count
            pause = duration
        case .stall(_, let count): cut(after: count, .stall)
        case .reset(_, let count): cut(after: count, .reset)
        case .giantHeaders(_, let count):
            for place in 0..<(count / 1000) {
                set("X-Filler-\(place)", String(repeating: "x", count: 980))
            }
        default: break
        }
    }

    private mutating func spoilRange(
        _ content: FaultContent, _ request: FaultRequest, startBy: Int = 0, totalBy: Int = 0,
        endBy: Int = 0
    ) {
        guard status == 206, let asked = request.firstByte else { return }
        let total = content.bytes.count
        let first = min(max(asked - startBy, 0), total - 1)
        let last = max(first, total - 1 - endBy)
        set("Content-Range", "bytes \(first)-\(last)/\(total + totalBy)")
        fill(Array(content.bytes[first...last]))
    }
}

extension FaultContent {
    /// True when a range may be used: no condition, or one that names this content strongly.
    fileprivate func matches(_ condition: String?) -> Bool {
        guard let condition else { return true }
        guard !condition.hasPrefix("W/") else { return false }
        return condition == entityTag || condition == lastModified
    }
}
