internal import CLinuxShims

/// How a worker leaves word of its own end.
///
/// The C half is `bah_evidence.h`.
package enum ProcessEvidence {
    /// Every handler of this process writes to `descriptor`; signals with an action of our own are
    /// those of docs/extension-author.md.
    ///
    /// `sigaction(2)`, `sigaltstack(2)`.
    package static func install(descriptor: Int32) throws(SystemError) {
        try SystemError.check(bah_install_evidence(descriptor), "sigaction", "evidence handlers")
    }

    /// Finds this thread's stack, so that processes forked later need not look for theirs.
    package static func noteStack() throws(SystemError) {
        try SystemError.check(bah_note_stack(), "pthread_getattr_np", "stack")
    }

    /// Ends the process at once, without handlers or flushing.
    ///
    /// `exit_group(2)`.
    package static func endProcess(_ status: Int32) -> Never {
        bah_end_process(status)
    }
}
