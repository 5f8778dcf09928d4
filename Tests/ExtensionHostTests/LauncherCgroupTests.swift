import ExtensionHost
import Foundation
import LinuxSystem
import TestSupport
import Testing
import WireProtocol

private let hasPlace = (try? CgroupPlace.find()) != nil

/// Real cgroups, with a launcher and a worker that nothing else limits.
@Suite(.serialized)
struct LauncherCgroupTests {
    private func plan(
        _ mode: String = "good", _ change: (inout WorkerPlan) -> Void = { _ in }
    ) throws -> WorkerPlan {
        var plan = WorkerPlan(
            workerPath: try #require(FakeWorker.path),
            setup: WorkerSetup(pluginPath: "/\(mode)", containerPath: "/"))
        plan.timeZone = nil
        plan.writtenBytes = 0
        // Else the host is quicker than the cgroup.
        plan.samplingInterval = .seconds(60)
        change(&plan)
        return plan
    }

    /// The memory cgroup of ours that a process is in.
    private func folder(of pid: Int32) throws -> String? {
        let place = try CgroupPlace.find()
        let text = try String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8)
        let names = text.split(separator: "\n").compactMap { line in
            line.split(separator: "/").last.map(String.init)
        }
        return names.first { MemoryCgroup.host(of: $0) == getpid() }
            .map { "\(place.folder)/\($0)" }
    }

    private func limit(of folder: String) -> UInt64? {
        ["memory.limit_in_bytes", "memory.max"].lazy
            .compactMap { try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
            .compactMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.first
    }

    @Test(.enabled(if: hasPlace))
    func launcherAndWorkerAreInACgroupThatIsRemoved() throws {
        var seen: String?
        do {
            let run = try SessionRun(LauncherPool(cgroups: .always), plan("warned"))
            let worker = try run.waitForProcess()
            let folder = try #require(try self.folder(of: worker))
            seen = folder
            let launcher = try #require(ProcessAudit.parent(of: worker))
            #expect(try self.folder(of: launcher) == folder)
            #expect(try self.folder(of: getpid()) == nil)
            let share = CgroupBudget.Share(memoryBytes: 6 << 20, writtenBytes: 0).bytes
            let limit = try #require(self.limit(of: folder))
            #expect(limit > share)
            #expect(limit <= share + CgroupBudget.allowance(hasSwiftRuntime: false))
        }
        let folder = try #require(seen)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(.enabled(if: hasPlace))
    func theLimitGrowsWithTheShare() throws {
        var limits: [UInt64] = []
        for memory in [6 << 20, 106 << 20] as [UInt64] {
            let plan = try plan("warned") { $0.terms.limits.memoryBytes = memory }
            let run = try SessionRun(LauncherPool(cgroups: .always), plan)
            let folder = try #require(try self.folder(of: run.waitForProcess()))
            limits.append(try #require(self.limit(of: folder)))
        }
        let more = limits[1] - limits[0]
        #expect(more > 100 << 20 && more < 110 << 20)
    }

    /// Of 256 MiB it gets a tenth.
    @Test(.enabled(if: hasPlace))
    func whoTakesMoreIsEndedAsMemoryLimit() throws {
        let pool = LauncherPool(cgroups: .always)
        for _ in 0..<2 {
            let outcome = try SessionRun(pool, plan("greedy")).finish()
            #expect(outcome.verdict == .memoryLimit)
            #expect(outcome.signal == SIGKILL)
            #expect(outcome.stage == .entry)
            #expect(outcome.detail.hasPrefix("killed by the kernel in bahost_install: the "))
            #expect(outcome.detail.hasSuffix(" bytes of its memory cgroup were used up"))
            #expect(outcome.ready?.layers.contains("cgroup") == true)
            #expect(try SessionRun(pool, plan()).finish().verdict == .ok)
        }
        #expect(pool.launcherCount == 1)
    }

    /// The same without one: what ended it above was the cgroup.
    @Test func withoutACgroupNothingEndsIt() throws {
        let outcome = try SessionRun(LauncherPool(), plan("greedy")).finish()
        #expect(outcome.verdict == .ok)
    }

    /// The worker's own limits are thirty times as large.
    @Test(.enabled(if: hasPlace))
    func theCgroupEndsARealWorkerThatOtherLimitsLetGoOn() throws {
        let folder = try ScratchFolder("cgroup")
        let isRoot = geteuid() == 0
        for name in ["Downloads", "Library", "tmp"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
            if isRoot { #expect(unsafe chown("\(folder.path)/\(name)", 61790, 61790) == 0) }
        }
        var setup = WorkerSetup(
            pluginPath: Products.plugin("hostile"), containerPath: folder.path)
        setup.manifestPath = try folder.write("manifest", "a0-map 1\n")
        setup.identity = isRoot ? 61790 : nil
        setup.absentLayers = ["sealing", "fence"]
        var plan = WorkerPlan(workerPath: Products.program("bahost-worker"), setup: setup)
        plan.setup.limits.memoryBytes = 200 << 20
        plan.samplingInterval = .seconds(60)
        plan.writtenBytes = 0
        let outcome = try SessionRun(LauncherPool(cgroups: .always), plan).finish()
        #expect(outcome.verdict == .memoryLimit, "\(outcome.detail)")
        #expect(outcome.detail.hasSuffix(" bytes of its memory cgroup were used up"))
        #expect(outcome.ready?.layers.contains("cgroup") == true)
    }

    @Test(.enabled(if: hasPlace))
    func aKillOfSomebodyElseIsNotTheCgroups() throws {
        let run = try SessionRun(LauncherPool(cgroups: .always), plan("warned"))
        let worker = try run.waitForProcess()
        let outcome = try run.finish { session, event in
            try SessionRun.callOnce(session, event)
            if case .loaded = event { kill(worker, SIGKILL) }
        }
        #expect(outcome.verdict == .killedExternal)
    }

    @Test(
        arguments: [
            (CgroupUse.never, IsolationMode.automatic, [], "not used for a single run"),
            (.always, .automatic, ["cgroup"], "treated as absent, as asked"),
            (.always, .basic, [], "not part of basic isolation"),
        ] as [(CgroupUse, IsolationMode, [String], String)])
    func whatIsNotThereIsNamed(
        use: CgroupUse, isolation: IsolationMode, absent: [String], why: String
    ) throws {
        let plan = try plan {
            $0.setup.isolation = isolation
            $0.setup.absentLayers = absent
        }
        let outcome = try SessionRun(LauncherPool(cgroups: use), plan).finish()
        #expect(outcome.verdict == .ok)
        #expect(outcome.ready?.layers.contains("cgroup") == false)
        #expect(outcome.ready?.missing == [MissingLayer(layer: "cgroup", why: why)])
    }

    /// An ordinary user's case, mostly.
    @Test(.enabled(if: !hasPlace))
    func aMachineWithoutIsToldOf() throws {
        let outcome = try SessionRun(LauncherPool(cgroups: .always), plan()).finish()
        #expect(outcome.verdict == .ok)
        let missing = try #require(outcome.ready?.missing.first { $0.layer == "cgroup" })
        #expect(!missing.why.isEmpty)
    }
}
