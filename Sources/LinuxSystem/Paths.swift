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

    /// The working folder.
    ///
    /// `getcwd(3)`.
    package static func workingFolder() -> String {
        guard let text = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(text) }
        return unsafe String(validatingCString: text) ?? "/"
    }
}
