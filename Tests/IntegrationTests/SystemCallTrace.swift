import Foundation
import TestSupport

/// What strace(1) has seen of some system calls, in the order of their beginnings.
///
/// Begin and end of a call are places in the one sequence of all processes and threads; a call that
/// another one interrupts ends where it is resumed.
struct SystemCallTrace {
    struct Call {
        /// The number of the thread that made it.
        let thread: Substring
        let name: String
        /// The arguments as written, with the paths behind descriptors: `17</some/file>`.
        let arguments: String
        let begin: Int
        var end: Int

        /// The path of the first descriptor.
        var path: Substring {
            arguments.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
        }
    }

    private(set) var calls: [Call] = []

    /// Reads the output of `strace -f -y -o`.
    init(_ text: String) {
        var open: [Substring: Int] = [:]
        for (place, line) in text.split(separator: "\n").enumerated() {
            let pid = line.prefix { $0 != " " }
            let rest = line[pid.endIndex...].drop { $0 == " " }
            let isRefused = rest.contains(") = -1 ")
            if rest.hasPrefix("<... ") {
                // One that has failed never ends.
                if let begun = open.removeValue(forKey: pid), !isRefused {
                    calls[begun].end = place
                }
                continue
            }
            guard let bracket = rest.firstIndex(of: "(") else { continue }
            let isUnfinished = rest.hasSuffix("<unfinished ...>")
            guard !isRefused else { continue }
            if isUnfinished { open[pid] = calls.count }
            calls.append(
                Call(
                    thread: pid, name: String(rest[..<bracket]),
                    arguments: String(rest[rest.index(after: bracket)...]), begin: place,
                    end: isUnfinished ? .max : place))
        }
    }

    static let program = "/usr/bin/strace"

    /// Whether this user may trace its own processes here: containers often forbid `ptrace(2)`.
    static let isPossible: Bool = {
        let result = try? runProgram(program, ["-f", "-o", "/dev/null", "/bin/true"])
        return result?.status == 0
    }()
}

/// A file that was given its name, from a trace.
struct TracedPublication {
    let partial: String
    let name: String
    let rename: SystemCallTrace.Call

    /// The renames into a folder `Downloads`.
    static func all(in trace: SystemCallTrace) -> [TracedPublication] {
        trace.calls.filter { $0.name.hasPrefix("rename") }.compactMap { call in
            // rename("old", "new") or renameat(3</folder>, "old", 4</folder>, "new"…)
            let words = call.arguments.split(separator: "\"", omittingEmptySubsequences: false)
            guard words.count >= 4 else { return nil }
            let folder = words[2].drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
            let target = folder.isEmpty ? String(words[3]) : "\(folder)/\(words[3])"
            let parts = target.split(separator: "/")
            guard parts.count >= 2, parts[parts.count - 2] == "Downloads" else { return nil }
            return TracedPublication(
                partial: String(words[1].split(separator: "/").last ?? ""),
                name: String(parts[parts.count - 1]), rename: call)
        }
    }
}
