import CommandLineOptions
import HostCommands
import HostEngine
import LinuxSystem
import Testing

@Suite struct StorageCommandLineTests {
    private let surroundings = Surroundings(
        environment: ["XDG_STATE_HOME": "/home/u/state"], folder: "/work")

    private func options(_ words: String...) throws -> StorageOptions? {
        let command = try HostCommandLine.read(["storage"] + words, in: surroundings)
        guard case .storage(let options) = command else { return nil }
        return options
    }

    @Test func readsEveryAction() throws {
        #expect(try options("show")?.action == .show)
        #expect(try options("show", "--json")?.isJSON == true)
        #expect(
            try options("purge")?.action
                == .purge(until: nil, isDryRun: false, isDamagedOnly: false))
        #expect(
            try options("purge", "--dry-run", "--until", "2G")?.action
                == .purge(
                    until: ByteCount(bytes: 2 << 30), isDryRun: true, isDamagedOnly: false))
        #expect(
            try options("purge", "--damaged")?.action
                == .purge(until: nil, isDryRun: false, isDamagedOnly: true))
    }

    @Test func looksWhereARunKeepsItsState() throws {
        let plain = try options("show")
        #expect(plain?.containerPath == "/work/bahost-output")
        #expect(
            plain?.statePath
                == RunStateFolder.path(base: "/home/u/state", output: "/work/bahost-output"))
        let both = try options("show", "--state", "s", "--output", "out")
        #expect(both?.statePath == "/work/s")
        #expect(both?.containerPath == "/work/out")
    }

    @Test(arguments: [
        ([], "show or purge is missing"),
        (["list"], "\"list\" is not show or purge"),
        (["show", "x"], "\"x\" is one word too many"),
        (["show", "--dry-run"], "--dry-run is for purge"),
        (["show", "--until", "1G"], "--until is for purge"),
        (
            ["purge", "--until", "much"],
            "--until: \"much\" is not a size (use 6M, 512K, 1G or a number of bytes)"
        ),
    ])
    func namesTheWordAtFault(words: [String], message: String) {
        #expect {
            try HostCommandLine.read(["storage"] + words, in: surroundings)
        } throws: {
            let error = $0 as? CommandLineOptionsError
            return error?.program == "bahost storage" && error?.message == message
        }
    }
}
