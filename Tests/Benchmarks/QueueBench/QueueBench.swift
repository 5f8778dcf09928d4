internal import DownloadStore
internal import LinuxSystem

/// A long queue in a real store: filled by one process, measured by another.
///
///     queue-bench fill FOLDER COUNT APPS
///     queue-bench pick FOLDER PICKS
///
/// `Tests/Benchmarks/bench` starts it and reads what the second form prints:
///
///     start NANOSECONDS       from the opening until no more downloads start
///     memory BYTES            resident then, or after the picks when that is more
///     picks NANOSECONDS...    from the end of one download to the start of the next, one number each
enum QueueBench {
    static let usage = "usage: queue-bench fill FOLDER COUNT APPS | queue-bench pick FOLDER PICKS"

    static func main(_ arguments: [String]) -> Int32 {
        do throws(DownloadStoreError) {
            let numbers = arguments.dropFirst(2).compactMap(Int.init).filter { $0 > 0 }
            switch (arguments.first, numbers.count) {
            case ("fill", 2):
                try QueueFilling.fill(arguments[1], count: numbers[0], apps: numbers[1])
            case ("pick", 1):
                try pick(arguments[1], count: numbers[0])
            default:
                print(usage, onError: true)
                return 64
            }
            return 0
        } catch {
            print("\(error)", onError: true)
            return 1
        }
    }

    private static func pick(_ folder: String, count: Int) throws(DownloadStoreError) {
        let begun = BootClock.now()
        var run = try QueueRun(folder)
        let started = BootClock.now() - begun
        let before = resident
        var picks: [Int64] = []
        picks.reserveCapacity(count)
        for _ in 0..<count {
            guard let time = try run.pick() else { break }
            picks.append(time.wholeNanoseconds)
        }
        let after = resident
        try run.end()
        print("start \(started.wholeNanoseconds)")
        print("memory \(max(before, after))")
        print("picks " + picks.map(String.init).joined(separator: " "))
    }

    /// Bytes of this process in memory; `proc_pid_status(5)`, VmRSS.
    private static var resident: UInt64 {
        let lines = ProcFile.text("/proc/self/status")?.split(separator: "\n") ?? []
        let words = lines.first { $0.hasPrefix("VmRSS:") }?.split(separator: " ") ?? []
        return words.count == 3 ? (UInt64(words[1]) ?? 0) << 10 : 0
    }

    static func print(_ line: String, onError: Bool = false) {
        _ = DescriptorIO.write(onError ? 2 : 1, Array((line + "\n").utf8)[...])
    }
}
