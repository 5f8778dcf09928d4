internal import Glibc
internal import LinuxSystem

/// What a worker may read and write: the table of docs/threat-model.md.
struct FileRules {
    struct Rule: Hashable {
        let path: String
        let rights: LandlockRuleset.Rights

        /// Whether it is an error when the path is not there.
        let isRequired: Bool
    }

    let rules: [Rule]

    private static let systemFolders = [
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo",
    ]
    private static let systemFiles = ["/etc/ld.so.cache", "/etc/localtime", "/etc/timezone"]

    init(_ paths: SandboxPaths) {
        let reading: LandlockRuleset.Rights = [.readFile, .readFolder]
        var rules: [Rule] = []
        for folder in [paths.pluginFolder] + paths.runtimeFolders + FileRules.systemFolders {
            rules.append(Rule(path: folder, rights: reading, isRequired: false))
        }
        for file in FileRules.systemFiles + [paths.manifest].compactMap({ $0 }) {
            rules.append(Rule(path: file, rights: .readFile, isRequired: false))
        }
        // libdispatch reads /proc/TID/stat of its threads, and traps without it.
        rules.append(Rule(path: "/proc", rights: .readFile, isRequired: false))
        rules.append(Rule(path: "/dev/null", rights: [.readFile, .writeFile], isRequired: false))
        rules.append(Rule(path: "/dev/urandom", rights: .readFile, isRequired: false))
        for folder in paths.writableFolders {
            rules.append(
                Rule(
                    path: folder, rights: [.readFile, .readFolder, .writeFile, .changeFolder],
                    isRequired: true))
        }
        self.rules = rules
    }

    func apply() throws(SystemError) {
        try ruleset().apply()
    }

    func ruleset() throws(SystemError) -> LandlockRuleset {
        let ruleset = try LandlockRuleset()
        for rule in rules {
            do { try ruleset.grant(rule.rights, on: rule.path) } catch {
                // What cannot be reached needs no right.
                let isAway = [ENOENT, ENOTDIR, EACCES].contains(error.code)
                guard isAway, !rule.isRequired else { throw error }
            }
        }
        return ruleset
    }
}

extension SandboxClosing {
    mutating func confineFiles() throws(SandboxError) {
        let rules = FileRules(report.paths)
        // EPERM: without no-new-privileges only CAP_SYS_ADMIN may restrict itself. landlock(7).
        try attempt(.landlock, refusals: [ENOSYS, EOPNOTSUPP, EPERM]) { () throws(SystemError) in
            try rules.apply()
        }
    }
}
