import CommandLineOptions
import Foundation
import Glibc
import HostCommands
import LinuxSystem
import Testing
import TestSupport

@Suite struct HostProgramTests {
    private func shell(_ script: String) throws -> ProgramResult {
        try runProgram("/bin/sh", ["-c", script, "sh", Products.program("bahost")])
    }

    @Test(arguments: ["run --help", "explain-exit", "--version", "--usage"])
    func saysThatStdoutCannotBeWritten(words: String) throws {
        let result = try shell("\"$1\" \(words) >/dev/full")
        #expect(result.status == CommandLineOptions.ExitStatus.outputFailed.number)
        #expect(result.errors == "bahost: cannot write to stdout: No space left on device\n")
    }

    @Test func endsQuietlyWithoutAReader() throws {
        StopSignals.ignoreBrokenPipes()
        let pair = try OpenPipe()
        try pair.reading.close()
        let console = Console(output: pair.writing.raw, diagnostics: pair.writing.raw)
        #expect(HostProgram.show("text\n", on: console) == .ok)
    }

    @Test func refusesAWordThatIsNotUTF8() throws {
        let result = try shell("\"$1\" run --plugin \"$(printf 'a\\377.so')\"")
        #expect(result.status == CommandLineOptions.ExitStatus.usage.number)
        #expect(result.errors == #"bahost: "a\xff.so" is not UTF-8"# + "\n")
        #expect(result.output.isEmpty)
    }

    /// A relative path there would be another file.
    @Test(
        arguments: [
            ("inspect x.so", 64), ("inspect /x.so", 66), ("check --manifest m.json /x.so", 64),
            ("run --plugin /x.so", 64), ("run --plugin x.so --output /o --state /s", 64),
            ("conformance --junit j.xml", 64), ("settings get quota", 0), ("explain-exit", 0),
        ] as [(String, Int32)]) func aWorkingFolderThatIsGoneIsNamed(words: String, status: Int32)
        throws
    {
        for (name, fault) in [("gone", "No such file"), ("n\\377", "its path is not UTF-8")] {
            let scratch = try ScratchFolder("gone")
            let leave = "cd \(scratch.path) && d=$(printf '\(name)') && mkdir $d && cd $d"
            let remove = name == "gone" ? " && rmdir ../gone" : ""
            let result = try shell("\(leave)\(remove) && HOME=/nowhere \"$1\" \(words)")
            #expect(result.status == status, "\(name): \(result.errors)")
            let isTold = result.errors.contains("folder") && result.errors.contains(fault)
            #expect(isTold == (status == 64), "\(result.errors)")
        }
    }

    /// Whether the process's first thread blocks a signal.
    ///
    /// `proc_pid_status(5)`, SigBlk.
    private func blocks(_ pid: Int32, _ number: Int32) -> Bool {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        let mask = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
        return mask & (1 << UInt64(number - 1)) != 0
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aStopSignalEndsAHostThatWaitsForItsReader(
        number: Int32
    ) throws {
        let folder = try ScratchFolder("reader")
        let full = try OpenPipe()
        let null = try Descriptor.open("/dev/null", flags: O_RDWR)
        try Descriptor.setNonblocking(full.writing.raw)
        let page = [UInt8](repeating: 0, count: 4_096)
        while case .moved = DescriptorIO.write(full.writing.raw, page[...]) {}
        try Descriptor.setNonblocking(full.writing.raw, false)
        var child = try ChildProcess(
            path: Products.program("bahost"),
            arguments: [
                "run", "--plugin", "\(folder.path)/none.so", "--output", "\(folder.path)/out",
                "--state", "\(folder.path)/state",
            ],
            environment: [], descriptors: [null.raw, full.writing.raw, null.raw])
        let pid = child.pid
        #expect(eventually { blocks(pid, number) })
        #expect(eventually { !blocks(pid, number) })
        #expect(try child.reap() == nil)
        child.signal(number)
        var end: ChildEnd?
        let hasEnded = try eventually {
            end = try child.reap()
            return end != nil
        }
        if !hasEnded { child.kill() }
        #expect(end?.signal == number)
    }
}
