import Foundation
import LinuxSystem
import Synchronization
import Testing

struct NamedThreadTests {
    @Test func runsUnderItsNameWithSignalsBlocked() throws {
        let cell = Cell()
        let thread = try NamedThread("bah-test") { cell.look() }
        let isCurrent = thread.isCurrent
        #expect(!isCurrent)
        thread.join()
        #expect(cell.name == "bah-test\n")
        #expect(cell.blocksSIGPIPE)
    }

    private final class Cell: Sendable {
        private let found = Mutex<(name: String, blocksSIGPIPE: Bool)>(("", false))

        var name: String { found.withLock { $0.name } }
        var blocksSIGPIPE: Bool { found.withLock { $0.blocksSIGPIPE } }

        func look() {
            let name =
                (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
            let status =
                (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
            let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
            found.withLock { $0 = (name, mask & 1 << (UInt64(SIGPIPE) - 1) != 0) }
        }
    }
}
