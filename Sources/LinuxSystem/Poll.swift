internal import Glibc

/// Waiting on several descriptors at once.
///
/// `poll(2)`.
package struct PollSet {
    private var entries: [pollfd] = []

    package init() {}

    /// Adds a descriptor to wait for; returns the place to ask for after ``wait(timeout:)``.
    @discardableResult
    package mutating func add(_ raw: Int32, reading: Bool = true, writing: Bool = false) -> Int {
        let events = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0)
        entries.append(pollfd(fd: raw, events: Int16(events), revents: 0))
        return entries.count - 1
    }

    /// Waits until something is ready or the time is over; nil waits for ever.
    ///
    /// An interrupting signal ends the wait as if the time were over.
    package mutating func wait(timeout: Duration?) throws(SystemError) {
        let milliseconds = timeout.map { PollSet.milliseconds($0) } ?? -1
        let status = unsafe entries.withUnsafeMutableBufferPointer { room in
            unsafe Glibc.poll(room.baseAddress, nfds_t(room.count), milliseconds)
        }
        guard status < 0 else { return }
        let code = errno
        guard code == EINTR else {
            throw SystemError(call: "poll", subject: "\(entries.count) descriptors", code: code)
        }
        for place in entries.indices { entries[place].revents = 0 }
    }

    /// True when a read will not block: data, end or an error is there.
    package func isReadable(_ place: Int) -> Bool {
        entries[place].revents & Int16(POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0
    }

    package func isWritable(_ place: Int) -> Bool {
        entries[place].revents & Int16(POLLOUT | POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// Rounded up, so that a wait never ends just before its deadline.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let parts = duration.components
        guard parts.seconds >= 0, parts.attoseconds >= 0 else { return 0 }
        guard parts.seconds < 1_000_000 else { return 1_000_000_000 }
        let fraction = (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(parts.seconds * 1000 + fraction)
    }
}
