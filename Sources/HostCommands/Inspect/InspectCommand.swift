internal import CommandLineOptions

/// `bahost inspect`: from the options to the exit status.
struct InspectCommand {
    let options: InspectOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus { .internalError }
}
