internal import LinuxSystem
internal import Sandbox
internal import WireProtocol

/// Whether launchers get memory cgroups.
package enum CgroupUse: Hashable, Sendable {
    /// Where the machine lets us make them.
    case always

    /// Joining one takes longer than a single run is to take.
    case never
}

/// The memory cgroup of one launcher and its workers, or why it has none.
final class LauncherCgroup {
    private(set) var group: MemoryCgroup?
    private var why: String
    private var budget: CgroupBudget
    private var seenKills: UInt64 = 0
    private var isMeasured = false
    private let owner: LauncherCgroups?

    /// None, and why.
    init(missing why: String) {
        self.why = why
        group = nil
        owner = nil
        budget = CgroupBudget(allowance: 0)
    }

    init(_ group: MemoryCgroup, allowance: UInt64, owner: LauncherCgroups) {
        why = ""
        self.group = group
        self.owner = owner
        budget = CgroupBudget(allowance: allowance)
    }

    deinit {
        retire()
    }

    /// The launcher goes without.
    func giveUp(_ why: String) {
        retire()
        self.why = why
    }

    /// The launcher has ended: the cgroup is removed, now or later.
    func retire() {
        guard let group else { return }
        self.group = nil
        why = "its launcher has ended"
        owner?.retire(group)
    }

    /// Makes room for a worker before it is asked for.
    ///
    /// - Throws: ``SystemError`` when the kernel takes no such limit.
    func workerStarts(_ run: UInt32, _ share: CgroupBudget.Share) throws(SystemError) {
        guard let group else { return }
        if isMeasured, budget.isIdle, let held = group.heldBytes {
            budget.measured(heldBytes: held)
        }
        budget.start(run, share)
        do throws(SystemError) {
            let limit = budget.limitBytes(heldBytes: group.heldBytes ?? 0)
            if limit < group.limitBytes { return lower(group) }
            try group.setLimit(limit)
        } catch {
            budget.end(run)
            throw error
        }
    }

    /// The launcher has forked, and so has loaded all that it ever will.
    func workerStarted() {
        guard !isMeasured, let group, let held = group.heldBytes else { return }
        isMeasured = true
        budget.measuredFirst(heldBytes: held)
        lower(group)
    }

    func workerEnded(_ run: UInt32) {
        budget.end(run)
        // Without a worker nothing is there to be limited.
        guard let group, !budget.isIdle else { return }
        lower(group)
    }

    /// Never below what is held: the kernel would end somebody for it.
    ///
    /// A limit that stays where it was is no fault: the next start sets it anew.
    private func lower(_ group: MemoryCgroup) {
        guard let held = group.heldBytes else { return }
        let least = held + CgroupBudget.slackBytes
        try? group.setLimit(
            min(group.limitBytes, max(budget.limitBytes(heldBytes: held), least)))
    }

    /// The limit in force if a process was ended for it that nobody has been told of yet.
    func takeKill() -> UInt64? {
        guard let group, let kills = group.kills, kills > seenKills else { return nil }
        seenKills += 1
        return group.limitBytes
    }

    /// The one place where the layer is added to those that the worker knows of.
    func describe(_ message: WorkerMessage) -> WorkerMessage {
        guard case .ready(var ready) = message else { return message }
        let layer = SandboxLayer.cgroup.rawValue
        // What a worker says of it is not for it to say.
        ready.layers.removeAll { $0 == layer }
        ready.missing.removeAll { $0.layer == layer }
        if group == nil {
            ready.missing.append(MissingLayer(layer: layer, why: why))
        } else {
            ready.layers.append(layer)
        }
        return .ready(ready)
    }
}

/// The memory cgroups of one pool.
final class LauncherCgroups {
    private let use: CgroupUse

    /// Where they are made, once it has been looked for.
    private var place: Result<CgroupPlace, CgroupRefusal>?

    /// Their launchers have ended, and the kernel has not let go of them yet.
    private var retired: [MemoryCgroup] = []

    init(_ use: CgroupUse) {
        self.use = use
    }

    deinit {
        // Workers that the kernel is ending: a tenth of a second at most.
        for _ in 0..<100 where !retired.isEmpty {
            removeRetired()
            var nothing = PollSet()
            if !retired.isEmpty { try? nothing.wait(timeout: .milliseconds(1)) }
        }
    }

    func make(for plan: LauncherPlan) -> LauncherCgroup {
        if let why = refusal(plan) { return LauncherCgroup(missing: why) }
        let allowance = CgroupBudget.allowance(hasSwiftRuntime: !plan.runtimeFolders.isEmpty)
        switch find() {
        case .failure(let refusal): return LauncherCgroup(missing: refusal.why)
        case .success(let place):
            do throws(SystemError) {
                let group = try MemoryCgroup.make(in: place)
                return LauncherCgroup(group, allowance: allowance, owner: self)
            } catch {
                return LauncherCgroup(missing: error.description)
            }
        }
    }

    private func refusal(_ plan: LauncherPlan) -> String? {
        if plan.isolation == .basic { return "not part of basic isolation" }
        if plan.absentLayers.contains(SandboxLayer.cgroup.rawValue) {
            return "treated as absent, as asked"
        }
        return use == .never ? "not used for a single run" : nil
    }

    private func find() -> Result<CgroupPlace, CgroupRefusal> {
        if let place { return place }
        let found: Result<CgroupPlace, CgroupRefusal>
        do throws(CgroupRefusal) {
            found = .success(try CgroupPlace.find())
        } catch {
            found = .failure(error)
        }
        if case .success(let place) = found { MemoryCgroup.sweep(place) }
        place = found
        return found
    }

    func retire(_ group: MemoryCgroup) {
        if !group.remove() { retired.append(group) }
    }

    func removeRetired() {
        retired.removeAll { $0.remove() }
    }
}
