import CommandLineOptions
import DownloadScheduler
import HostCommands
import Testing

@Suite struct DownloadsCommandLineTests {
    private let surroundings = Surroundings(
        environment: ["XDG_STATE_HOME": "/home/u/state"], folder: "/work")

    private func options(_ words: String...) throws -> DownloadsOptions? {
        let command = try HostCommandLine.read(["downloads"] + words, in: surroundings)
        guard case .downloads(let options) = command else { return nil }
        return options
    }

    @Test func readsEveryAction() throws {
        #expect(try options("list")?.action == .list)
        #expect(try options("watch", "--json")?.isJSON == true)
        #expect(try options("cancel", "a", "b")?.action == .cancel(["a", "b"]))
        #expect(try options("promote", "--app", "x", "a")?.action == .promote(["a"]))
        #expect(try options("promote", "--app", "x", "a")?.app == "x")
        let only = try options("list", "--only", "failed", "--only", "paused")
        #expect(only?.states == [.failed, .paused])
    }

    @Test func looksWhereARunKeepsItsState() throws {
        let plain = try options("list")
        #expect(plain?.containerPath == "/work/bahost-output")
        #expect(
            plain?.statePath
                == RunStateFolder.path(base: "/home/u/state", output: "/work/bahost-output"))
        let named = try options("list", "--output", "out")
        #expect(named?.containerPath == "/work/out")
        #expect(named?.statePath == RunStateFolder.path(base: "/home/u/state", output: "/work/out"))
        let state = try options("list", "--state", "s")
        #expect(state?.statePath == "/work/s")
        #expect(state?.containerPath == nil)
        let both = try options("list", "--state", "s", "--output", "out")
        #expect(both?.containerPath == "/work/out")
    }

    @Test func withoutAPlaceForStateItIsAskedFor() {
        #expect {
            try HostCommandLine.read(
                ["downloads", "list"], in: Surroundings(environment: [:], folder: "/"))
        } throws: {
            let error = $0 as? CommandLineOptionsError
            return error?.program == "bahost downloads" && error?.code == .missing
        }
    }

    @Test(arguments: [
        ([], "list, watch, cancel or promote is missing"),
        (["show"], "\"show\" is not list, watch, cancel or promote"),
        (["list", "x"], "\"x\" is one word too many"),
        (["cancel"], "ID is missing: cancel ID..."),
        (["watch", "--only", "failed"], "--only is for list"),
        (
            ["list", "--only", "Failed"],
            "--only: \"Failed\" is not one of created, waiting, downloading, paused, finished, "
                + "failed, cancelled"
        ),
        (
            ["list", "--app", ""],
            "--app: \"\" is not an app's identifier, which has 1 to 255 bytes"
        ),
    ])
    func namesTheWordAtFault(words: [String], message: String) {
        #expect {
            try HostCommandLine.read(["downloads"] + words, in: surroundings)
        } throws: {
            let error = $0 as? CommandLineOptionsError
            return error?.program == "bahost downloads" && error?.message == message
        }
    }

    @Test(arguments: [(255, true), (256, false)])
    func anAppHasAtMost255Bytes(length: Int, fits: Bool) {
        let app = String(repeating: "x", count: length)
        #expect(((try? options("list", "--app", app)) != nil) == fits)
    }
}
