import HostCommands
import LinuxSystem
import Testing
import WireProtocol

/// A machine that has everything.
func healthyFacts(user: UInt32 = 0) -> DoctorFacts {
    var facts = DoctorFacts()
    facts.kernel = KernelVersion(release: "6.18.44", architecture: "x86_64")
    facts.glibc = "2.36"
    facts.user = user
    var ready = WorkerReady()
    ready.layers = DoctorFindings.layers.filter { $0 != "identity" || user == 0 }
    ready.inForce.memoryBytes = 6 << 20
    ready.reserveBytes = 1 << 20
    facts.probe = .ready(ready)
    facts.programs.worker = "/opt/bahost-worker"
    facts.programs.auditPath = "/opt/libbahost-seal.so"
    facts.programs.hasAudit = true
    facts.namespaces.kinds = ["user", "pid", "net", "ipc", "mnt"]
    facts.security.landlockVersion = 7
    facts.security.modules = "landlock,lockdown"
    facts.memory.totalBytes = 8 << 30
    facts.memory.availableBytes = 4 << 30
    facts.memory.overcommit = 0
    facts.cgroup = .place(version: 2, folder: "/sys/fs/cgroup/a", controllers: ["memory"])
    facts.swift.toolchain = "swift-6.3"
    facts.swift.folder = "/usr/lib/swift/linux"
    facts.swift.version = "6.3.1"
    facts.swift.hasFoundation = true
    facts.folders = [
        DoctorFacts.Folder("state", path: "/s", fault: nil, freeBytes: 1 << 30),
        DoctorFacts.Folder("output", path: "/o", fault: nil, freeBytes: 1 << 30),
    ]
    return facts
}

extension DoctorFacts {
    /// The worker lacks these.
    mutating func lack(_ layers: [String], why: String = "clone worker: Operation not permitted") {
        guard case .ready(var ready) = probe else { return }
        ready.layers.removeAll { layers.contains($0) }
        ready.missing += layers.map { MissingLayer(layer: $0, why: why) }
        probe = .ready(ready)
    }
}

extension DoctorFindings {
    subscript(subject: String) -> Finding? { all.first { $0.subject == subject } }
}

@Suite struct DoctorFindingsTests {
    @Test func aWorkingFolderThatIsGoneIsANote() {
        var facts = healthyFacts()
        facts.folders[1] = DoctorFacts.Folder(
            "output", path: nil, fault: "no working folder: gone", freeBytes: 0)
        let findings = DoctorFindings(facts)
        #expect(findings["output"]?.level == .note)
        #expect(findings["output"]?.advice?.contains("name every path from / on") == true)
        #expect(!findings.hasProblem)
    }

    @Test(arguments: [0, 1000] as [UInt32]) func aHealthyMachineHasNoComplaint(user: UInt32) {
        let findings = DoctorFindings(healthyFacts(user: user))
        #expect(findings.all.allSatisfy { $0.level == .ok }, "\(findings.all)")
        #expect(!findings.hasProblem)
        #expect(findings.canRun)
        #expect(findings.canRunFull == true)
        #expect(findings.all.allSatisfy { $0.advice == nil })
    }

    @Test(arguments: DoctorFindings.layers, [0, 1000] as [UInt32])
    func everyMissingLayerIsNamedWithItsReasonAndAnAdvice(layer: String, user: UInt32) throws {
        guard layer != "identity" || user == 0 else { return }
        var facts = healthyFacts(user: user)
        facts.lack([layer], why: "the kernel's words")
        let finding = try #require(DoctorFindings(facts)[layer])
        #expect(finding.level != .ok)
        #expect(finding.message == "missing: the kernel's words")
        #expect(finding.advice?.isEmpty == false)
    }

    @Test(arguments: DoctorFindings.layers)
    func whatARunPromisesDependsOnTheMode(layer: String) throws {
        var facts = healthyFacts()
        facts.lack([layer])
        let basic: Set = ["rlimits", "seccomp", "no-new-privileges", "capabilities"]
        facts.isolation = .automatic
        let automatic = DoctorFindings(facts)
        #expect(automatic.hasProblem == (basic.contains(layer) || layer == "landlock"))
        #expect(automatic.canRun)
        #expect(automatic.canRunFull == (layer == "cgroup"))
        facts.isolation = .full
        #expect(DoctorFindings(facts).hasProblem == (layer != "cgroup"))
        facts.isolation = .basic
        #expect(DoctorFindings(facts).hasProblem == basic.contains(layer))
        #expect(DoctorFindings(facts).canRunFull == nil)
    }

