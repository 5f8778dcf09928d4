import Foundation
import Glibc
internal import LinuxSystem
internal import Synchronization

/// Finds processes that a program under test has left behind.
///
/// The test process is a subreaper (`prctl(2)`, PR_SET_CHILD_SUBREAPER): whatever outlives its own
/// parent becomes a child of the tests, whatever it is called, and is told from the programs that the
/// tests have started themselves.
package enum ProcessAudit {
    private static let expected = Mutex<Set<Int32>>([])

    private static let isSubreaper = (try? ProcessTree.adoptOrphans()) != nil

    /// Notes a process that a test has started itself.
    static func expect(_ pid: Int32) {
        _ = isSubreaper
        expected.withLock { _ = $0.insert(pid) }
    }

    static func forget(_ pid: Int32) {
        expected.withLock { _ = $0.remove(pid) }
    }

    /// The orphans that are alive now; dead ones are reaped.
    package static func orphans() -> [Int32] {
        let known = expected.withLock { $0 }
        return children(of: getpid()).filter { pid in
            guard !known.contains(pid) else { return false }
            var status: Int32 = 0
            return unsafe waitpid(pid, &status, WNOHANG) == 0
        }
    }

    private static func children(of parent: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { pid in
            guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
                let end = stat.lastIndex(of: ")")
            else { return false }
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            return fields.count > 1 && Int32(fields[1]) == parent
        }
    }
}
