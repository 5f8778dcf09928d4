internal import Glibc
internal import LinuxSystem

/// What a run must not leave behind.
enum Leftovers {
    /// How long the kernel may take to end what was killed.
    private static let patience = Duration.seconds(2)

    /// What is there that was not before.
    ///
    /// - Parameters:
    ///   - container: Its `tmp/` and its unfinished downloads are looked at.
    ///   - descriptors: How many this process had open before the run.
    /// - Returns: Their names; empty when all is as before.
    static func found(container: String, descriptors: Int) -> [String] {
        var found: [String] = []
        let deadline = BootClock.now() + patience
        while !processes.isEmpty, BootClock.now() < deadline {
            var set = PollSet()
            try? set.wait(timeout: .milliseconds(2))
        }
        for process in processes { found.append("process \(process)") }
        for name in names(in: "\(container)/tmp") { found.append("tmp/\(name)") }
        for name in names(in: "\(container)/.bahost") { found.append(".bahost/\(name)") }
        if markedObjects > 0 { found.append("\(markedObjects) System V objects") }
        if openDescriptors > descriptors {
            found.append("\(openDescriptors - descriptors) descriptors of the host's")
        }
        return found
    }

    static var openDescriptors: Int { names(in: "/proc/self/fd").count }

    private static var processes: [Int32] {
        ProcFile.descendants(of: getpid()).filter(ProcFile.isRunning)
    }

    private static func names(in folder: String) -> [String] {
        var names: [String] = []
        FolderNames.each(in: folder) { name in
            if name != ".", name != ".." { names.append(name) }
            return .no
        }
        return names
    }

    /// System V objects with the hostile library's mark, which would outlive a worker.
    ///
    /// proc_sysvipc(5).
    private static var markedObjects: Int {
        ["sem", "msg", "shm"].map { kind in
            (ProcFile.text("/proc/sysvipc/\(kind)") ?? "")
                .split(separator: "\n").dropFirst()
                .compactMap { $0.split(separator: " ").first.flatMap { Int32($0) } }
                .count { $0 >> 16 == 0x0ba4 }
        }.reduce(0, +)
    }
}
