/// How urgent a download is, most urgent first; the raw value is what the database keeps.
package enum DownloadClass: Int64, CaseIterable, Hashable, Sendable, Comparable {
    /// Somebody waits for it: it starts at once and fails at once.
    case foreground = 0

    /// The app cannot be launched without it.
    case essential = 1

    /// The system's own choice of the moment.
    case background = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Its place in a table by class.
    var index: Int { Int(rawValue) }
}
