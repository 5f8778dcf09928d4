internal import CCurl

/// The sockets behind the connections of a session, to look at one before it is used again.
///
/// libcurl reads as much of a connection as an answer declares. What a server sends beyond that stays in
/// the socket, and libcurl before 8.0 would take it for the next answer.
final class ConnectionBook {
    /// Both ends of a connection.
    struct Ends: Hashable {
        let peer: String
        let local: String
        let peerPort: Int32
        let localPort: Int32
    }

    private struct Entry {
        let socket: Int32
        /// True once an answer in HTTP/1 has come: nothing is then sent before the next request.
        var takesTurns = false
    }

    /// Connections beyond this many are looked through for ones that are gone.
    private static let maximumEntries = 256

    private var entries: [Ends: Entry] = [:]

    /// Enters a connection at its first use, when `sockets` are those that were made for it.
    func enter(_ ends: Ends, among sockets: [Int32]) {
        guard let made = sockets.last(where: { bah_curl_local_port($0) == ends.localPort }) else {
            return
        }
        if entries.count >= ConnectionBook.maximumEntries {
            entries = entries.filter { bah_curl_local_port($1.socket) == $0.localPort }
        }
        entries[ends] = Entry(socket: made)
    }

    func markTurns(_ ends: Ends) {
        entries[ends]?.takesTurns = true
    }

    /// True when something that nobody asked for waits on a connection.
    func hasLeftovers(_ ends: Ends) -> Bool {
        guard let entry = entries[ends], entry.takesTurns else { return false }
        return bah_curl_has_input(entry.socket) != 0
    }
}
