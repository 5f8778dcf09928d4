internal import ExtensionHost
internal import Glibc
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

/// Runs one plugin once for each line of input, from one process, and says how long each run took
/// and where its time went.
///
/// With `cgroup`, in a memory cgroup where one can be made; with `packs=N`, each run asks one worker
/// about N packs. `Tests/Benchmarks/bench` starts it and reads what it prints:
///
///     layer NAME              in force
///     missing NAME: WHY
///     stages NAME...          what the numbers of a run are
///     first NANOSECONDS...    the run that starts the launcher
///     run NANOSECONDS...      one line for each later run: in all, then stage by stage
enum RunBench {
    static func main(_ arguments: [String]) -> Int32 {
        do throws(BenchFailure) {
            guard 3...4 ~= arguments.count, let work = BenchWork(arguments.dropFirst(3).first)
            else {
                throw BenchFailure("usage: run-bench WORKER PLUGIN CONTAINER [cgroup | packs=N]")
            }
            let bench = Bench(
                plan: plan(worker: arguments[0], plugin: arguments[1], container: arguments[2]),
                work: work)
            try bench.measure()
            return 0
        } catch {
            print(error.sentence, onError: true)
            return 1
        }
    }

    private static func plan(worker: String, plugin: String, container: String) -> WorkerPlan {
        var setup = WorkerSetup(pluginPath: plugin, containerPath: container)
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        setup.runtimeFolders = SwiftRuntime.folders(environment: ["PATH": path])
        setup.swiftToolchain = SwiftRuntime.toolchain
        setup.identity = WorkerIdentity.forThisHost()
        return WorkerPlan(workerPath: worker, setup: setup)
    }

    static func print(_ line: String, onError: Bool = false) {
        _ = DescriptorIO.write(onError ? 2 : 1, Array((line + "\n").utf8)[...])
    }
}
