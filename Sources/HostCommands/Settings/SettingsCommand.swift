internal import CommandLineOptions

/// `bahost settings`: from the options to the exit status.
struct SettingsCommand {
    let options: SettingsOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus { .internalError }
}
