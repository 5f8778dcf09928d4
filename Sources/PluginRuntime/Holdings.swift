internal import Glibc
internal import LinuxSystem
internal import WireProtocol

/// Counts what this process has open, to be told to the host between two calls.
enum Holdings {
    /// Takes the number of threads from a reading of this moment.
    static func now(_ memory: ProcessMemory?) -> WorkerHoldings {
        WorkerHoldings(
            openFiles: openFiles, threads: UInt32(clamping: memory?.threads ?? 0))
    }

    /// One call for each number: some ten microseconds for the usual limit of 32.
    ///
    /// fcntl(2), F_GETFD; getrlimit(2), RLIMIT_NOFILE.
    private static var openFiles: UInt32 {
        let limit = ResourceLimit.openFiles.current
        let numbers = Int32(clamping: min(limit, UInt64(WireBound.countedFiles)))
        var count: UInt32 = 0
        for number in 0..<numbers where fcntl(number, F_GETFD) >= 0 { count += 1 }
        return count
    }
}
