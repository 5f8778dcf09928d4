internal import CLinuxShims

/// This process's place among others.
package enum ProcessTree {
    /// Makes orphans among this process's descendants its own children.
    ///
    /// `prctl(2)`, PR_SET_CHILD_SUBREAPER.
    ///
    /// - Throws: ``SystemError`` on kernels older than 3.4.
    package static func adoptOrphans() throws(SystemError) {
        try SystemError.check(bah_set_child_subreaper(), "prctl", "PR_SET_CHILD_SUBREAPER")
    }
}
