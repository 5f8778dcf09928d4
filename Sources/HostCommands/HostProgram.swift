internal import CommandLineOptions
internal import Glibc
internal import LinuxSystem

/// The program `bahost` as a library.
package enum HostProgram {
    /// Does what the words ask for.
    ///
    /// - Parameter words: Those after the program's name.
    /// - Returns: The exit status.
    package static func run(_ words: [String]) -> Int32 {
        StandardStreams.open()
        let surroundings = Surroundings(
            environment: environment(), folder: workingFolder())
        var console = Console()
        do throws(CommandLineOptionsError) {
            switch try HostCommandLine.read(words, in: surroundings) {
            case .show(let text):
                StopSignals.ignoreBrokenPipes()
                _ = console.write([ConsoleText(.output, text)])
                return ExitStatus.ok.number
            case .run(let options):
                return RunCommand(options: options, surroundings: surroundings).execute().number
            }
        } catch {
            _ = console.write([ConsoleText(.diagnostics, "\(error)\n")])
            return ExitStatus.usage.number
        }
    }

    private static func workingFolder() -> String {
        guard let text = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(text) }
        return unsafe String(validatingCString: text) ?? "/"
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
