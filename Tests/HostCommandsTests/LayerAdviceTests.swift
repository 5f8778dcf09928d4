import HostCommands
import LinuxSystem
import Testing
import WireProtocol

/// One cause at a time, and what is said to be done about it.
@Suite struct LayerAdviceTests {
    private func advice(
        _ layer: String, user: UInt32 = 1000, release: String = "6.18.0",
        _ change: (inout DoctorFacts) -> Void = { _ in }
    ) -> String {
        var facts = healthyFacts(user: user)
        facts.kernel = KernelVersion(release: release, architecture: "x86_64")
        change(&facts)
        return LayerAdvice(facts).advice(for: layer, why: "words") ?? "nothing"
    }

    @Test(arguments: [
        ("landlock", "5.12.9", "5.13"), ("mount-namespace", "5.11.0", "5.12"),
        ("fence", "6.9.0", "6.10"), ("no-new-privileges", "3.4.0", "3.5"),
    ])
    func namesTheKernelThatIsNeeded(layer: String, release: String, needed: String) {
        let sentence = "needs Linux \(needed) or later; this is \(release)"
        #expect(advice(layer, release: release) == sentence)
        #expect(advice(layer, release: "\(needed).0-1-amd64") != sentence)
    }

    @Test func sealingNeedsTheCallThenTheLibrary() {
        let old = advice("sealing", release: "6.1.0-18-amd64") { $0.security.canSeal = false }
        #expect(old == "needs Linux 6.10 or later; this is 6.1.0-18-amd64")
        #expect(advice("sealing") { $0.security.canSeal = false }.contains("mseal"))
        let missing = advice("sealing") { $0.programs.hasAudit = false }
        #expect(missing.hasPrefix("put libbahost-seal.so at /opt/libbahost-seal.so"))
        #expect(advice("sealing").contains("cannot be loaded"))
        let colon = advice("sealing") { $0.programs.auditPath = "/a:b/libbahost-seal.so" }
        #expect(colon.contains("no colon"))
    }

    @Test func landlockNeedsTheBuildTheBootOptionOrTheProfile() {
        #expect(
            advice("landlock") { $0.security.modules = "" }.contains("CONFIG_SECURITY_LANDLOCK"))
        #expect(
            advice("landlock") { $0.security.modules = "lockdown,yama" }
                .contains("lsm=landlock,lockdown,yama"))
        #expect(advice("landlock").contains("landlock_restrict_self"))
    }

    @Test func seccompNeedsTheBuildOrTheProfile() {
        #expect(
            advice("seccomp") { $0.security.hasFilters = false }.contains("CONFIG_SECCOMP_FILTER=y")
        )
        #expect(advice("seccomp").contains("profile"))
    }

    @Test func userNamespacesNeedBuildSysctlsOrProfile() {
        #expect(advice("user-namespace") { $0.namespaces.kinds = [] }.contains("CONFIG_USER_NS=y"))
        #expect(
            advice("user-namespace") { $0.namespaces.most["user"] = 0 }
                == "sysctl -w user.max_user_namespaces=15000")
        #expect(
            advice("user-namespace") { $0.namespaces.unprivilegedClone = 0 }
                == "sysctl -w kernel.unprivileged_userns_clone=1")
        let appArmor = advice("user-namespace") { $0.namespaces.appArmorRestriction = 1 }
        #expect(appArmor.hasPrefix("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"))
        #expect(appArmor.hasSuffix("for /opt/bahost-worker"))
        #expect(advice("user-namespace").contains("CLONE_NEWUSER"))
    }

    @Test func rootIsNotHeldByWhatIsForOrdinaryUsers() {
        let found = advice("user-namespace", user: 0) {
            $0.namespaces.unprivilegedClone = 0
            $0.namespaces.appArmorRestriction = 1
        }
        #expect(found.contains("CLONE_NEWUSER"))
    }

    @Test func sysctlsThatAllowAreNotBlamed() {
        let found = advice("user-namespace") {
            $0.namespaces.unprivilegedClone = 1
            $0.namespaces.appArmorRestriction = 0
            $0.namespaces.most["user"] = 1
        }
        #expect(found.contains("CLONE_NEWUSER"))
    }

    @Test(arguments: [
        ("pid-namespace", "pid", "CONFIG_PID_NS"), ("network-namespace", "net", "CONFIG_NET_NS"),
        ("ipc-namespace", "ipc", "CONFIG_IPC_NS"), ("mount-namespace", "mnt", "CONFIG_NAMESPACES"),
    ])
    func otherNamespacesNeedBuildSysctlOrTheUserNamespace(
        layer: String, kind: String, option: String
    ) {
        #expect(
            advice(layer) { $0.namespaces.kinds.remove(kind) } == "needs a kernel with \(option)=y")
        #expect(
            advice(layer) { $0.namespaces.most[kind] = 0 }
                == "sysctl -w user.max_\(kind)_namespaces=15000")
        let dependent = advice(layer) { $0.lack(["user-namespace"]) }
        #expect(dependent == "see user-namespace")
        #expect(advice(layer, user: 0) { $0.lack(["user-namespace"]) } != dependent)
    }

    @Test func processNamespacesNeedAMountNamespaceAndAProc() {
        #expect(advice("pid-namespace") { $0.lack(["mount-namespace"]) } == "see mount-namespace")
        #expect(advice("pid-namespace").contains("systempaths=unconfined"))
    }

    @Test func theFenceFollowsSealing() {
        #expect(advice("fence") { $0.lack(["sealing"]) } == "see sealing")
    }

    @Test func cgroupsNeedDelegation() {
        #expect(advice("cgroup").hasPrefix("systemd-run --user --scope -p Delegate=memory"))
        #expect(advice("cgroup", user: 0).contains("DelegateSubgroup"))
        let one = advice("cgroup") { $0.cgroup = .none(version: 1, why: "not writable") }
        #expect(one.hasPrefix("of version 1: ") && one.contains("user 1000"))
    }

    @Test(arguments: DoctorFindings.layers)
    func basicIsolationAdvisesOnItsOwnLayersOnly(layer: String) {
        let found = advice(layer) { $0.isolation = .basic }
        let isBasic = ["rlimits", "seccomp", "no-new-privileges", "capabilities"].contains(layer)
        #expect((found == "nothing") == !isBasic)
    }

    @Test(arguments: [
        ("6.10.0", true), ("6.9.99", false), ("7.0", true), ("6.10-rc1", true), ("5.99", false),
        ("x", false), ("", false), ("6", false),
    ])
    func readsKernelReleases(release: String, isLate: Bool) {
        let kernel = KernelVersion(release: release, architecture: "x86_64")
        #expect(kernel.isAtLeast(6, 10) == isLate)
    }
}
