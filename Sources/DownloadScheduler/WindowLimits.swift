/// How much of the store the scheduler holds of each app and class.
package struct WindowLimits: Hashable, Sendable {
    /// Downloads known in order of their position, resting ones and those with a slot included.
    package let main: Int

    /// Downloads known beyond these, of hosts that hold up nobody: half of ``main``.
    package var others: Int { main / 2 }

    /// A window that holds no more than this is filled up: half of ``main``.
    package var lowWater: Int { main / 2 }

    /// ``main`` where the caps are small.
    package static let usual = 256

    /// The most hosts that a question for the downloads of other hosts leaves out.
    package static let excludedHosts = 16

    /// At least 2: half of it is the room for other hosts.
    package init(main: Int) {
        self.main = max(2, main)
    }

    /// Wide enough that the windows of one app alone fill every slot twice, at least ``usual``.
    ///
    /// Each question to the store has it store first what is gathered: they are to be few.
    package init(caps: TransferCaps) {
        let slots = min(caps.total, Int.max / 8)
        self.init(main: max(WindowLimits.usual, slots * 4))
    }
}
