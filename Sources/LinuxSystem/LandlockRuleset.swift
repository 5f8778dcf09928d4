internal import CLinuxShims

/// What may be done with files, once in force nothing else.
///
/// landlock(7).
package struct LandlockRuleset: ~Copyable {
    package struct Rights: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        package static let readFile = Rights(rawValue: BAH_LANDLOCK_READ_FILE.rawValue)
        package static let readFolder = Rights(rawValue: BAH_LANDLOCK_READ_FOLDER.rawValue)
        package static let writeFile = Rights(rawValue: BAH_LANDLOCK_WRITE_FILE.rawValue)

        /// Making, removing and renaming files, folders and symbolic links.
        package static let changeFolder = Rights(rawValue: BAH_LANDLOCK_CHANGE_FOLDER.rawValue)
    }

    /// The kernel's ABI, from 1.
    package let version: Int32
    private let ruleset: OwnedDescriptor

    /// A ruleset that handles every right this kernel knows and grants none.
    ///
    /// - Throws: ``SystemError`` with ENOSYS or EOPNOTSUPP when the kernel has no Landlock.
    package init() throws(SystemError) {
        let found = try SystemError.check(
            bah_read_landlock_version(), "landlock_create_ruleset", "version")
        let raw = try SystemError.check(
            bah_create_landlock_ruleset(found), "landlock_create_ruleset", "ABI \(found)")
        version = found
        ruleset = OwnedDescriptor(adopting: raw)
    }

    /// Grants rights on a file or folder and everything below it.
    package func grant(_ rights: Rights, on path: String) throws(SystemError) {
        let status = unsafe bah_add_landlock_path(ruleset.raw, version, path, rights.rawValue)
        try SystemError.check(status, "landlock_add_rule", path)
    }

    /// Puts it in force for this thread and all it starts, for good.
    package func apply() throws(SystemError) {
        try SystemError.check(
            bah_apply_landlock(ruleset.raw), "landlock_restrict_self", "ABI \(version)")
    }
}
