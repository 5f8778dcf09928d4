internal import Glibc
internal import HostEngine
internal import LinuxSystem

/// The private folder of the suite: copies of plugins, and what each case makes.
///
/// Open to all for passing through: a worker may have an id of its own.
final class SuiteFolder: Sendable {
    let path: String

    /// Makes `bahost-conformance-PID-TIME` in `parent`.
    ///
    /// - Throws: ``ConformanceError`` with the kernel's reason.
    init(in parent: String) throws(ConformanceError) {
        path = "\(parent)/bahost-conformance-\(getpid())-\(BootClock.now().nanoseconds)"
        try SuiteFolder.make(path, mode: 0o755)
        try SuiteFolder.make("\(path)/plugins", mode: 0o755)
    }

    deinit {
        try? FolderSweep.empty(path)
        _ = unsafe rmdir(path)
    }

    var plugins: String { "\(path)/plugins" }

    /// Everything of the case before is removed.
    func fresh() throws(ConformanceError) -> CaseFolder {
        let folder = CaseFolder(path: "\(path)/case")
        try ConformanceError.whereNoRoom { () throws(SystemError) in
            try FolderSweep.empty(folder.path)
        }
        _ = unsafe rmdir(folder.path)
        try SuiteFolder.make(folder.path, mode: 0o755)
        // Whoever the worker is: only layers stand between it and this.
        try SuiteFolder.make(folder.outside, mode: 0o777)
        try SuiteFolder.write(folder.victim, SuiteFolder.untouched, mode: 0o666)
        return folder
    }

    private static func make(_ path: String, mode: mode_t) throws(ConformanceError) {
        guard unsafe mkdir(path, mode) == 0, unsafe chmod(path, mode) == 0 else {
            throw ConformanceError(
                .noRoom, "cannot make \(path): \(SystemError.message(for: errno))")
        }
    }

    /// Makes a file that was not there, with this mode whatever the umask.
    static func write(
        _ path: String, _ bytes: [UInt8], mode: mode_t
    ) throws(ConformanceError) {
        try ConformanceError.whereNoRoom { () throws(SystemError) in
            let file = try Descriptor.open(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
            try DescriptorIO.writeAll(file.raw, bytes, subject: path)
            try SystemError.checkErrno(fchmod(file.raw, mode), "fchmod", path)
        }
    }

    /// What the victim must still hold.
    fileprivate static let untouched = Array("nobody may touch this\n".utf8)
}

/// The folder of one case.
struct CaseFolder {
    let path: String

    var container: String { "\(path)/container" }
    var state: String { "\(path)/state" }
    var manifest: String { "\(path)/manifest" }

    /// A folder that is no business of the plugin's.
    var outside: String { "\(path)/outside" }
    var victim: String { "\(outside)/victim" }

    /// True when the victim is as it was made, and alone.
    var isVictimUntouched: Bool {
        guard let folder = try? ConfinedFolder(outside),
            (try? folder.names(limit: 1)) == ["victim"],
            let status = try? folder.status("victim"), status.kind == .file,
            status.permissions == 0o666, status.links == 1, let file = try? folder.open("victim"),
            let bytes = try? DescriptorIO.readAll(file.raw, limit: 4096, subject: victim)
        else { return false }
        return bytes == SuiteFolder.untouched
    }
}
