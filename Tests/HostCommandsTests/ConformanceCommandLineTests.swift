import CommandLineOptions
import HostCommands
import LinuxSystem
import Testing
import WireProtocol

/// The words after `bahost conformance`.
@Suite struct ConformanceCommandLineTests {
    private func read(_ words: String...) throws -> ConformanceOptions? {
        let surroundings = Surroundings(environment: [:], folder: "/work")
        let command = try HostCommandLine.read(["conformance"] + words, in: surroundings)
        guard case .conformance(let options) = command else { return nil }
        return options
    }

    @Test func withoutWordsEverythingIsTried() throws {
        #expect(try read() == ConformanceOptions())
    }

    @Test func everyOptionIsRead() throws {
        var options = ConformanceOptions()
        options.memory = .mebibytes(9)
        options.isolation = .basic
        options.filters = ["M1", "fork"]
        options.isJSON = true
        options.junitPath = "/work/out/report.xml"
        let read = try read(
            "--memory", "9M", "--isolation=basic", "--filter", "M1", "--filter=fork", "--json",
            "--junit", "out/./report.xml")
        #expect(read == options)
    }

    @Test(arguments: [
        ["--memory", "0"], ["--memory", "many"], ["--isolation", "none"], ["--filter", ""],
        ["--junit", ""], ["fork"], ["--unknown"],
    ])
    func whatIsWrongIsNamed(words: [String]) {
        #expect(throws: CommandLineOptionsError.self) {
            try HostCommandLine.read(
                ["conformance"] + words, in: Surroundings(environment: [:], folder: "/"))
        }
    }

    @Test func helpIsATextAndNoRun() throws {
        #expect(try read("--help") == nil)
    }
}
