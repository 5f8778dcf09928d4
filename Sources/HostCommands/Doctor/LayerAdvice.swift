internal import LinuxSystem
internal import WireProtocol

/// What to do so that a missing layer is there: exact, and for this machine.
package struct LayerAdvice {
    private let facts: DoctorFacts

    package init(_ facts: DoctorFacts) {
        self.facts = facts
    }

    /// Nil when nothing is to be done.
    ///
    /// - Parameters:
    ///   - layer: The layer's name.
    ///   - why: The words of the worker.
    /// - Returns: One sentence without a full stop.
    package func advice(for layer: String, why: String) -> String? {
        if facts.absentLayers.contains(layer) { return "take \(layer) out of BAHOST_ABSENT_LAYERS" }
        if facts.isolation == .basic, !isBasic(layer) { return nil }
        switch layer {
        case "rlimits": return "the kernel refuses to lower limits; please report it"
        case "seccomp": return seccomp
        case "no-new-privileges": return older(than: (3, 5)) ?? "the kernel must have it"
        case "capabilities": return "the kernel refuses to drop them; please report it"
        case "landlock": return landlock
        case "identity": return "root here must be able to become user 61790: user_namespaces(7)"
        case "sealing": return sealing
        case "fence": return isAbsent("sealing") ? "see sealing" : older(than: (6, 10)) ?? report
        case "user-namespace": return userNamespace
        case "mount-namespace": return older(than: (5, 12)) ?? namespace("mnt", "CONFIG_NAMESPACES")
        case "pid-namespace": return processNamespace
        case "network-namespace": return namespace("net", "CONFIG_NET_NS")
        case "ipc-namespace": return namespace("ipc", "CONFIG_IPC_NS")
        case "cgroup": return cgroup
        default: return nil
        }
    }

    private let report = "please report it, with the words above"

    private func isBasic(_ layer: String) -> Bool {
        ["rlimits", "seccomp", "no-new-privileges", "capabilities"].contains(layer)
    }

    /// Whether the worker has said that a layer is missing.
    private func isAbsent(_ layer: String) -> Bool {
        guard case .ready(let ready) = facts.probe else { return false }
        return ready.missing.contains { $0.layer == layer }
    }

    private func older(than version: (Int, Int)) -> String? {
        guard !facts.kernel.isAtLeast(version.0, version.1) else { return nil }
        return "needs Linux \(version.0).\(version.1) or later; this is \(facts.kernel.release)"
    }

    private var seccomp: String {
        facts.security.hasFilters
            ? "a container's security profile refuses it, or no-new-privileges is missing"
            : "needs a kernel with CONFIG_SECCOMP_FILTER=y"
    }

    private var landlock: String {
        if let older = older(than: (5, 13)) { return older }
        let modules = facts.security.modules
        guard !modules.isEmpty else {
            return
                "needs a kernel with CONFIG_SECURITY_LANDLOCK=y, and landlock in its boot option "
                + "lsm= (see /sys/kernel/security/lsm)"
        }
        if modules.split(separator: ",").contains("landlock") {
            return "a container's seccomp profile refuses it: allow landlock_create_ruleset, "
                + "landlock_add_rule and landlock_restrict_self"
        }
        return "needs a kernel with CONFIG_SECURITY_LANDLOCK=y, booted with lsm=landlock,\(modules)"
    }

    private var sealing: String {
        if !facts.security.canSeal {
            return older(than: (6, 10))
                ?? "needs a 64-bit kernel with mseal, and a seccomp profile that allows it"
        }
        let path = facts.programs.auditPath
        if path.contains(":") { return "the path of the worker must have no colon: \(path)" }
        guard !facts.programs.hasAudit else {
            return "\(path) cannot be loaded: install the one of this version again"
        }
        return "put libbahost-seal.so at \(path): make install does, in a build tree make build"
    }

    private var userNamespace: String {
        let namespaces = facts.namespaces
        if !namespaces.kinds.contains("user") { return "needs a kernel with CONFIG_USER_NS=y" }
        if let limit = exhausted("user") { return limit }
        if facts.user != 0, namespaces.unprivilegedClone == 0 {
            return "sysctl -w kernel.unprivileged_userns_clone=1"
        }
        if facts.user != 0, let restriction = namespaces.appArmorRestriction, restriction != 0 {
            return
                "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile "
                + "with the rule userns, for \(facts.programs.worker ?? "bahost-worker")"
        }
        return container("clone and unshare with CLONE_NEWUSER")
    }

    private func exhausted(_ kind: String) -> String? {
        guard facts.namespaces.most[kind] == 0 else { return nil }
        return "sysctl -w user.max_\(kind)_namespaces=15000"
    }

    private func namespace(_ kind: String, _ option: String) -> String {
        if !facts.namespaces.kinds.contains(kind) { return "needs a kernel with \(option)=y" }
        if let limit = exhausted(kind) { return limit }
        // An ordinary user has none of the others without it.
        if facts.user != 0, isAbsent("user-namespace") { return "see user-namespace" }
        return container("clone, unshare, mount and setns, and CAP_SYS_ADMIN for root")
    }

    private var processNamespace: String {
        if facts.namespaces.kinds.contains("pid"), exhausted("pid") == nil,
            isAbsent("mount-namespace")
        {
            return "see mount-namespace"
        }
        let fallback = namespace("pid", "CONFIG_PID_NS")
        guard fallback.hasPrefix("a container") else { return fallback }
        return "a container covers parts of /proc, so that none can be mounted anew: start it with "
            + "--security-opt systempaths=unconfined (Docker) or unmask=ALL (Podman)"
    }

    private func container(_ calls: String) -> String {
        "a container or security module refuses it: its profile must allow \(calls)"
    }

    private var cgroup: String {
        if case .none(version: 1, _) = facts.cgroup {
            return "of version 1: make the memory cgroup of this process, and its cgroup.procs, "
                + "writable for user \(facts.user)"
        }
        guard facts.user != 0 else {
            return
                "a writable memory cgroup; of version 2 with memory in the cgroup.subtree_control "
                + "of the folder above: Delegate=memory and DelegateSubgroup=host in its unit"
        }
        return "systemd-run --user --scope -p Delegate=memory COMMAND, or in its unit "
            + "Delegate=memory and DelegateSubgroup=host"
    }
}
