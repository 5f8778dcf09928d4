import CommandLineOptions
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
}
