internal import ExtensionHost
internal import Glibc
internal import HTTPClient
internal import HostEngine
internal import LinuxSystem

/// Looks at the machine; everything but the worker.
struct MachineReading {
    let surroundings: Surroundings

    func facts() -> DoctorFacts {
        var facts = DoctorFacts()
        facts.absentLayers = surroundings.absentLayers
        facts.kernel = KernelVersion.current()
        facts.glibc = LibraryTuning.glibcVersion
        facts.pageBytes = sysconf(Int32(_SC_PAGESIZE))
        facts.user = ProcessConfinement.user
        facts.programs = programs
        facts.namespaces = MachineReading.namespaces
        facts.security = MachineReading.security
        facts.memory = MachineReading.memory
        facts.cgroup = MachineReading.cgroup
        facts.swift = swift
        facts.libraries = MachineReading.libraries
        facts.folders = folders
        facts.power = MachineReading.power
        do throws(SystemError) { _ = try Descriptor.listenOnLoopback() } catch {
            facts.loopbackFault = SystemError.message(for: error.code)
        }
        var time = timespec()
        facts.hasBootClock = unsafe clock_gettime(CLOCK_BOOTTIME, &time) == 0
        return facts
    }

    private var programs: DoctorFacts.Programs {
        var programs = DoctorFacts.Programs()
        do throws(RunError) {
            let worker = try surroundings.workerPath()
            programs.worker = Paths.resolved(worker) ?? worker
            programs.auditPath = AuditLibrary.path(besideWorker: worker)
            programs.hasAudit = unsafe access(programs.auditPath, R_OK) == 0
        } catch {
            programs.workerFault = error.message
        }
        return programs
    }

    private static var namespaces: DoctorFacts.Namespaces {
        var namespaces = DoctorFacts.Namespaces()
        for kind in ["user", "pid", "net", "ipc", "mnt"] {
            namespaces.most[kind] = SystemText.number("/proc/sys/user/max_\(kind)_namespaces")
            // A link that cannot be followed is one all the same.
            if unsafe faccessat(AT_FDCWD, "/proc/self/ns/\(kind)", F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
                namespaces.kinds.insert(kind)
            }
        }
        namespaces.unprivilegedClone = SystemText.number(
            "/proc/sys/kernel/unprivileged_userns_clone")
        namespaces.appArmorRestriction = SystemText.number(
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
        return namespaces
    }

    private static var security: DoctorFacts.Security {
        var security = DoctorFacts.Security()
        if let ruleset = try? LandlockRuleset() { security.landlockVersion = ruleset.version }
        security.modules = SystemText.line("/sys/kernel/security/lsm") ?? ""
        security.hasFilters = unsafe access("/proc/sys/kernel/seccomp/actions_avail", F_OK) == 0
        security.canSeal = MemorySealing.isAvailable
        return security
    }

    private static var memory: DoctorFacts.Memory {
        var memory = DoctorFacts.Memory()
        if let lines = KilobyteLines(path: "/proc/meminfo") {
            memory.totalBytes = lines.sum("MemTotal")
            memory.availableBytes = lines.sum("MemAvailable")
            memory.swapBytes = lines.sum("SwapTotal")
        }
        memory.overcommit = SystemText.number("/proc/sys/vm/overcommit_memory")
        let modes = SystemText.line("/sys/kernel/mm/transparent_hugepage/enabled") ?? ""
        // The one in force is in brackets.
        memory.hugePages =
            modes.split(separator: " ").first { $0.hasPrefix("[") }
            .map { String($0.dropFirst().dropLast()) } ?? ""
        return memory
    }

    private static var cgroup: DoctorFacts.Cgroup {
        do throws(CgroupRefusal) {
            let place = try CgroupPlace.find()
            return .place(
                version: place.version.rawValue, folder: place.folder,
                controllers: place.version == .two
                    ? CgroupPlace.delegatedControllers(place.folder) : ["memory"])
        } catch {
            return .none(version: CgroupPlace.memoryVersion?.rawValue, why: error.why)
        }
    }

    private var swift: DoctorFacts.Swift {
        var swift = DoctorFacts.Swift()
        swift.toolchain = SwiftRuntime.toolchain
        guard let folder = SwiftRuntime.folders(environment: surroundings.environment).first else {
            return swift
        }
        swift.folder = folder
        swift.version = SwiftFolder.version(folder, KernelVersion.current().architecture)
        swift.hasFoundation = unsafe access("\(folder)/libFoundation.so", R_OK) == 0
        return swift
    }

    private static var libraries: [DoctorFacts.Library] {
        let names: KeyValuePairs = [
            "libcurl.so.4": "libcurl4", "libsqlite3.so.0": "libsqlite3-0",
            "libcrypto.so.3": "libssl3", "libseccomp.so.2": "libseccomp2",
            "libffi.so.8": "libffi8", "libstdc++.so.6": "libstdc++6",
        ]
        return names.map { name, package in
            DoctorFacts.Library(name, package: package, fault: SystemLibrary.fault(name))
        }
    }

    private var folders: [DoctorFacts.Folder] {
        let state = RunStateFolder.base(environment: surroundings.environment)
        return [
            WritableFolder.look(at: state.map { "\($0)/bahost/run" }, for: "state"),
            surroundings.folderFault.map {
                DoctorFacts.Folder(
                    "output", path: nil, fault: "no working folder: \($0)", freeBytes: 0)
            } ?? WritableFolder.look(at: surroundings.folder, for: "output"),
        ]
    }

    private static var power: [DoctorFacts.PowerSupply] {
        let folder = "/sys/class/power_supply"
        var supplies: [DoctorFacts.PowerSupply] = []
        FolderNames.each(in: folder) { name in
            guard !name.hasPrefix("."), let type = SystemText.line("\(folder)/\(name)/type") else {
                return .no
            }
            supplies.append(
                DoctorFacts.PowerSupply(
                    name: name, type: type,
                    isOnline: SystemText.number("\(folder)/\(name)/online").map { $0 != 0 },
                    capacity: SystemText.number("\(folder)/\(name)/capacity")))
            return supplies.count < 64 ? .no : .yes
        }
        return supplies.sorted { $0.name < $1.name }
    }
}
