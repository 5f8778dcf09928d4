package import CommandLineOptions
internal import HostEngine
internal import LinuxSystem

/// Where a run's state goes when `--state` does not say.
package enum RunStateFolder {
    /// `$XDG_STATE_HOME`, else `$HOME/.local/state`; nil when neither is absolute.
    ///
    /// XDG Base Directory Specification: a relative value is ignored.
    package static func base(environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], Paths.isAbsolute(state) {
            return PathText.absolute(state, in: "/")
        }
        guard let home = environment["HOME"], Paths.isAbsolute(home) else { return nil }
        return PathText.absolute("\(home)/.local/state", in: "/")
    }

    /// The folder that `--state` names, else the one for the container `output`; absolute.
    ///
    /// - Throws: ``CommandLineOptionsError`` of `program` when no folder for state is known.
    package static func path(
        named state: String?, output: String, of program: String, in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> String {
        if let state { return PathText.absolute(state, in: surroundings.folder) }
        guard let base = base(environment: surroundings.environment) else {
            throw CommandLineOptionsError(
                .missing, program: program,
                message: "--state is missing, and neither XDG_STATE_HOME nor HOME is a folder")
        }
        return path(base: base, output: output)
    }

    /// The container that `--output` names, else the one in the current folder; absolute.
    package static func container(
        named output: String?, in surroundings: Surroundings
    ) -> String {
        PathText.absolute(output ?? "bahost-output", in: surroundings.folder)
    }

    /// The folder for one output folder, of which every spelling has its own.
    package static func path(base: String, output: String) -> String {
        PathText.absolute("bahost/run/\(FileName.hash(output))", in: base)
    }
}

/// Paths as text; nothing is looked up.
package enum PathText {
    /// Joined to `folder` unless absolute; without `.`, repeated and final slashes.
    ///
    /// `..` stays, since what it means depends on links.
    package static func absolute(_ path: String, in folder: String) -> String {
        let whole = Paths.isAbsolute(path) ? path : "\(folder)/\(path)"
        let parts = Paths.names(of: whole).filter { !$0.isEmpty && $0 != "." }
        return "/" + parts.joined(separator: "/")
    }

    /// Whether an absolute path is `folder` or below it, with `..` resolved by name.
    package static func isInside(_ path: String, _ folder: String) -> Bool {
        let (inner, outer) = (resolved(path), resolved(folder))
        return inner.starts(with: outer) { $0.utf8.elementsEqual($1.utf8) }
    }

    private static func resolved(_ path: String) -> [Substring] {
        var parts: [Substring] = []
        for part in Paths.names(of: path) where !part.isEmpty && part != "." {
            if part == ".." {
                _ = parts.popLast()
            } else {
                parts.append(part)
            }
        }
        return parts
    }
}
