import CommandLineOptions
import HostCommands
import WireProtocol
import HostEngine
import LinuxSystem
import Testing
import URLPolicy

let surroundings = Surroundings(environment: ["HOME": "/home/u"], folder: "/work/x")

/// The options of `bahost run --plugin p.so` and the given words.
func options(_ words: [String], in place: Surroundings = surroundings) throws -> RunOptions {
    let command = try HostCommandLine.read(["run", "--plugin", "p.so"] + words, in: place)
    guard case .run(let options) = command else {
        throw CommandLineOptionsError(.missing, program: "test", message: "no run")
    }
    return options
}

/// What is wrong with the words of `bahost`.
func complaint(_ words: [String], in place: Surroundings = surroundings) -> CommandLineOptionsError?
{
    do throws(CommandLineOptionsError) {
        _ = try HostCommandLine.read(words, in: place)
        return nil
    } catch {
        return error
    }
}

@Suite struct RunCommandLineTests {
    private func refusal(_ words: String...) -> CommandLineOptionsError? {
        complaint(["run", "--plugin", "p.so"] + words)
    }

    @Test func defaultsAreThoseOfTheContract() throws {
        let options = try options([])
        #expect(options.plugin == "p.so")
        #expect(options.event == .install)
        #expect(options.manifest == nil && options.infoPath == nil)
        #expect(options.outputPath == "/work/x/bahost-output")
        #expect(options.memory == .mebibytes(6))
        #expect(options.onMemoryLimit == .end)
        #expect(options.wallTime == .seconds(30))
        #expect(options.cpuTime == .seconds(10))
        #expect(options.fileSize == .mebibytes(64))
        #expect(options.written == .mebibytes(64))
        #expect(options.openFiles == 32)
        #expect(options.threads == 32)
        #expect(options.allowedDomains.isEmpty)
        #expect(!options.allowsLoopback && !options.allowsPrivate && !options.isStrict)
        #expect(options.downloadAllowance == nil && options.essentialAllowance == nil)
        #expect(options.isolation == .automatic)
        #expect(options.style == .progress)
    }

    @Test func readsEveryOption() throws {
        let options = try options([
            "--event=update", "--manifest", "m.txt", "--info", "Info.plist", "--output",
            "out dir/ü",
            "--state", "/var/state", "--memory", "12M", "--memory-rule", "strict",
            "--on-memory-limit", "fail", "--wall-time", "500ms", "--cpu-time", "2m",
            "--file-size", "1K", "--open-files", "8", "--threads", "2",
            "--allow-domain", "*.Example.com", "--allow-domain", "cdn.example.org",
            "--allow-domain", "cdn.example.org.", "--allow-loopback", "--allow-private",
            "--download-allowance", "0", "--essential-allowance", "5G", "--isolation", "full",
            "--strict", "--quiet",
        ])
        #expect(options.event == .update)
        #expect(options.manifest == .file("m.txt"))
        #expect(options.infoPath == "Info.plist")
        #expect(options.outputPath == "/work/x/out dir/ü")
        #expect(options.statePath == "/var/state")
        #expect(options.memory == .mebibytes(12))
        #expect(options.memoryRule == .strict)
        #expect(options.onMemoryLimit == .fail)
        #expect(options.wallTime == .milliseconds(500))
        #expect(options.cpuTime == .seconds(120))
        #expect(options.fileSize == .kibibytes(1))
        #expect(options.openFiles == 8 && options.threads == 2)
        #expect(options.allowedDomains.map(\.description) == ["*.example.com", "cdn.example.org"])
        #expect(options.allowsLoopback && options.allowsPrivate && options.isStrict)
        #expect(options.downloadAllowance == ByteCount(bytes: 0))
        #expect(options.essentialAllowance == ByteCount(bytes: 5 << 30))
        #expect(options.isolation == .full)
        #expect(options.style == .table)
    }

    @Test func theLastOfTwoCounts() throws {
        #expect(try options(["--memory", "7M", "--memory", "8M"]).memory == .mebibytes(8))
    }

    @Test func theRecordWinsOverTheTable() throws {
        #expect(try options(["--json", "--quiet"]).style == .record)
    }

    @Test func needsAPlugin() {
        let error = complaint(["run"])
        #expect(error?.code == .missing)
        #expect(error?.description == "bahost run: --plugin is missing: --plugin FILE")
    }

