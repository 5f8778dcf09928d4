internal import Glibc

/// Text work on paths, and the kernel's own resolution.
package enum Paths {
    /// All links followed.
    ///
    /// `realpath(3)`; nil when the path does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(validatingCString: text)
    }

    /// What separates the names in a path, to the kernel: a byte.
    ///
    /// With what combines with it a slash is one Character, which is not `"/"`; so no path is taken
    /// apart by Characters. `path_resolution(7)`.
    package static let separator = UInt8(ascii: "/")

    /// The names in a path as the kernel reads it, an empty one where two slashes meet and before the
    /// first and after the last one.
    package static func names(of path: String) -> [Substring] {
        path.utf8.split(separator: separator, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// False for a path that starts in the working folder.
    package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == separator }

    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: separator) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The working folder, absolute.
    ///
    /// `getcwd(3)`.
    ///
    /// - Throws: ``SystemError``: `ENOENT` for one that is removed or out of reach, `EILSEQ` for one
    ///   whose path is not UTF-8.
    package static func workingFolder() throws(SystemError) -> String {
        guard let text = unsafe getcwd(nil, 0) else {
            throw SystemError(call: "getcwd", subject: "working folder", code: errno)
        }
        defer { unsafe free(text) }
        guard let path = unsafe String(validatingCString: text) else {
            throw SystemError(call: "getcwd", subject: "working folder", code: EILSEQ)
        }
        guard isAbsolute(path) else {
            throw SystemError(call: "getcwd", subject: "working folder", code: ENOENT)
        }
        return path
    }
}
