internal import DownloadStore
internal import LinuxSystem

/// Changes that are to be stored together, and what is done about each once it is.
struct PendingChanges {
    /// Done when a change is stored; told false when its row was gone.
    typealias Effect = (Bool) -> Void

    private var changes: [StoreChange] = []
    private var effects: [Effect?] = []

    /// Where the latest checkpoint of a row stands, which a later one takes the place of.
    private var checkpoints: [Int64: Int] = [:]

    /// The rows that something waits to be stored of.
    private var rows: Set<Int64> = []

    /// Since when the first of them waits.
    private(set) var since: Instant?

    func holds(_ row: Int64) -> Bool { rows.contains(row) }

    var isEmpty: Bool { changes.isEmpty }
    var count: Int { changes.count }

    mutating func append(_ change: StoreChange, at now: Instant, _ effect: Effect?) {
        since = since ?? now
        rows.insert(change.rowID)
        if case .checkpoint(let row, _, _, _) = change {
            if let place = checkpoints[row] {
                changes[place] = change
                return
            }
            checkpoints[row] = changes.count
        } else {
            checkpoints[change.rowID] = nil
        }
        changes.append(change)
        effects.append(effect)
    }

    /// Hands over everything and begins anew.
    mutating func take() -> (changes: [StoreChange], effects: [Effect?]) {
        let taken = (changes, effects)
        self = PendingChanges()
        return taken
    }
}
