/// Reasons not to load a file, in the order they were found, up to a number.
///
/// A hostile file can break a rule a hundred thousand times.
struct RefusalList {
    private let capacity: Int
    private(set) var refusals: [PluginImageError] = []

    init(atMost capacity: Int) {
        self.capacity = capacity
    }

    /// True when looking further is of no use.
    var isFull: Bool { refusals.count >= capacity }

    mutating func add(_ code: PluginImageError.Code, _ sentence: @autoclosure () -> String) {
        guard !isFull else { return }
        refusals.append(PluginImageError(code, sentence()))
    }

    mutating func add(_ refusal: PluginImageError?) {
        guard let refusal, !isFull else { return }
        refusals.append(refusal)
    }

    mutating func add(_ others: [PluginImageError]) {
        for refusal in others { add(refusal) }
    }
}
