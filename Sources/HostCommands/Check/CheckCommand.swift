internal import CommandLineOptions

/// `bahost check`: from the options to the exit status.
struct CheckCommand {
    let options: CheckOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus { .internalError }
}
