internal import CommandLineOptions

/// `bahost doctor`: from the options to the exit status.
struct DoctorCommand {
    let options: DoctorOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus {
        var facts = MachineReading(surroundings: surroundings).facts()
        facts.isolation = options.isolation
        let findings = DoctorFindings(facts)
        let report = DoctorReport(facts, findings)
        guard let text = options.isJSON ? JSONLine.of(report) : report.text else {
            return .internalError
        }
        let shown = HostProgram.show(text, on: Console())
        return shown == .ok && findings.hasProblem ? .failed : shown
    }
}
