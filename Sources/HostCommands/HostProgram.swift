package import CommandLineOptions
internal import Glibc
internal import HostEngine
internal import LinuxSystem

/// The program `bahost` as a library.
package enum HostProgram {
    /// Does what the process's arguments ask for; returns the exit status.
    package static func run() -> Int32 {
        StandardStreams.open()
        StopSignals.ignoreBrokenPipes()
        let surroundings = Surroundings(environment: environment())
        do throws(CommandLineOptionsError) {
            let words = try HostCommandLine.words(arguments())
            let command = try HostCommandLine.read(words, in: surroundings)
            try command.checkPaths(in: surroundings)
            return execute(command, in: surroundings).number
        } catch {
            var console = Console()
            _ = console.write([ConsoleText(.diagnostics, "\(error)\n")])
            return ExitStatus.usage.number
        }
    }

    private static func execute(
        _ command: HostCommand, in surroundings: Surroundings
    ) -> ExitStatus {
        switch command {
        case .show(let text): show(text, on: Console())
        case .run(let options):
            RunCommand(options: options, surroundings: surroundings).execute()
        case .conformance(let options):
            ConformanceCommand(options: options, surroundings: surroundings).execute()
        case .inspect(let options):
            InspectCommand(options: options, surroundings: surroundings).execute()
        case .check(let options):
            CheckCommand(options: options, surroundings: surroundings).execute()
        case .doctor(let options):
            DoctorCommand(options: options, surroundings: surroundings).execute()
        case .settings(let options):
            SettingsCommand(options: options, surroundings: surroundings).execute()
        case .downloads(let options):
            DownloadsCommand(options: options, surroundings: surroundings).execute()
        case .storage(let options): StorageCommand(options: options).execute()
        }
    }

    /// Prints a text; says on stderr why when that fails.
    package static func show(_ text: String, on console: Console) -> ExitStatus {
        var writing = console
        guard case .failed(let code) = writing.write([ConsoleText(.output, text)]) else {
            return .ok
        }
        complain("bahost", ConsoleResult.outputMessage(code), on: console)
        return .outputFailed
    }

    /// Says on stderr, in one line, what is wrong.
    static func complain(_ program: String, _ sentence: String, on console: Console = Console()) {
        var console = console
        let line = "\(program): \(TerminalText.escape(sentence))\n"
        _ = console.write([ConsoleText(.diagnostics, line)])
    }

    /// The arguments after the program's name, byte for byte: Swift's own list is repaired.
    private static func arguments() -> [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
            // SAFETY: the kernel ended the word with a zero; nobody changes it.
            return unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
        }
    }

    /// The environment as `environ(7)` has it; what is not UTF-8 is left out.
    private static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        var place = unsafe environ
        while let entry = unsafe place.pointee {
            if let text = unsafe String(validatingCString: entry),
                let equals = text.firstIndex(of: "=")
            {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            unsafe place += 1
        }
        return variables
    }
}

/// Descriptors 0 to 2, which a careless parent may have closed.
enum StandardStreams {
    /// Opens what is closed on `/dev/null`, so that no file of ours gets such a number.
    static func open() {
        for raw in Int32(0)...2 where fcntl(raw, F_GETFD) < 0 {
            guard let null = try? Descriptor.open("/dev/null", flags: O_RDWR) else { return }
            let number = null.raw
            if number == raw {
                _ = null.release()
            } else {
                _ = dup2(number, raw)
            }
        }
    }
}
