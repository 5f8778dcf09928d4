internal import ExtensionHost
internal import Glibc
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

/// Runs one plugin again and again from one process, and prints how long each run took and where
/// its time went; with `cgroup`, in a memory cgroup where one can be made.
///
/// `Tests/Benchmarks/bench` starts it and reads what it prints:
///
///     layer NAME              in force
///     missing NAME: WHY
///     stages NAME...          what the numbers of a run are
///     first NANOSECONDS...    the run that starts the launcher
///     run NANOSECONDS...      one line for each later run: in all, then stage by stage
enum RunBench {
    static func main(_ arguments: [String]) -> Int32 {
        guard 4...5 ~= arguments.count, let count = Int(arguments[0]),
            arguments.count == 4 || arguments[4] == "cgroup"
        else {
            print("usage: run-bench COUNT WORKER PLUGIN CONTAINER [cgroup]", onError: true)
            return 64
        }
        do throws(BenchFailure) {
            let bench = Bench(
                plan: plan(worker: arguments[1], plugin: arguments[2], container: arguments[3]),
                cgroups: arguments.count == 5 ? .always : .never)
            try bench.measure(count)
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

struct BenchFailure: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// Many runs of one plan.
final class Bench {
    private let plan: WorkerPlan
    private let pool: LauncherPool

    init(plan: WorkerPlan, cgroups: CgroupUse) {
        self.plan = plan
        pool = LauncherPool(cgroups: cgroups)
    }

    func measure(_ count: Int) throws(BenchFailure) {
        var first = try BenchRun(pool, plan)
        let ready = try first.finish()
        for layer in ready.layers { RunBench.print("layer \(layer)") }
        for missing in ready.missing {
            RunBench.print("missing \(missing.layer): \(missing.why)")
        }
        RunBench.print(
            "stages " + RunPoint.allCases.map(\.stage).joined(separator: " "))
        RunBench.print("first \(first.line)")
        for _ in 0..<3 { _ = try runOnce() }
        for _ in 0..<count { RunBench.print("run \(try runOnce())") }
    }

    private func runOnce() throws(BenchFailure) -> String {
        var run = try BenchRun(pool, plan)
        _ = try run.finish()
        return run.line
    }
}
