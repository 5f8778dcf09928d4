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
}
