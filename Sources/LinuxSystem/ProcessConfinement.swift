internal import CLinuxShims

/// Calls by which a process gives up rights for good.
///
/// `prctl(2)`, `capabilities(7)`.
package enum ProcessConfinement {
    /// The kernel sends `signal` when the thread that started this process ends.
    ///
    /// Forgotten by the kernel when the process changes its user.
    package static func dieWithParent(signal: Int32) throws(SystemError) {
        try SystemError.check(
            bah_set_parent_death_signal(signal), "prctl", "PR_SET_PDEATHSIG")
    }

    /// Processes below this one that lose their parent become children of this one.
    package static func adoptOrphans() throws(SystemError) {
        try SystemError.check(bah_adopt_orphans(), "prctl", "PR_SET_CHILD_SUBREAPER")
    }

    package static func refuseNewPrivileges() throws(SystemError) {
        try SystemError.check(bah_set_no_new_privileges(), "prctl", "PR_SET_NO_NEW_PRIVS")
    }

    /// Not traceable, no core file; /proc/PID belongs to root.
    package static func hideMemory(_ isHidden: Bool = true) throws(SystemError) {
        try SystemError.check(bah_set_dumpable(isHidden ? 0 : 1), "prctl", "PR_SET_DUMPABLE")
    }

    package static func disableHugePages() throws(SystemError) {
        try SystemError.check(bah_disable_huge_pages(), "prctl", "PR_SET_THP_DISABLE")
    }

    /// Empties the bounding set; without CAP_SETPCAP there is nothing to take, which is no error.
    package static func dropBoundingSet() throws(SystemError) {
        let status = bah_drop_bounding_set()
        guard status != -1 else { return }
        try SystemError.check(status, "prctl", "PR_CAPBSET_DROP")
    }

    /// Empties every other set and looks that they are empty.
    package static func dropCapabilities() throws(SystemError) {
        try SystemError.check(bah_drop_capabilities(), "capset", "all capabilities")
        let left = try SystemError.check(bah_has_capabilities(), "capget", "all capabilities")
        guard left == 0 else {
            throw SystemError(call: "capset", subject: "all capabilities", code: 1)
        }
    }

    /// The effective user of this process.
    ///
    /// `geteuid(2)`.
    package static var user: UInt32 { bah_effective_user() }

    /// The effective user and group.
    package static var userAndGroup: UserAndGroup {
        UserAndGroup(user: bah_effective_user(), group: bah_effective_group())
    }

    /// Becomes user and group `identity`, without other groups.
    package static func become(identity: UInt32) throws(SystemError) {
        try SystemError.check(
            bah_become_identity(identity), "setresuid", "user \(identity)")
    }
}

/// How the C library behaves in a worker.
package enum LibraryTuning {
    package static func useOneArena() throws(SystemError) {
        try SystemError.check(bah_use_one_arena(), "mallopt", "M_ARENA_MAX")
    }

    /// Sets the stack of threads that ask for none.
    ///
    /// - Parameter stackBytes: From 16 KiB.
    /// - Throws: ``SystemError`` with EINVAL below.
    package static func setThreadStack(_ stackBytes: UInt64) throws(SystemError) {
        try SystemError.check(
            bah_set_thread_stack(stackBytes), "pthread_setattr_default_np",
            "\(stackBytes) bytes")
    }

    package static func bufferOutputByLines() throws(SystemError) {
        try SystemError.check(bah_buffer_lines(), "setvbuf", "standard output")
    }

    /// The C library's version, such as `2.36`.
    ///
    /// gnu_get_libc_version(3).
    package static var glibcVersion: String {
        unsafe String(cString: bah_read_glibc_version())
    }

    /// The C library's file.
    ///
    /// dladdr(3).
    package static var glibcPath: String? {
        unsafe bah_read_library_path().map { unsafe String(cString: $0) }
    }
}
