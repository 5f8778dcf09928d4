import CommandLineOptions
import Testing

@Suite struct ExitStatusTests {
    @Test func hasTheNumbersOfTheContract() {
        #expect(
            CommandLineOptions.ExitStatus.allCases.map(\.number)
                == [0, 1, 10, 11] + Array(20...36) + [64, 66, 73, 130])
    }

    @Test(arguments: CommandLineOptions.ExitStatus.allCases) func isReadByNumberAndByName(
        status: CommandLineOptions.ExitStatus
    ) {
        #expect(CommandLineOptions.ExitStatus(untrusted: String(status.number)) == status)
        #expect(CommandLineOptions.ExitStatus(untrusted: status.name) == status)
        #expect(status.sentence.hasSuffix("."))
        #expect(!status.sentence.contains("\n"))
    }

    @Test func namesAreDistinct() {
        #expect(
            Set(CommandLineOptions.ExitStatus.allCases.map(\.name)).count
                == CommandLineOptions.ExitStatus.allCases.count)
        #expect(
            CommandLineOptions.ExitStatus.allCases.allSatisfy {
                $0.name.allSatisfy { $0.isLowercase || $0 == "_" }
            })
    }

    @Test(arguments: ["", "2", "-1", "37", "99999999999", "0x18", "2 4", "OK", "nonsense"])
    func refusesOtherWords(text: String) {
        #expect(CommandLineOptions.ExitStatus(untrusted: text) == nil)
    }
}
