internal import CSeccomp
internal import Glibc
internal import LinuxSystem

/// The worker's system call filter, built with libseccomp.
///
/// seccomp(2).
enum SystemCallFilter {
    /// Builds the filter.
    ///
    /// - Parameters:
    ///   - process: The process it is for, the only one that may be signalled.
    ///   - keepsMetadata: See ``SystemCallTable/rules(process:keepsMetadata:)``.
    /// - Returns: What the kernel takes.
    /// - Throws: ``SystemError`` with the library's errno.
    static func program(
        process: Int32, keepsMetadata: Bool
    ) throws(SystemError) -> SystemCallProgram {
        let unknown = bah_seccomp_errno_action(UInt16(ENOSYS))
        guard let context = unsafe seccomp_init(unknown) else {
            throw SystemError(call: "seccomp_init", subject: "filter", code: ENOMEM)
        }
        // SAFETY: `context` is used only here and released once.
        defer { unsafe seccomp_release(context) }
        var filter = unsafe FilterBuilder(context: context)
        try filter.configure()
        for name in SystemCallTable.allowed {
            try filter.add(name, bah_seccomp_allow_action())
        }
        try filter.allow(MemorySealing.systemCallNumber)
        for name in SystemCallTable.trapped { try filter.add(name, bah_seccomp_trap_action()) }
        for name in SystemCallTable.refused {
            try filter.add(name, bah_seccomp_errno_action(UInt16(EPERM)))
        }
        for rule in SystemCallTable.rules(process: process, keepsMetadata: keepsMetadata) {
            try filter.add(rule)
        }
        return try filter.program()
    }
}

/// Adds rules to a libseccomp filter.
///
/// seccomp_rule_add(3).
@safe private struct FilterBuilder {
    private let context: scmp_filter_ctx

    init(context: scmp_filter_ctx) {
        unsafe self.context = unsafe context
    }

    mutating func configure() throws(SystemError) {
        try set(SCMP_FLTATR_ACT_BADARCH, bah_seccomp_kill_action())
        // The kernel's own errno when exporting fails.
        try set(SCMP_FLTATR_API_SYSRAWRC, 1)
        // 2: a binary tree.
        try set(SCMP_FLTATR_CTL_OPTIMIZE, 2)
    }

    private func set(_ attribute: scmp_filter_attr, _ value: UInt32) throws(SystemError) {
        try SystemError.check(
            unsafe seccomp_attr_set(context, attribute, value), "seccomp_attr_set", "filter")
    }

    func add(_ name: String, _ action: UInt32) throws(SystemError) {
        let number = unsafe seccomp_syscall_resolve_name(name)
        guard number >= 0 else { return }
        try SystemError.check(
            unsafe seccomp_rule_add_array(context, action, number, 0, nil), "seccomp_rule_add",
            name)
    }

    /// Allows a call that libseccomp does not know by name yet.
    func allow(_ number: Int32) throws(SystemError) {
        try SystemError.check(
            unsafe seccomp_rule_add_array(context, bah_seccomp_allow_action(), number, 0, nil),
            "seccomp_rule_add", "\(number)")
    }

    func add(_ rule: ArgumentRule) throws(SystemError) {
        let number = unsafe seccomp_syscall_resolve_name(rule.name)
        guard number >= 0 else { return }
        let tests = rule.tests.map(FilterBuilder.comparison)
        let action = FilterBuilder.action(rule.answer)
        try SystemError.check(
            unsafe seccomp_rule_add_array(context, action, number, UInt32(tests.count), tests),
            "seccomp_rule_add", rule.name)
    }

    func program() throws(SystemError) -> SystemCallProgram {
        try SystemCallProgram { file throws(SystemError) in
            try SystemError.check(
                unsafe seccomp_export_bpf(context, file), "seccomp_export_bpf", "filter")
        }
    }

    private static func action(_ answer: ArgumentRule.Answer) -> UInt32 {
        switch answer {
        case .allow: bah_seccomp_allow_action()
        case .trap: bah_seccomp_trap_action()
        case .refuse: bah_seccomp_errno_action(UInt16(EPERM))
        case .ignore: bah_seccomp_errno_action(0)
        }
    }

    private static func comparison(_ test: ArgumentTest) -> scmp_arg_cmp {
        let number = test.number
        let (operation, first, second): (scmp_compare, UInt64, UInt64) =
            switch test.comparison {
            case .equal: (SCMP_CMP_EQ, number, 0)
            case .different: (SCMP_CMP_NE, number, 0)
            case .below: (SCMP_CMP_LT, number, 0)
            case .atMost: (SCMP_CMP_LE, number, 0)
            case .masked(let mask): (SCMP_CMP_MASKED_EQ, mask, number)
            }
        return scmp_arg_cmp(arg: test.argument, op: operation, datum_a: first, datum_b: second)
    }
}

extension Sandbox {
    /// The name of a system call of this architecture, or nil for a number it does not have.
    package static func systemCallName(_ number: Int64) -> String? {
        guard let number = Int32(exactly: number), number >= 0 else { return nil }
        let architecture = bah_seccomp_native_architecture()
        guard let name = unsafe seccomp_syscall_resolve_num_arch(architecture, number) else {
            return nil
        }
        // SAFETY: a string of malloc's, ours to free. seccomp_syscall_resolve_name(3).
        defer { unsafe free(name) }
        return unsafe String(cString: name)
    }
}
