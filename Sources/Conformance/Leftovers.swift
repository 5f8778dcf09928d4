internal import Glibc
internal import HostEngine
internal import LinuxSystem

/// What a run must not leave behind: what is there that was not before.
struct Leftovers {
    /// How long the kernel may take to end and close what was killed.
    private static let patience = Duration.seconds(2)

    /// How many descriptors this process has open, and which System V objects there are.
    private let descriptors: Int
    private let objects: Set<String>

    /// To be taken before the run.
    static func now() -> Leftovers {
        Leftovers(descriptors: openDescriptors ?? 0, objects: markedObjects ?? [])
    }

    /// Looks after the run; orphans must have come to this process: `prctl(2)`,
    /// PR_SET_CHILD_SUBREAPER.
    ///
    /// - Parameter container: Its `tmp/` and its unfinished downloads are looked at.
    /// - Returns: Their names, and what could not be looked at; empty when all is as before.
    func found(container: String) -> [String] {
        let deadline = BootClock.now() + Leftovers.patience
        while Leftovers.processes != [] || (Leftovers.openDescriptors ?? 0) > descriptors,
            BootClock.now() < deadline
        {
            var set = PollSet()
            try? set.wait(timeout: .milliseconds(2))
        }
        var found = Leftovers.processes?.map { "process \($0)" } ?? ["no list of processes"]
        found += Leftovers.temporaryNames(in: container)
        for name in Leftovers.names(in: "\(container)/.bahost")
        where name != ContainerState.fileName {
            found.append(".bahost/\(name)")
        }
        let objects = Leftovers.markedObjects?.subtracting(objects).sorted()
        found += objects ?? ["no list of System V objects"]
        guard let now = Leftovers.openDescriptors else { return found + ["no list of descriptors"] }
        if now > descriptors { found.append("\(now - descriptors) descriptors of the host's") }
        return found
    }

    /// Nil when they cannot be listed; there is always one.
    private static var openDescriptors: Int? {
        let count = names(in: "/proc/self/fd").count
        return count > 0 ? count : nil
    }

    /// Those below this one that have not ended; nil when they cannot be listed.
    private static var processes: [Int32]? {
        let main = "/proc/self/task/\(getpid())/children"
        guard ProcFile.text(main) != nil else { return nil }
        return ProcFile.descendants(of: getpid()).filter(ProcFile.isRunning)
    }

    /// What the case has left in the container's `tmp/`, a link in its place included.
    private static func temporaryNames(in container: String) -> [String] {
        do throws(SystemError) {
            let folder = try ConfinedFolder("\(container)/tmp")
            return try folder.names(limit: 4096).map { "tmp/\($0)" }
        } catch {
            return error.code == ENOENT ? [] : ["\(error)"]
        }
    }

    private static func names(in folder: String) -> [String] {
        var names: [String] = []
        FolderNames.each(in: folder) { name in
            if name != ".", name != ".." { names.append(name) }
            return .no
        }
        return names
    }

    /// System V objects with the hostile library's mark, which would outlive a worker; nil when they
    /// cannot be listed.
    ///
    /// proc_sysvipc(5).
    private static var markedObjects: Set<String>? {
        var found: Set<String> = []
        for kind in ["sem", "msg", "shm"] {
            // A kernel without them has no such file, and nothing to leave.
            guard unsafe access("/proc/sysvipc/\(kind)", F_OK) == 0 else { continue }
            guard let text = ProcFile.text("/proc/sysvipc/\(kind)") else { return nil }
            for line in text.split(separator: "\n").dropFirst() {
                let numbers = line.split(separator: " ").prefix(2).compactMap { Int32($0) }
                guard numbers.count == 2, numbers[0] >> 16 == 0x0ba4 else { continue }
                found.insert("System V \(kind) \(numbers[1])")
            }
        }
        return found
    }
}
