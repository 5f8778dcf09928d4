internal import LinuxSystem

extension ProcFile {
    /// The processes below one, at any depth, zombies too.
    ///
    /// proc_tid_children(5).
    static func descendants(of pid: Int32) -> [Int32] {
        var found: [Int32] = []
        FolderNames.each(in: "/proc/\(pid)/task") { task in
            guard !task.hasPrefix(".") else { return .no }
            let children = text("/proc/\(pid)/task/\(task)/children") ?? ""
            found += children.split(separator: " ").compactMap { Int32($0) }
            return .no
        }
        return found + found.flatMap { descendants(of: $0) }
    }

    /// True until it is a zombie or gone.
    ///
    /// proc_pid_stat(5).
    static func isRunning(_ pid: Int32) -> Bool {
        guard let text = text("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else {
            return false
        }
        return !text[end...].dropFirst(2).starts(with: ["Z"])
    }
}