    @Test func namesAWordTooMany() {
        let error = complaint(["run", "x.so"])
        #expect(error?.code == .unknownWord)
        #expect(
            error?.message == "\"x.so\" is not expected here; a plugin is given by --plugin FILE")
    }

    @Test(arguments: [
        "plugin", "manifest", "info", "output", "state", "event", "memory", "memory-rule",
        "on-memory-limit", "wall-time", "cpu-time", "file-size", "open-files", "threads",
        "allow-domain", "download-allowance", "essential-allowance", "isolation",
    ])
    func refusesAnEmptyValue(name: String) {
        let error = refusal("--\(name)=")
        #expect(error?.code == .badValue)
        #expect(error?.description.hasPrefix("bahost run: --\(name): \"\" is ") == true)
    }

    @Test(arguments: [
        "memory", "file-size", "download-allowance", "essential-allowance",
    ])
    func refusesSizesThatAreNone(name: String) {
        let nonsense = [
            "12Q", "M", "-1", "-6M", "+6M", "6 M", "6MB", "6m", "0x10", "1.5M", "６M",
            "99999999999G",
            "18446744073709551616", "1048577G", "1125899906842625", "6M\u{1B}[0m",
        ]
        for word in nonsense {
            #expect(refusal("--\(name)", word)?.code == .badValue, "\(word)")
        }
        #expect(refusal("--\(name)", "1048576G") == nil)
    }

    @Test func quotesTheOffendingSize() {
        #expect(
            refusal("--memory", "12Q")?.description
                == "bahost run: --memory: \"12Q\" is not a size "
                + "(use 6M, 512K, 1G or a number of bytes)")
    }

    @Test(arguments: ["memory", "file-size", "written"]) func refusesASizeOfZero(name: String) {
        #expect(refusal("--\(name)", "0")?.code == .badValue)
        #expect(refusal("--\(name)", "1") == nil)
    }

    @Test(arguments: ["wall-time", "cpu-time"]) func refusesDurationsThatAreNone(name: String) {
        let nonsense = [
            "0", "0s", "0ms", "-5s", "5", "s", "ms", "1.5s", "5S", "5 s", "5sec", "1d", "25h",
            "86401s", "86400001ms", "99999999999999999999s", "9223372036854775807h", "３s",
        ]
        for word in nonsense {
            #expect(refusal("--\(name)", word)?.code == .badValue, "\(word)")
        }
        #expect(refusal("--\(name)", "24h") == nil)
    }

    @Test func readsDurationsToTheMillisecond() throws {
        #expect(try options(["--wall-time", "1ms"]).wallTime == .milliseconds(1))
        #expect(try options(["--wall-time", "86400000ms"]).wallTime == .seconds(86_400))
    }

    @Test func refusesPartsOfASecondOfProcessorTime() throws {
        #expect(refusal("--cpu-time", "1500ms")?.message.contains("whole number") == true)
        #expect(try options(["--cpu-time", "2000ms"]).cpuTime == .seconds(2))
    }

    @Test(arguments: [("open-files", 8, 65_536), ("threads", 2, 4_096)])
    func boundsCounts(name: String, low: Int, high: Int) {
        #expect(refusal("--\(name)", "\(low)") == nil)
        #expect(refusal("--\(name)", "\(high)") == nil)
        for word in [
            "\(low - 1)", "\(high + 1)", "-1", "many", "1.0", "1K", "99999999999999999999",
        ] {
            #expect(refusal("--\(name)", word)?.code == .badValue, "\(word)")
        }
    }

    @Test(arguments: [
        ("event", "reinstall", "install, update, periodic, should-download"),
        ("isolation", "none", "auto, full, basic"),
        ("on-memory-limit", "stop", "end, fail"), ("memory-rule", "lax", "normal, strict"),
    ])
    func listsTheWordsThatMayStand(name: String, word: String, words: String) {
        #expect(
            refusal("--\(name)", word)?.description
                == "bahost run: --\(name): \"\(word)\" is not one of \(words)")
    }

    @Test(arguments: [
        ["--daemon"]
    ])
    func saysWhatIsNotYetThere(words: [String]) {
        let error = complaint(["run", "--plugin", "p.so"] + words)
        #expect(error?.code == .notYet)
        #expect(
            error?.message
                == "\(words[0])\(words.count > 1 ? " \"\(words[1])\"" : "") is not yet there")
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/hello.txt", true), ("HTTPS://example.org/m", true),
        ("m.txt", false), ("/a b/ü", false), ("./http://x", false), ("c:/x", false), ("a:b", false),
    ])
    func tellsAddressesFromPaths(word: String, isURL: Bool) throws {
        #expect(try options(["--manifest", word]).manifest == (isURL ? .url(word) : .file(word)))
    }

    @Test(arguments: ["ftp://example.org/m", "file:///etc/passwd", "http://", "://x"])
    func refusesOtherAddresses(word: String) {
        #expect(refusal("--manifest", word)?.code == .badValue)
    }

    @Test func boundsPaths() {
        #expect(refusal("--info", String(repeating: "p", count: 4_095)) == nil)
        #expect(refusal("--info", String(repeating: "p", count: 4_096))?.code == .badValue)
    }

    @Test(arguments: [
        "example.com", "*.example.com", "localhost", "127.0.0.1", "[::1]", "[2001:db8::1]",
        "[1:2:3:4:5:6:7:8]", "a_b.example", "-a.b-.example", "xn--gre-goa.example",
        "1.2.3.4.example",
        String(repeating: "a", count: 63) + ".example",
    ])
    func acceptsHostPatterns(word: String) throws {
        #expect(try options(["--allow-domain", word]).allowedDomains.map(\.description) == [word])
    }

    @Test(arguments: [
        "*", "*.", "**.example.com", "a.*.com", "*example.com", "https://example.com",
        "example.com/x", "example.com:443", "größe.example", "a b", ".example.com", "a..b", "::1",
        "[::1", "[]", "[1:2]", "[1::2::3]", "[12345::]", "[g::]", "1.2.3",
        "256.1.1.1",
        "*.1.2.3.4", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7::8]", ".",
        String(repeating: "a", count: 64) + ".example",
        String(repeating: "a.", count: 126) + "bb",
    ])
    func refusesHostPatterns(word: String) {
        #expect(refusal("--allow-domain", word)?.code == .badValue)
    }
}
