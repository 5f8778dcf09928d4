internal import CommandLineOptions
internal import LinuxSystem

/// `bahost doctor`: from the options to the exit status.
struct DoctorCommand {
    let options: DoctorOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus {
        do throws(SystemError) {
            let stop = try StopSignals()
            return look(stop: stop)
        } catch {
            HostProgram.complain(OptionTable.doctor.program, "\(error)")
            return .internalError
        }
    }

    private func look(stop: borrowing StopSignals) -> ExitStatus {
        var facts = MachineReading(surroundings: surroundings).facts()
        facts.isolation = options.isolation
        let probe = IsolationProbe.run(facts, stop: stop.descriptor)
        // From here on nothing is left to stop cleanly.
        StopSignals.restoreDefaults()
        guard let probe else { return .interrupted }
        facts.probe = probe
        let findings = DoctorFindings(facts)
        let report = DoctorReport(facts, findings)
        guard let text = options.isJSON ? JSONLine.of(report) : report.text else {
            return .internalError
        }
        let shown = HostProgram.show(text, on: Console())
        return shown == .ok && findings.hasProblem ? .failed : shown
    }
}
