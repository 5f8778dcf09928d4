internal import Glibc
internal import LinuxSystem

/// Space in the state folder that is kept for the hour when the disk is full.
///
/// Without any SQLite cannot even open a database that has a log, and nothing could be removed for
/// want of it: what is to be removed is written down first. The ballast is given up for that, and
/// made again when there is room.
struct Ballast {
    static let name = "ballast"

    /// Opening, and then a change of 256 rows on a page each, take 1.1 MiB (seen with 3.40.1).
    static let sizeBytes = 32 * 64 * 1024

    /// Descriptor of the state folder.
    let folder: Int32

    /// What is not there of it, in bytes; 0 where there can be none.
    var missingBytes: UInt64 { heldBytes.map { UInt64(max(0, Self.sizeBytes - $0)) } ?? 0 }

    /// The device of the state folder.
    var device: UInt64? {
        var facts = stat()
        return unsafe fstat(folder, &facts) == 0 ? UInt64(facts.st_dev) : nil
    }

    /// Makes it, unless it is there with its full size.
    ///
    /// Where there is no room for it, or something else has its name, there is none.
    func make() {
        guard let held = heldBytes, held < Self.sizeBytes else { return }
        // Past this limit the kernel does not refuse, it kills.
        guard ResourceLimit.fileSizeBytes.current >= UInt64(Self.sizeBytes) else { return }
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = unsafe openat(folder, Self.name, flags, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        if posix_fallocate(file, 0, off_t(Self.sizeBytes)) != 0 { ftruncate(file, 0) }
    }

    /// Runs `body`, and once more without the ballast when that is what it lacks.
    ///
    /// - Parameter body: What needs space; it leaves nothing behind when it throws.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, the second time if there was one.
    func makingRoom<Result>(
        _ body: () throws(DownloadStoreError) -> Result
    ) throws(DownloadStoreError) -> Result {
        do {
            return try body()
        } catch let error where error.code == .noSpace && giveUp() {
            return try body()
        }
    }

    /// Gives its space back to the disk.
    ///
    /// - Returns: False when there was none.
    private func giveUp() -> Bool {
        guard let held = heldBytes, held > 0 else { return false }
        let flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = unsafe openat(folder, Self.name, flags)
        guard file >= 0 else { return false }
        defer { close(file) }
        return ftruncate(file, 0) == 0
    }

    /// What it takes of the disk, 0 when it is not there; nil when its name is another thing's.
    ///
    /// Looked at by its name: to open and close another name of the database would end SQLite's
    /// locks. A copy may have its size and be a hole.
    private var heldBytes: Int? {
        var facts = stat()
        guard unsafe fstatat(folder, Self.name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else {
            return errno == ENOENT ? 0 : nil
        }
        guard facts.st_mode & S_IFMT == S_IFREG, facts.st_nlink == 1 else { return nil }
        return min(Int(facts.st_size), Int(facts.st_blocks) * 512)
    }
}
