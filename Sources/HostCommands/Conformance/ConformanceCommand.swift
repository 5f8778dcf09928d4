internal import CommandLineOptions

/// `bahost conformance`: from the options to the exit status.
struct ConformanceCommand {
    let options: ConformanceOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus { .internalError }
}
