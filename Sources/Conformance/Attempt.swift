/// What a technique says in its log about one thing that it tried.
///
/// `allowed WHAT`, `refused WHAT: CODE`, `hole WHAT` or `not here WHAT`, one to a line.
package enum Attempt: Hashable, Sendable {
    /// It went through, as it may.
    case allowed(String)

    /// `code` is the name of an errno value, or the number that a host call returned.
    case refused(String, code: String)

    /// It went through and must not.
    case hole(String)

    /// It was not tried: this architecture or kernel has no such thing.
    case notHere(String)

    /// Nil for a line that says something else.
    package init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "allowed": self = .allowed(String(parts[1]))
        case "hole": self = .hole(String(parts[1]))
        case "not" where parts[1].hasPrefix("here ") && parts[1] != "here ":
            self = .notHere(String(parts[1].dropFirst(5)))
        case "refused":
            // The code has no colon; what was tried may have some.
            guard let colon = parts[1].lastIndex(of: ":") else { return nil }
            let code = parts[1][colon...].dropFirst().drop { $0 == " " }
            guard !code.isEmpty, colon > parts[1].startIndex else { return nil }
            self = .refused(String(parts[1][..<colon]), code: String(code))
        default: return nil
        }
    }
}
