/// When each app was last given a slot, for those of late.
struct ServiceOrder: Sendable {
    /// How many apps are remembered; one that is forgotten counts as never served.
    static let limit = 256

    private var moments: [String: UInt64] = [:]
    private var last: UInt64 = 0

    /// A number that grows with every slot given; 0: not of late.
    func moment(of app: String) -> UInt64 { moments[app, default: 0] }

    mutating func serve(_ app: String) {
        last += 1
        moments[app] = last
        guard moments.count > Self.limit else { return }
        if let oldest = moments.min(by: { $0.value < $1.value }) { moments[oldest.key] = nil }
    }
}
