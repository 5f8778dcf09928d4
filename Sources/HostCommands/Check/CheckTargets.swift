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

    /// Why it cannot be checked; nil for what is tried.
    var refusal: String?
}

/// What the words of a command line lead to.
enum CheckTargets {
    /// Names in a folder that are looked at.
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
        var count = 0
        FolderNames.each(in: path) { name in
            count += 1
            if count <= mostNames, name.hasSuffix(".so") { names.append(name) }
            return count <= mostNames ? .no : .yes
        }
        let start = word.hasSuffix("/") ? word : "\(word)/"
        var targets = names.sorted().compactMap { name in
            target(shown: start + name, "\(path)/\(name)")
        }
        if count > mostNames {
            targets.append(
                CheckTarget(
                    name: word, path: path, isFound: true,
                    refusal: "it has more than \(mostNames) names; the rest was not looked at"))
        }
        guard !targets.isEmpty else {
            throw RunError(.inputMissing, "cannot check \(word): no file in it ends with .so")
        }
        return targets
    }

    /// Nil for a folder.
    private static func target(shown: String, _ path: String) -> CheckTarget? {
        var target = CheckTarget(name: shown, path: path, isFound: true)
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            target.refusal = reason(errno, path)
            return target
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return nil
        case S_IFREG: return target
        default:
            target.refusal = "it is not a regular file"
            return target
        }
    }

    private static func reason(_ code: Int32, _ path: String) -> String {
        var status = stat()
        let isLink = unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        return switch code {
        case ENOENT where isLink: "it is a link that leads nowhere"
        // Names are repaired where they are read.
        case ENOENT where path.unicodeScalars.contains("\u{FFFD}"): "its name is not UTF-8"
        default: SystemError.message(for: code)
        }
    }
}
