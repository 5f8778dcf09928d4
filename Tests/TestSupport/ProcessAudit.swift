import Foundation

/// Finds processes that a program under test has left behind, by a marker and not by a name.
///
/// The marker is text that only this test's processes have in their command lines, such as the path
/// of its scratch folder; a forked child keeps its parent's. `proc_pid_cmdline(5)`.
package enum ProcessAudit {
    /// The processes, zombies not counted, whose command line holds the marker.
    package static func alive(marked marker: String) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let wanted = Data(marker.utf8)
        return names.compactMap { Int32($0) }.filter { pid in
            let line = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/cmdline"))
            return line?.range(of: wanted) != nil
        }
    }

    /// The process that started it, or took it over; nil when there is no such process.
    package static func parent(of pid: Int32) -> Int32? {
        fields(of: pid).flatMap { $0.count > 1 ? Int32($0[1]) : nil }
    }

    /// The processes, zombies too, that `pid` is the parent of.
    package static func children(of pid: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { parent(of: $0) == pid }
    }

    /// User and system time, in the kernel's ticks of mostly 10 ms.
    package static func ticks(of pid: Int32) -> Int {
        guard let fields = fields(of: pid), fields.count > 12 else { return 0 }
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }

    /// One line of a process's status, without its name; empty when there is none.
    ///
    /// `proc_pid_status(5)`.
    package static func status(_ name: String, of pid: Int32) -> String {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line.map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) } ?? ""
    }

    /// What follows the program's name, the state first.
    ///
    /// `proc_pid_stat(5)`.
    private static func fields(of pid: Int32) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }
}
