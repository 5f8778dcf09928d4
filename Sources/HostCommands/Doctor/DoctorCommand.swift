internal import CommandLineOptions

/// `bahost doctor`: from the options to the exit status.
struct DoctorCommand {
    let options: DoctorOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus { .internalError }
}
