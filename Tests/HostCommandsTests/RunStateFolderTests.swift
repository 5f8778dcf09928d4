import CommandLineOptions
import HostCommands
import Testing

@Suite struct RunStateFolderTests {
    private func state(_ environment: [String: String], _ words: String...) throws -> String {
        try options(words, in: Surroundings(environment: environment, folder: "/work/x")).statePath
    }

    @Test func isNamedByAHashOfTheOutputFolder() throws {
        // FNV-1a, 64 bits, of "/work/x/bahost-output".
        let path = try state(["XDG_STATE_HOME": "/s//", "HOME": "/h"])
        #expect(path == RunStateFolder.path(base: "/s", output: "/work/x/bahost-output"))
        #expect(path.hasPrefix("/s/bahost/run/"))
        #expect(path.split(separator: "/").last?.count == 16)
    }

    @Test func hashesAsPublished() {
        // draft-eastlake-fnv-21, appendix C: FNV-1a of "" and of "foobar".
        #expect(RunStateFolder.path(base: "/", output: "") == "/bahost/run/cbf29ce484222325")
        #expect(RunStateFolder.path(base: "/", output: "foobar") == "/bahost/run/85944171f73967e8")
    }

    @Test(arguments: [
        ["HOME": "/h"], ["HOME": "/h", "XDG_STATE_HOME": ""],
        ["HOME": "/h", "XDG_STATE_HOME": "relative"],
    ])
    func fallsBackToTheHomeFolder(environment: [String: String]) throws {
        #expect(try state(environment).hasPrefix("/h/.local/state/bahost/run/"))
    }

    @Test(arguments: [[:], ["HOME": ""], ["HOME": "here"]] as [[String: String]])
    func asksForStateWithoutAHome(environment: [String: String]) throws {
        let place = Surroundings(environment: environment, folder: "/")
        let error = complaint(["run", "--plugin", "p"], in: place)
        #expect(error?.code == .missing)
        #expect(error?.message.hasPrefix("--state is missing") == true)
        #expect(try state(environment, "--state", "s") == "/work/x/s")
    }

    @Test func anotherSpellingOfThePathIsTheSameFolder() throws {
        let first = try state(["HOME": "/h"], "--output", "./out//")
        #expect(try state(["HOME": "/h"], "--output", "/work/x/out") == first)
        #expect(try state(["HOME": "/h"], "--output", "/work/x/Out") != first)
    }

    @Test(arguments: [
        "out", "out/state", "./out/./s", "/work/x/out/../out/s", "y/../out",
        "out/\u{301}s", "/\u{301}/../work/x/out", "y\u{600}/../out",
    ])
    func refusesStateInsideTheContainer(path: String) {
        let error = complaint(
            ["run", "--plugin", "p", "--output", "out", "--state", path], in: surroundings)
        #expect(error?.code == .badValue)
        #expect(error?.message.contains("is inside --output") == true)
    }

    @Test(arguments: ["outside", "/work/x", "out/../s", "out\u{301}/s", "/\u{301}work/x/out"])
    func acceptsStateBesideTheContainer(path: String) throws {
        let place = try options(["--output", "out", "--state", path]).statePath
        #expect(!PathText.isInside(place, "/work/x/out"))
    }

    @Test func refusesTheDefaultInsideTheContainer() {
        #expect(complaint(["run", "--plugin", "p", "--output", "/home"])?.code == .badValue)
    }
}
