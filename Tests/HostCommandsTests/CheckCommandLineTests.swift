import CommandLineOptions
import HostCommands
import LinuxSystem
import Testing
import WireProtocol

@Suite struct CheckCommandLineTests {
    private let surroundings = Surroundings(environment: [:], folder: "/work")

    private func read(_ words: String...) throws -> CheckOptions {
        guard case .check(let options) = try CheckCommandLine.read(words, in: surroundings) else {
            throw CommandLineOptionsError(.missing, program: "test", message: "no options")
        }
        return options
    }

    private func complaint(_ words: String...) -> CommandLineOptionsError? {
        do throws(CommandLineOptionsError) {
            _ = try CheckCommandLine.read(words, in: surroundings)
            return nil
        } catch {
            return error
        }
    }

    @Test func hasDefaults() throws {
        var expected = CheckOptions()
        expected.paths = ["x.so", "y"]
        #expect(try read("x.so", "y") == expected)
        #expect(expected.memory == .mebibytes(6) && expected.wallTime == .seconds(10))
    }

    @Test func takesEveryOption() throws {
        let options = try read(
            "x.so", "--memory", "8M", "--wall-time", "2s", "--isolation", "basic", "--manifest",
            "m", "--retry", "--json", "--file-time", "1m")
        #expect(options.memory == .mebibytes(8) && options.wallTime == .seconds(2))
        #expect(options.isolation == .basic && options.manifestPath == "m")
        #expect(options.fileTime == .seconds(60) && CheckOptions().fileTime == .seconds(300))
        #expect(options.isRetry && options.isJSON)
    }

    @Test func namesWhatIsWrong() {
        #expect(complaint()?.description == "bahost check: a FILE or DIR is missing")
        #expect(complaint("")?.description == "bahost check: \"\" is not a path")
        #expect(complaint("x", "--memory", "six")?.message.hasPrefix("--memory: \"six\"") ?? false)
        #expect(complaint("x", "--isolation", "none")?.message.contains("auto, full") ?? false)
        #expect(complaint("x", "--nonsense")?.code == .unknownWord)
    }

    @Test func helpFits() throws {
        guard case .show(let help) = try CheckCommandLine.read(["--help"], in: surroundings) else {
            Issue.record("no help")
            return
        }
        #expect(help.hasPrefix("Usage: bahost check [OPTION...] FILE|DIR..."))
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
