internal import Glibc

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
