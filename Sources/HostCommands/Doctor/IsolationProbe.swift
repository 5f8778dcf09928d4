internal import ExtensionHost
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

/// Starts a worker and asks which layers it has.
///
/// It reads the C library's file as if that were a plugin, and runs nothing of it.
struct IsolationProbe {
    /// What came of it; nil when the user has stopped it.
    static func run(_ facts: DoctorFacts, stop: Int32) -> DoctorFacts.Probe? {
        guard let worker = facts.programs.worker else { return .failed(facts.programs.workerFault) }
        // With what full isolation lacks, its worker ends at the first missing layer: the others
        // are to be named as well.
        let pool = LauncherPool(cgroups: .always)
        let isFull = facts.isolation == .full
        let found = start(
            worker, isFull ? .automatic : facts.isolation, facts.absentLayers, pool, stop)
        guard isFull, case .ready(let ready) = found, DoctorFindings.isFull(ready, user: facts.user)
        else { return found }
        return start(worker, .full, facts.absentLayers, pool, stop)
    }

    private static func start(
        _ worker: String, _ isolation: IsolationMode, _ absentLayers: [String],
        _ pool: LauncherPool, _ stop: Int32
    ) -> DoctorFacts.Probe? {
        let library = LibraryTuning.glibcPath.flatMap { Paths.resolved($0) }
        let setup = WorkerSetup.ofThisHost(
            library ?? worker, containerPath: "/tmp/bahost-doctor", isolation: isolation,
            absentLayers: absentLayers)
        let plan = WorkerPlan(workerPath: worker, setup: setup)
        do throws(ExtensionHostError) {
            let result = try PluginInspection.run(plan, pool: pool, stop: stop)
            if result.outcome.verdict == .interrupted { return nil }
            guard result.outcome.verdict == .ok, let ready = result.ready else {
                return .failed(result.outcome.detail)
            }
            return .ready(ready)
        } catch {
            return .failed("\(error)")
        }
    }
}