    @Test(arguments: DoctorFindings.layers) func saysThatALayerIsImitatedAsAbsent(layer: String) {
        var facts = healthyFacts()
        facts.absentLayers = [layer]
        facts.lack([layer], why: "treated as absent, as asked")
        let finding = DoctorFindings(facts)[layer]
        #expect(finding?.advice == "take \(layer) out of BAHOST_ABSENT_LAYERS")
    }

    @Test func namesAnAbsentLayerThatIsNone() {
        var facts = healthyFacts()
        facts.absentLayers = ["landlok"]
        let findings = DoctorFindings(facts)
        #expect(findings["landlok"]?.level == .note)
        #expect(findings["landlok"]?.advice?.contains("landlock") == true)
        #expect(!findings.hasProblem)
    }

    @Test func aLayerThatTheWorkerForgetsIsMissing() {
        var facts = healthyFacts()
        facts.lack(["landlock"])
        if case .ready(var ready) = facts.probe {
            ready.missing = []
            facts.probe = .ready(ready)
        }
        #expect(DoctorFindings(facts)["landlock"]?.level == .problem)
    }

    @Test func anOrdinaryUserNeedsNoIdentity() {
        var facts = healthyFacts(user: 1000)
        facts.lack(["identity"], why: "the host is not root")
        let findings = DoctorFindings(facts)
        #expect(findings["identity"]?.level == .ok)
        #expect(findings.canRunFull == true)
    }

    @Test func withoutAWorkerNothingRuns() {
        var facts = healthyFacts()
        facts.programs.worker = nil
        facts.programs.workerFault = "the program bahost-worker is missing; looked for /b"
        facts.probe = .failed("the program bahost-worker is missing; looked for /b")
        let findings = DoctorFindings(facts)
        #expect(findings.hasProblem)
        #expect(!findings.canRun)
        #expect(findings.canRunFull == nil)
        #expect(findings["run"]?.message.contains("looked for /b") == true)
        #expect(findings["run"]?.advice?.contains("BAHOST_WORKER") == true)
        #expect(!findings.all.contains { $0.group == .layers })
    }

    @Test func theMemoryPromiseIsPrinted() {
        var facts = healthyFacts()
        let sealed = DoctorFindings(facts)["memory"]
        #expect(
            sealed?.message
                == "with a limit of 6.0 MiB nothing holds more than 6.5 MiB and the reserve of 1.0 MiB"
        )
        facts.lack(["sealing", "fence"])
        let unsealed = DoctorFindings(facts)["memory"]
        #expect(unsealed?.level == .note)
        #expect(unsealed?.message.contains("unsealed") == true)
    }

    @Test func aMemoryLimitThatIsNoneIsAProblem() {
        var facts = healthyFacts()
        guard case .ready(var ready) = facts.probe else { return }
        ready.inForce.memoryBytes = 1 << 50
        facts.probe = .ready(ready)
        #expect(DoctorFindings(facts)["memory"]?.level == .ok)
        ready.inForce.memoryBytes = (1 << 50) + 1
        facts.probe = .ready(ready)
        #expect(DoctorFindings(facts)["memory"]?.level == .problem)
    }

    @Test(
        arguments: [
            (1, "moving files"), (2, "truncating"), (3, "TCP ports"), (4, "device controls"),
            (5, "abstract sockets"), (6, nil),
        ] as [(Int32, String?)])
    func saysWhatAnOlderLandlockLacks(version: Int32, first: String?) {
        var facts = healthyFacts()
        facts.security.landlockVersion = version
        let message = DoctorFindings(facts)["landlock"]?.message ?? ""
        #expect(message.hasPrefix("in force, ABI \(version)"))
        if let first {
            #expect(message.hasPrefix("in force, ABI \(version), without \(first)"))
        } else {
            #expect(message == "in force, ABI \(version)")
        }
    }
}
