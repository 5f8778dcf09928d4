import CommandLineOptions
import HostCommands
import HostSettings
import Testing
import WireProtocol

@Suite struct SettingsCommandLineTests {
    private let surroundings = Surroundings(environment: [:], folder: "/")

    private func options(_ words: String...) throws -> SettingsOptions? {
        let command = try HostCommandLine.read(["settings"] + words, in: surroundings)
        guard case .settings(let options) = command else { return nil }
        return options
    }

    @Test func readsEveryAction() throws {
        let key = try #require(SettingKey(untrusted: "connections.total"))
        #expect(try options("list")?.action == .list)
        #expect(try options("list", "--json")?.isJSON == true)
        #expect(try options("get", "connections.total")?.action == .get(key))
        let set = try options("set", "--system", "connections.total", "8")
        #expect(set?.action == .set(key, .count(8)))
        #expect(set?.level == .system)
        #expect(try options("unset", "connections.total")?.action == .unset(key))
        #expect(try options("unset", "connections.total")?.level == .user)
    }

    @Test(arguments: [
        ([], "list, get, set or unset is missing"),
        (["show"], "\"show\" is not list, get, set or unset"),
        (["get"], "KEY is missing: get KEY"),
        (["set", "proxy"], "VALUE is missing: set KEY VALUE"),
        (["list", "x"], "\"x\" is one word too many"),
        (["get", "proxy", "x"], "\"x\" is one word too many"),
        (["get", "nope"], "\"nope\" is not a setting (see bahost settings list)"),
        (
            ["set", "connections.total", "257"],
            "connections.total: \"257\" must be a whole number from 1 to 256"
        ),
        (
            ["set", "proxy", "ftp://me:secret@proxy"],
            "proxy: must be an address such as http://… or https://… or socks5h://…"
        ),
        (["list", "--system"], "--system is for set and unset only"),
        (["get", "--system", "proxy"], "--system is for set and unset only"),
        (
            ["set", "tls.trustOverrides", "true"],
            "tls.trustOverrides is the operator's: add --system"
        ),
        (["unset", "tls.trustOverrides"], "tls.trustOverrides is the operator's: add --system"),
    ])
    func namesTheWordAtFault(words: [String], message: String) {
        #expect {
            try HostCommandLine.read(["settings"] + words, in: surroundings)
        } throws: {
            let error = $0 as? CommandLineOptionsError
            return error?.program == "bahost settings" && error?.message == message
        }
    }

    @Test func doctorTakesAnIsolationAndNoWord() throws {
        func read(_ words: String...) throws -> DoctorOptions? {
            let command = try HostCommandLine.read(["doctor"] + words, in: surroundings)
            guard case .doctor(let options) = command else { return nil }
            return options
        }
        #expect(try read()?.isolation == .automatic)
        #expect(try read("--isolation", "full", "--json")?.isolation == .full)
        #expect(try read("--json")?.isJSON == true)
        for words in [["x"], ["--isolation", "best"], ["--isolation"], ["--plugin", "x"]] {
            #expect(throws: CommandLineOptionsError.self) {
                try HostCommandLine.read(["doctor"] + words, in: surroundings)
            }
        }
    }
}
