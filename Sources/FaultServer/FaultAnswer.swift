/// What goes over the wire for one request: bytes, where to cut them, and what comes then.
struct FaultAnswer {
    /// How bytes are sent when not at once.
    struct Pace {
        var portion: Int
        var pause: Duration
    }

    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var ending = FaultEnding.keepOpen
    var headPace: Pace?
    var bodyPace: Pace?
    /// Sent again and again after the body.
    var repeating: [UInt8] = []
    /// In place of status line and headers.
    private var rawHead: [UInt8]?
    private var firstText = ""
    private var lines = ""
    private var headLimit: Int?

    var headBytes: [UInt8] {
        if let rawHead { return rawHead }
        let fields = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        let head = Array("\(firstText)HTTP/1.1 \(status) Scripted\r\n\(fields)\(lines)\r\n".utf8)
        return headLimit.map { Array(head.prefix($0)) } ?? head
    }

    private mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { headers.append((name, value)) }
    }

    private mutating func fill(_ bytes: [UInt8]) {
        body = bytes
        set("Content-Length", "\(bytes.count)")
    }
}

extension FaultAnswer {
    /// The answer of a route to its n-th request, counted from 0.
    ///
    /// Nil: no answer, nothing at all.
    init?(_ route: FaultRoute, to request: FaultRequest, turn: Int) {
        switch route {
        case .sequence(let routes):
            guard let chosen = turn < routes.count ? routes[turn] : routes.last else { return nil }
            self.init(chosen, to: request, turn: turn)
        case .neverAnswers: return nil
        case .raw(let bytes):
            self.init(status: 0, ending: .close, rawHead: bytes)
        case .endless(let head, let repeating):
            self.init(status: 0, ending: .close, repeating: repeating, rawHead: head)
        case .status(let status, let headers, let body):
            self.init(status: status)
            for (name, value) in headers { set(name, value) }
            fill(body)
        case .redirect(let location, let status):
            self.init(status: status)
            set("Location", location.replacing("{port}", with: request.port))
            fill(Array("moved".utf8))
        case .answer(var content, let edits):
            var asked = request
            for edit in edits {
                switch edit {
                case .ignoresRange: asked.headers["range"] = nil
                case .ignoresCondition: asked.headers["if-range"] = nil
                case .freshTag: content.entityTag = "\"turn-\(turn)\""
                default: break
                }
            }
            self.init(honest: content, to: asked)
            for edit in edits { apply(edit, content, asked) }
        }
    }

    private init(honest content: FaultContent, to request: FaultRequest) {
        self.init(status: 200)
        set("ETag", content.entityTag)
        set("Last-Modified", content.lastModified)
        set("Date", content.date)
        let total = content.bytes.count
        guard let first = request.firstByte, content.matches(request.header("if-range")) else {
            set("Accept-Ranges", "bytes")
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

    private mutating func apply(
        _ edit: FaultEdit, _ content: FaultContent, _ request: FaultRequest
    ) {
        switch edit {
        case .ignoresRange, .ignoresCondition, .freshTag: break
        case .status(let status): self.status = status
        case .set(let name, let value): set(name, value)
        case .line(let text): lines += text
        case .first(let text): firstText += text
        case .range(let start, let end, let total):
            spoilRange(content, request, startBy: start, endBy: end, totalBy: total)
        case .length(let excess): set("Content-Length", "\(body.count + excess)")
        case .whenStatus(let wanted, let edits):
            if status == wanted { for edit in edits { apply(edit, content, request) } }
        case .whenSent(let name, let edits):
            if request.header(name) != nil { for edit in edits { apply(edit, content, request) } }
        default: reshape(edit)
        }
    }

    /// The edits of what is sent when.
    private mutating func reshape(_ edit: FaultEdit) {
        switch edit {
        case .chunked:
            set("Transfer-Encoding", "chunked")
            let size = String(body.count, radix: 16)
            body = Array("\(size)\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        case .append(let bytes): body += bytes
        case .cut(let count, let ending):
            body = Array(body.prefix(count))
            self.ending = ending
        case .cutHead(let count, let ending):
            headLimit = count
            body = []
            self.ending = ending
        case .drip(let portion, let pause): bodyPace = Pace(portion: portion, pause: pause)
        case .dripHead(let portion, let pause): headPace = Pace(portion: portion, pause: pause)
        case .end(let ending): self.ending = ending
        default: break
        }
    }

    private mutating func spoilRange(
        _ content: FaultContent, _ request: FaultRequest, startBy: Int, endBy: Int, totalBy: Int
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
