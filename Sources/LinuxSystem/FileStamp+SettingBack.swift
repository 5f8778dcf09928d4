internal import CLinuxShims
internal import Glibc

extension FileStamp {
    /// More than a step of any clock and file system: FAT's is 2 s.
    private static let secondsBack: Int64 = 3

    /// Sets the modification time of a file of the host's back, and looks at it then.
    ///
    /// Times go in steps: a write just after the host's last one would leave the time as it was, and
    /// with the same length the stamp too. No later write gives a time before that of the last one.
    /// Nil where that cannot be done. `futimens(2)`.
    ///
    /// - Parameter file: Nobody else can write to it yet.
    package init?(settingBack file: Int32) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return nil }
        let before = FileStamp(status)
        let seconds = Int64(status.st_mtim.tv_sec) &- FileStamp.secondsBack
        guard bah_set_modified(file, seconds, Int64(status.st_mtim.tv_nsec)) == 0,
            unsafe fstat(file, &status) == 0
        else { return nil }
        self.init(status)
        // Some file systems agree and do nothing.
        guard modifiedNanoseconds < before.modifiedNanoseconds else { return nil }
    }
}
