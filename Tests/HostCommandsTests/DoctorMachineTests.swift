import HostCommands
import LinuxSystem
import Testing

/// What is not a layer: each fact gives its line, at its bound and one past it.
@Suite struct DoctorMachineTests {
    private func finding(
        _ subject: String, _ change: (inout DoctorFacts) -> Void
    ) -> Finding? {
        var facts = healthyFacts()
        change(&facts)
        return DoctorFindings(facts).all.last { $0.subject == subject }
    }

    @Test func aMissingLibraryNamesItsPackage() {
        let found = finding("libcurl.so.4") {
            $0.libraries = [
                DoctorFacts.Library(
                    "libcurl.so.4", package: "libcurl4", fault: "cannot open shared object file")
            ]
        }
        #expect(found?.level == .problem)
        #expect(found?.message == "cannot open shared object file")
        #expect(found?.advice?.hasPrefix("apt-get install libcurl4 ") == true)
    }

    @Test func aMissingAuditLibraryNamesItsPlace() {
        let found = finding("audit library") { $0.programs.hasAudit = false }
        #expect(found?.level == .note)
        #expect(found?.message == "/opt/libbahost-seal.so is not there")
    }

    @Test(
        arguments: [
            (nil, "6.3.1", "none found"), ("/r", nil, "version not told"),
            ("/r", "6.2", "this host was built with swift-6.3"), ("/r", "6.30", "was built with"),
            ("/r", "6.3.1", "/r, 6.3.1"), ("/r", "6.3", "/r, 6.3"),
        ] as [(String?, String?, String)])
    func saysWhatSwiftPluginsGet(folder: String?, version: String?, words: String) {
        let found = finding("Swift runtime") {
            $0.swift.folder = folder
            $0.swift.version = version
        }
        #expect(found?.message.contains(words) == true, "\(found?.message ?? "")")
        let isRight = folder != nil && ["6.3", "6.3.1"].contains(version)
        #expect(found?.level == (isRight ? .ok : .note))
    }

    @Test func aRuntimeWithoutFoundationIsNoted() {
        #expect(finding("Swift runtime") { $0.swift.hasFoundation = false }?.level == .note)
    }

    @Test(
        arguments: [(128 << 20, Finding.Level.ok), (128 << 20 - 1, .note)]
            as [(UInt64, Finding.Level)])
    func notesShortMemory(bytes: UInt64, level: Finding.Level) {
        var facts = healthyFacts()
        facts.memory.availableBytes = bytes
        let found = DoctorFindings(facts).all.first {
            $0.group == .machine && $0.subject == "memory"
        }
        #expect(found?.level == level)
    }

    @Test(
        arguments: [
            (0, "heuristic"), (1, "always"), (2, "strict"), (nil, "unknown"),
        ] as [(Int64?, String)])
    func tellsOvercommit(mode: Int64?, word: String) {
        let found = finding("overcommit") { $0.memory.overcommit = mode }
        #expect(found?.message.hasPrefix(word) == true)
        #expect(found?.level == (mode == 2 ? .note : .ok))
    }

    @Test func tellsPower() {
        let mains = DoctorFacts.PowerSupply(
            name: "AC", type: "Mains", isOnline: true, capacity: nil)
        let off = DoctorFacts.PowerSupply(name: "AC", type: "Mains", isOnline: false, capacity: nil)
        let battery = DoctorFacts.PowerSupply(
            name: "BAT0", type: "Battery", isOnline: nil, capacity: 71)
        func message(_ supplies: [DoctorFacts.PowerSupply]) -> String {
            finding("power") { $0.power = supplies }?.message ?? ""
        }
        #expect(message([]) == "no battery")
        #expect(message([mains]) == "no battery")
        #expect(message([mains, battery]).hasPrefix("mains, battery at 71 %"))
        #expect(message([off, battery]).hasPrefix("battery, battery at 71 %"))
    }

    @Test func noLoopbackIsANoteAndNoClockAProblem() {
        let loopback = finding("loopback") { $0.loopbackFault = "Cannot assign requested address" }
        #expect(loopback?.level == .note)
        #expect(loopback?.advice == "ip link set lo up")
        #expect(finding("clock") { $0.hasBootClock = false }?.level == .problem)
    }

    @Test func aStateThatCannotBeWrittenIsAProblemAndAnOutputANote() {
        for (purpose, level) in [("state", Finding.Level.problem), ("output", .note)] {
            let found = finding(purpose) {
                $0.folders = [
                    DoctorFacts.Folder(
                        purpose, path: "/x", fault: "Permission denied", freeBytes: 9 << 30)
                ]
            }
            #expect(found?.level == level)
            #expect(found?.message == "/x: Permission denied")
            #expect(found?.advice == "give bahost run another folder with --\(purpose)")
        }
    }

    @Test func noStateFolderAtAllIsAProblem() {
        let found = finding("state") {
            $0.folders = [
                DoctorFacts.Folder("state", path: nil, fault: "no HOME", freeBytes: 0)
            ]
        }
        #expect(found?.level == .problem)
        #expect(found?.message == "no HOME")
    }

    @Test(
        arguments: [(1 << 20, Finding.Level.ok), (1 << 20 - 1, .note)] as [(UInt64, Finding.Level)])
    func notesAFullDisk(free: UInt64, level: Finding.Level) {
        let found = finding("output") {
            $0.folders = [DoctorFacts.Folder("output", path: "/o", fault: nil, freeBytes: free)]
        }
        #expect(found?.level == level)
    }

    @Test func tellsTheCgroupVersion() {
        let none = finding("cgroups") { $0.cgroup = .none(version: 2, why: "not writable") }
        #expect(none?.message == "version 2; none can be made here")
        #expect(
            finding("cgroups") { _ in }?.message == "version 2, writable: /sys/fs/cgroup/a (memory)"
        )
    }
}
