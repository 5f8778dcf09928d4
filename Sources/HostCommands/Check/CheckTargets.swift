internal import ExtensionHost
internal import Glibc
internal import HostEngine
internal import LinuxSystem

/// A file to check.
struct CheckTarget: Hashable {
    /// As it is shown.
    let name: String

    /// Absolute.
    let path: String

    /// True for a file that was found in a folder, which the quarantine may keep away.
    let isFound: Bool
}

/// What the words of a command line lead to.
enum CheckTargets {
    /// Files in a folder that are looked at.
    private static let mostNames = 65_536

    /// - Throws: ``RunError`` with `inputMissing` for a word that leads nowhere, and a folder
    ///   without a plugin.
    static func find(_ words: [String], in folder: String) throws(RunError) -> [CheckTarget] {
        var targets: [CheckTarget] = []
        for word in words {
            let path = PathText.absolute(word, in: folder)
            var status = stat()
            guard unsafe stat(path, &status) == 0 else {
                throw RunError(
                    .inputMissing,
                    "cannot check \(word): \(SystemError.message(for: errno))")
            }
            if status.st_mode & S_IFMT == S_IFDIR {
                targets += try files(of: word, path)
            } else {
                targets.append(CheckTarget(name: word, path: path, isFound: false))
            }
        }
        return targets
    }

    private static func files(of word: String, _ path: String) throws(RunError) -> [CheckTarget] {
        guard unsafe access(path, R_OK | X_OK) == 0 else {
            throw RunError(
                .inputMissing, "cannot check \(word): \(SystemError.message(for: errno))")
        }
        var names: [String] = []
        FolderNames.each(in: path) { name in
            if name.hasSuffix(".so") { names.append(name) }
            return names.count < mostNames ? .no : .yes
        }
        let targets = names.sorted().compactMap { name -> CheckTarget? in
            var status = stat()
            let place = "\(path)/\(name)"
            guard unsafe stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                return nil
            }
            let shown = word.hasSuffix("/") ? word + name : "\(word)/\(name)"
            return CheckTarget(name: shown, path: place, isFound: true)
        }
        guard !targets.isEmpty else {
            throw RunError(.inputMissing, "cannot check \(word): no file in it ends with .so")
        }
        return targets
    }
}
