internal import CLinuxShims

/// SIGINT, SIGTERM and SIGHUP as a descriptor.
///
/// `signalfd(2)`.
///
/// Make it on the main thread before any other thread starts, so that all of them inherit the mask.
package struct StopSignals: ~Copyable {
    private let source: OwnedDescriptor

    package init() throws(SystemError) {
        let raw = bah_open_stop_signals()
        source = OwnedDescriptor(adopting: try SystemError.check(raw, "signalfd", "stop signals"))
    }

    /// Readable when a signal has come; for ``PollSet``.
    package var descriptor: Int32 { source.raw }

    /// The next signal that has come, or nil.
    package func next() -> Int32? {
        let number = bah_read_stop_signal(source.raw)
        return number > 0 ? number : nil
    }

    /// Lets the signals end the process again, as they do without a ``StopSignals``.
    ///
    /// For the thread that made it, when nothing is left to stop cleanly. `pthread_sigmask(3)`.
    package static func restoreDefaults() {
        _ = bah_reset_stop_signals()
    }

    /// A closed peer becomes EPIPE in place of a signal, for the whole process.
    package static func ignoreBrokenPipes() {
        _ = bah_ignore_broken_pipes()
    }
}

/// A counter that one thread raises and another waits on.
///
/// `eventfd(2)`.
package struct EventFlag: ~Copyable, Sendable {
    private let source: OwnedDescriptor

    package init() throws(SystemError) {
        let raw = bah_open_event()
        source = OwnedDescriptor(adopting: try SystemError.check(raw, "eventfd", "event flag"))
    }

    package var descriptor: Int32 { source.raw }

    package func raise() {
        _ = DescriptorIO.write(source.raw, [1, 0, 0, 0, 0, 0, 0, 0])
    }

    /// True when it was raised since the last time.
    @discardableResult
    package func clear() -> Bool {
        var count = [UInt8](repeating: 0, count: 8)
        return DescriptorIO.read(source.raw, into: &count) == .moved(8)
    }
}
