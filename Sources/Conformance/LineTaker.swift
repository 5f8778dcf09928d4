internal import ExtensionHost
internal import HostEngine
internal import WireProtocol

/// Picks out of a run's lines what its technique says of itself.
struct LineTaker {
    /// Far more than any technique says.
    private static let most = 2_000

    private(set) var attempts: [Attempt] = []
    private(set) var complaints: [String] = []

    mutating func take(_ notice: RunNotice) {
        switch notice {
        case .logged(_, let line): take(line)
        // A constructor has no host to log to.
        case .printed(.error, let line): take(line)
        default: break
        }
    }

    private mutating func take(_ line: String) {
        if let attempt = Attempt(line: line) {
            // A hole is never left out.
            if attempts.count < LineTaker.most || attempt.isHole { attempts.append(attempt) }
        } else if complaints.count < LineTaker.most, line.contains(": ") {
            complaints.append(line)
        }
    }
}

extension Attempt {
    var isHole: Bool { if case .hole = self { true } else { false } }
    var thingNotHere: String? { if case .notHere(let what) = self { what } else { nil } }
}
