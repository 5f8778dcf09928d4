package import CommandLineOptions
internal import HostEngine
internal import LinuxSystem
internal import URLPolicy
internal import WireProtocol

/// Turns the words after `bahost run` into ``RunOptions``.
///
/// Every value is checked here; whether files exist is not.
package enum RunCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ parsed: ParsedOptions, in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> RunOptions {
        if let word = parsed.positionals.first {
            let quoted = QuotedWord.quote(word)
            throw usage(
                .unknownWord, "\(quoted) is not expected here; a plugin is given by --plugin FILE")
        }
        var reader = RunOptionReader(surroundings: surroundings)
        for occurrence in parsed.occurrences {
            try reader.read(OptionValue(occurrence, of: OptionTable.run.program))
        }
        return try reader.finish()
    }

    static func usage(
        _ code: CommandLineOptionsError.Code, _ message: String
    ) -> CommandLineOptionsError {
        CommandLineOptionsError(code, program: "bahost run", message: message)
    }
}

/// Collects options one after the other; a later one replaces an earlier one of its name.
private struct RunOptionReader {
    let surroundings: Surroundings
    var plugin: String?
    var outputPath: String?
    var statePath: String?
    var isJSON = false
    var isQuiet = false
    var options = RunOptions(plugin: "", outputPath: "", statePath: "")

    mutating func read(_ value: OptionValue) throws(CommandLineOptionsError) {
        switch value.name {
        case "plugin": plugin = try value.path()
        case "event": options.event = try event(value)
        case "manifest": options.manifest = try value.manifest()
        case "info": options.infoPath = try value.path()
        case "output": outputPath = try value.path()
        case "state": statePath = try value.path()
        case "packs": options.packsPath = try value.path()
        case "pack": try addPack(value.packIdentifier())
        case "daemon": throw value.notYet()
        default: try readLimit(value)
        }
    }

    private mutating func readLimit(_ value: OptionValue) throws(CommandLineOptionsError) {
        switch value.name {
        case "memory": options.memory = try value.size()
        case "memory-rule":
            options.memoryRule = try value.choice(["normal": .normal, "strict": .strict])
        case "on-memory-limit":
            options.onMemoryLimit = try value.choice(["end": .end, "fail": .fail])
        case "wall-time": options.wallTime = try value.duration()
        case "cpu-time": options.cpuTime = try value.wholeSeconds()
        case "file-size": options.fileSize = try value.size()
        case "written": options.written = try value.size()
        case "open-files": options.openFiles = try value.count(in: 8...65_536)
        case "threads": options.threads = try value.count(in: 2...4_096)
        case "isolation": options.isolation = try value.isolation()
        default: try readNetwork(value)
        }
    }

    private mutating func readNetwork(_ value: OptionValue) throws(CommandLineOptionsError) {
        switch value.name {
        case "allow-domain":
            let pattern = try value.domainPattern()
            if !options.allowedDomains.contains(pattern) { options.allowedDomains.append(pattern) }
        case "allow-loopback": options.allowsLoopback = true
        case "allow-private": options.allowsPrivate = true
        case "download-allowance": options.downloadAllowance = try value.size(allowsZero: true)
        case "essential-allowance": options.essentialAllowance = try value.size(allowsZero: true)
        case "strict": options.isStrict = true
        case "json": isJSON = true
        case "quiet": isQuiet = true
        default: throw value.notYet()
        }
    }

    private mutating func addPack(_ identifier: String) {
        if !options.packs.contains(identifier) { options.packs.append(identifier) }
    }

    /// Packs belong to their event, and nothing else does.
    private func checkPacks() throws(CommandLineOptionsError) {
        guard options.event == .shouldDownload else {
            if options.packsPath != nil {
                throw RunCommandLine.usage(
                    .badValue, "--packs is for --event should-download only")
            }
            if !options.packs.isEmpty {
                throw RunCommandLine.usage(.badValue, "--pack is for --event should-download only")
            }
            return
        }
        guard options.packsPath != nil else {
            throw RunCommandLine.usage(
                .missing, "--packs is missing: --event should-download --packs FILE")
        }
        guard options.manifest == nil else {
            throw RunCommandLine.usage(
                .badValue, "--manifest is not for --event should-download, which has --packs")
        }
    }

    private func event(_ value: OptionValue) throws(CommandLineOptionsError) -> RunEvent {
        return try value.choice([
            "install": .install, "update": .update, "periodic": .periodic,
            "should-download": .shouldDownload,
        ])
    }

    func finish() throws(CommandLineOptionsError) -> RunOptions {
        guard let plugin else {
            throw RunCommandLine.usage(.missing, "--plugin is missing: --plugin FILE")
        }
        try checkPacks()
        var result = options
        result.plugin = plugin
        result.style = isJSON ? .record : isQuiet ? .table : .progress
        let output = RunStateFolder.container(named: outputPath, in: surroundings)
        result.outputPath = output
        result.statePath = try RunStateFolder.path(
            named: statePath, output: output, of: OptionTable.run.program, in: surroundings)
        guard !PathText.isInside(result.statePath, output) else {
            throw RunCommandLine.usage(
                .badValue,
                "--state: \(QuotedWord.quote(result.statePath)) is inside --output; "
                    + "state must lie outside the container")
        }
        return result
    }
}
