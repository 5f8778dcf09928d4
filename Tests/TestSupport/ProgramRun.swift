import Foundation
import Glibc
internal import LinuxSystem

/// What a program did.
package struct ProgramResult: Sendable {
    package let status: Int32?
    package let signal: Int32?
    package let output: String
    package let errors: String
    package let duration: Duration

    package var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// A program under test, its streams in files, so that nothing can block on a full pipe.
package final class ProgramRun {
    private var child: ChildProcess
    private let folder: ScratchFolder
    private let start = BootClock.now()

    /// - Parameters:
    ///   - path: Absolute.
    ///   - arguments: Without the program's name.
    ///   - environment: Added to a small clean one.
    ///   - workingFolder: Where it starts; the scratch folder of the run when nil.
    /// - Throws: What the system said when it could not be started.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        workingFolder: String? = nil
    ) throws {
        folder = try ScratchFolder("program")
        let output = try Descriptor.open("\(folder.path)/out", flags: O_WRONLY | O_CREAT)
        let errors = try Descriptor.open("\(folder.path)/err", flags: O_WRONLY | O_CREAT)
        var variables = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": folder.path, "LANG": "C.UTF-8",
        ]
        variables.merge(environment) { _, new in new }
        // The program starts where the user would: a shell changes the folder and gives way to it.
        let script = "cd \"$1\" && shift && exec \"$@\""
        child = try ChildProcess(
            path: "/bin/sh",
            arguments: ["-c", script, "sh", workingFolder ?? folder.path, path] + arguments,
            environment: variables.map { "\($0.key)=\($0.value)" },
            descriptors: [nil, output.raw, errors.raw])
    }

    package var pid: Int32 { child.pid }

    package func signal(_ number: Int32) {
        child.signal(number)
    }

    /// What it has written to stdout so far.
    package var outputSoFar: String { text(of: "out") }

    /// What it has written to stderr so far.
    package var errorsSoFar: String { text(of: "err") }

    private func text(of name: String) -> String {
        (try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)) ?? ""
    }

    /// Whether it is there no more; never waits.
    package func hasEnded() throws -> Bool { try child.reap() != nil }

    /// Waits for the end; a program that outlives the deadline is killed and the test told.
    package func wait(atMost limit: Duration = .seconds(120)) throws -> ProgramResult {
        let deadline = start + limit
        while true {
            if let end = try child.reap() {
                return result(end)
            }
            let left = deadline - BootClock.now()
            guard left > .zero else {
                child.kill()
                throw ProgramOutlived(output: outputSoFar)
            }
            var set = PollSet()
            set.add(child.descriptor)
            try set.wait(timeout: left)
        }
    }

    private func result(_ end: ChildEnd) -> ProgramResult {
        let text = { [folder] (name: String) in
            let data = try? Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            return String(decoding: data ?? Data(), as: UTF8.self)
        }
        return ProgramResult(
            status: end.exitCode, signal: end.signal, output: text("out"), errors: text("err"),
            duration: BootClock.now() - start)
    }
}

/// The program under test did not end in time.
package struct ProgramOutlived: Error {
    package let output: String
}

/// Runs a program to its end.
package func runProgram(
    _ path: String, _ arguments: [String], environment: [String: String] = [:],
    workingFolder: String? = nil, atMost limit: Duration = .seconds(120)
) throws -> ProgramResult {
    try ProgramRun(path, arguments, environment: environment, workingFolder: workingFolder)
        .wait(atMost: limit)
}

/// Copies a program so that it can be started at once.
///
/// The copying is another process's work: a descriptor open for writing in this one could live on in
/// a child that is just being started, and `execve(2)` refuses such a file with ETXTBSY.
package func copyProgram(_ path: String, to copy: String) throws {
    let result = try runProgram("/bin/cp", ["--", path, copy])
    guard result.status == 0 else { throw ProgramOutlived(output: result.errors) }
}

/// Waits until a claim about the outside world holds, by asking again, up to a deadline.
package func eventually(
    within limit: Duration = .seconds(20), _ claim: () throws -> Bool
) rethrows -> Bool {
    let deadline = BootClock.now() + limit
    while BootClock.now() < deadline {
        if try claim() { return true }
        var set = PollSet()
        try? set.wait(timeout: .milliseconds(10))
    }
    return try claim()
}
