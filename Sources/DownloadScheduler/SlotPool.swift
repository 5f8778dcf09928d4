/// The slots that transfers take, counted in all, by host and by app.
struct SlotPool: Sendable {
    let caps: TransferCaps
    private(set) var inUse = 0

    /// The hosts at their cap, in the order in which they came there.
    private(set) var fullHosts: [String] = []
    private var byHost: [String: Int] = [:]
    private var byApp: [String: Int] = [:]

    init(caps: TransferCaps) {
        self.caps = caps
    }

    var isFull: Bool { inUse >= caps.total }

    func slots(of app: String) -> Int { byApp[app, default: 0] }

    mutating func take(host: String, app: String) {
        inUse += 1
        byApp[app, default: 0] += 1
        let count = byHost[host, default: 0] + 1
        byHost[host] = count
        if count == caps.perHost { fullHosts.append(host) }
    }

    mutating func free(host: String, app: String) {
        inUse -= 1
        let ofApp = byApp[app, default: 0] - 1
        byApp[app] = ofApp > 0 ? ofApp : nil
        let ofHost = byHost[host, default: 0] - 1
        byHost[host] = ofHost > 0 ? ofHost : nil
        if ofHost == caps.perHost - 1 { fullHosts.removeAll { $0 == host } }
    }
}
