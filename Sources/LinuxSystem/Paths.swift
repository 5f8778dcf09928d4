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

    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
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
        guard path.hasPrefix("/") else {
            throw SystemError(call: "getcwd", subject: "working folder", code: ENOENT)
        }
        return path
    }
}
