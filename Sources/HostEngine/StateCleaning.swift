internal import Glibc
internal import LinuxSystem

/// Making the folder for a state.
enum StateMaking {
    /// Makes it with all that leads there, never inside the container.
    ///
    /// - Returns: What was made, outermost first.
    /// - Throws: ``RunError`` with `outputFailed`.
    static func make(_ path: String, for containerPath: String) throws(RunError) -> [String] {
        let made: [String]
        do throws(SystemError) {
            made = try FolderMaking.makeAll(path)
        } catch {
            throw RunError(
                .outputFailed,
                "cannot make the state folder \(error.subject): "
                    + SystemError.message(for: error.code))
        }
        let state = Paths.resolved(path) ?? path
        let container = Paths.resolved(containerPath) ?? containerPath
        guard state != container, !state.utf8.starts(with: "\(container)/".utf8) else {
            FolderMaking.remove(made)
            throw RunError(
                .outputFailed, "the state folder \(state) is inside the output folder")
        }
        return made
    }
}

/// Taking back a state folder that a run made and did not need.
enum StateCleaning {
    private static let names = [
        "downloads.sqlite", "downloads.sqlite-wal", "downloads.sqlite-shm", "ballast", "host.lock",
    ]

    /// Removes the closed database and what was made for it; a folder goes only when it is empty.
    static func remove(_ path: String, made: [String]) {
        guard made.contains(path) else { return }
        for name in names { _ = unsafe unlink("\(path)/\(name)") }
        FolderMaking.remove(made)
    }
}
