internal import Glibc

/// Taking back a state folder that a run made and did not need.
enum StateCleaning {
    private static let names = [
        "downloads.sqlite", "downloads.sqlite-wal", "downloads.sqlite-shm", "host.lock",
    ]

    /// Removes the closed database and the folder, which goes only when nothing else is in it.
    static func remove(_ path: String) {
        for name in names { _ = unsafe unlink("\(path)/\(name)") }
        _ = unsafe rmdir(path)
    }
}
