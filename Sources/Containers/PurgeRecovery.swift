/// What becomes of the row of a file whose purging was interrupted.
package enum PurgeRecovery {
    package enum Action: Hashable, Sendable {
        /// The file is gone: its row goes.
        case forget

        /// The file is there, or may be: its row is as before.
        case putBack
    }

    /// Decides from what is on the disk.
    ///
    /// - Parameters:
    ///   - isHeld: ``FilePurge/settle(_:)`` has removed it.
    ///   - isFound: It lies in the container, known by its stamp; false when two looks missed it, since
    ///     one can miss a file that is moved meanwhile.
    ///   - isComplete: All of the container was looked through, twice for what was missed.
    /// - Returns: What to do with the row.
    package static func action(isHeld: Bool, isFound: Bool, isComplete: Bool) -> Action {
        isFound || !isHeld && !isComplete ? .putBack : .forget
    }
}
