internal import CommandLineOptions
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

extension ParsedOptions {
    /// - Throws: ``CommandLineOptionsError`` with the first word that is no option.
    func expectNoWords(of program: String) throws(CommandLineOptionsError) {
        guard let word = positionals.first else { return }
        throw CommandLineOptionsError(
            .unknownWord, program: program,
            message: "\(QuotedWord.quote(word)) is not expected here")
    }
}

/// One option and its value, still a word; reads it as what it must be.
struct OptionValue {
    /// The command whose option it is, such as `bahost run`.
    let program: String
    let name: String
    let text: String

    init(_ occurrence: OptionOccurrence, of program: String) {
        self.program = program
        name = occurrence.name
        text = occurrence.value ?? ""
    }

    /// Larger than any real use, small enough to be added to.
    static let maximumSize = ByteCount(bytes: 1 << 50)
    static let maximumDuration = Duration.seconds(86_400)

    func size(allowsZero: Bool = false) throws(CommandLineOptionsError) -> ByteCount {
        if allowsZero, text == "0" { return ByteCount(bytes: 0) }
        guard let size = ByteCount(untrusted: text) else {
            throw bad("is not a size (use 6M, 512K, 1G or a number of bytes)")
        }
        guard size <= OptionValue.maximumSize else { throw bad("is more than 1048576G") }
        return size
    }

    /// 1 ms to 24 h.
    func duration() throws(CommandLineOptionsError) -> Duration {
        let units: [(String, Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)]
        guard let (suffix, milliseconds) = units.first(where: { text.hasSuffix($0.0) }) else {
            throw notADuration
        }
        let digits = text.dropLast(suffix.count)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw notADuration
        }
        guard let count = Int64(digits),
            case let (total, overflow) = count.multipliedReportingOverflow(by: milliseconds),
            !overflow, Duration.milliseconds(total) <= OptionValue.maximumDuration
        else { throw bad("is more than 24h") }
        guard total > 0 else { throw bad("is no time at all") }
        return .milliseconds(total)
    }

    /// 1 s to 24 h; `setrlimit(2)` counts processor time in seconds.
    func wholeSeconds() throws(CommandLineOptionsError) -> Duration {
        let duration = try duration()
        guard duration.wholeMilliseconds % 1_000 == 0 else {
            throw bad("is not a whole number of seconds (the kernel counts processor time so)")
        }
        return duration
    }

    func count(in range: ClosedRange<Int>) throws(CommandLineOptionsError) -> Int {
        let words = "\(range.lowerBound) to \(range.upperBound)"
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw bad("is not a number (use \(words))")
        }
        guard let count = Int(text), range.contains(count) else {
            throw bad("is out of range (use \(words))")
        }
        return count
    }

    func path() throws(CommandLineOptionsError) -> String {
        guard !text.isEmpty else { throw bad("is not a path") }
        guard text.utf8.count <= 4_095 else { throw bad("is longer than a path may be") }
        return text
    }

    func packIdentifier() throws(CommandLineOptionsError) -> String {
        guard (1...WireBound.identifierBytes).contains(text.utf8.count) else {
            throw bad("is not a pack's identifier, which has 1 to 255 bytes")
        }
        return text
    }

    /// Whatever has a scheme is an address, the rest a path.
    func manifest() throws(CommandLineOptionsError) -> ManifestSource {
        let path = try path()
        let parts = path.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//"),
            let scheme = parts.first, !scheme.contains("/")
        else { return .file(path) }
        guard ["http", "https"].contains(scheme.lowercased()), parts[1].utf8.count > 2 else {
            throw bad("is neither an http nor an https address, nor a path")
        }
        return .url(path)
    }

    func choice<Value>(
        _ words: KeyValuePairs<String, Value>
    ) throws(CommandLineOptionsError) -> Value {
        guard let chosen = words.first(where: { $0.key == text }) else {
            throw badWord(of: words.map(\.key))
        }
        return chosen.value
    }

    func notYet() -> CommandLineOptionsError {
        let word = text.isEmpty ? "" : " \(QuotedWord.quote(text))"
        return CommandLineOptionsError(
            .notYet, program: program, message: "--\(name)\(word) is not yet there")
    }

    func bad(_ message: String) -> CommandLineOptionsError {
        CommandLineOptionsError(
            .badValue, program: program,
            message: "--\(name): \(QuotedWord.quote(text)) \(message)")
    }

    func isolation() throws(CommandLineOptionsError) -> IsolationMode {
        try choice(["auto": .automatic, "full": .full, "basic": .basic])
    }

    private func badWord(of words: [String]) -> CommandLineOptionsError {
        bad("is not one of \(words.joined(separator: ", "))")
    }

    private var notADuration: CommandLineOptionsError {
        bad("is not a duration (use 30s, 500ms, 2m, 1h)")
    }
}
