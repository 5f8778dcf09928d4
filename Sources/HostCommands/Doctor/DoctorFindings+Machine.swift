internal import LinuxSystem

/// Everything that is not isolation.
extension DoctorFindings {
    mutating func addPrograms(_ facts: DoctorFacts) {
        let programs = facts.programs
        if let worker = programs.worker {
            add(.programs, "worker", .ok, worker)
            if programs.hasAudit {
                add(.programs, "audit library", .ok, programs.auditPath)
            } else {
                add(
                    .programs, "audit library", .note, "\(programs.auditPath) is not there",
                    advice: "make install puts libbahost-seal.so there")
            }
        } else {
            add(.programs, "worker", .problem, programs.workerFault)
        }
        for library in facts.libraries { addLibrary(library) }
        addSwift(facts.swift)
    }

    private mutating func addLibrary(_ library: DoctorFacts.Library) {
        guard let fault = library.fault else {
            return add(.programs, library.name, .ok, "of \(library.package)")
        }
        add(
            .programs, library.name, .problem, fault,
            advice: "apt-get install \(library.package) (from Debian 13 some end with t64)")
    }

    private mutating func addSwift(_ swift: DoctorFacts.Swift) {
        guard let folder = swift.folder else {
            return add(
                .programs, "Swift runtime", .note,
                "none found: plugins in Swift run only if they bring one",
                advice: "BAHOST_SWIFT_RUNTIME=FOLDER names the folder with libswiftCore.so of "
                    + swift.toolchain)
        }
        guard let version = swift.version else {
            return add(
                .programs, "Swift runtime", .note,
                "\(folder), version not told; this host needs \(swift.toolchain)")
        }
        let isSame = "swift-\(version).".hasPrefix("\(swift.toolchain).")
        guard isSame else {
            return add(
                .programs, "Swift runtime", .note,
                "\(folder) has \(version), but this host was built with \(swift.toolchain): plugins "
                    + "in Swift are refused", advice: "BAHOST_SWIFT_RUNTIME=FOLDER names another")
        }
        guard swift.hasFoundation else {
            return add(
                .programs, "Swift runtime", .note, "\(folder), \(version), without Foundation",
                advice: "plugins that need Foundation need libFoundation.so in that folder")
        }
        add(.programs, "Swift runtime", .ok, "\(folder), \(version)")
    }

    mutating func addMachine(_ facts: DoctorFacts) {
        let kernel = facts.kernel
        add(
            .machine, "kernel", .ok,
            "Linux \(kernel.release), \(kernel.architecture), pages of \(facts.pageBytes) bytes")
        add(.machine, "glibc", .ok, facts.glibc)
        add(
            .machine, "user", .ok,
            facts.user == 0
                ? "root; workers become user 61790"
                : "user \(facts.user); workers are the same user")
        addMemory(facts.memory)
        addCgroup(facts)
        addPower(facts.power)
        if facts.hasBootClock {
            add(.machine, "clock", .ok, "CLOCK_BOOTTIME, which also runs in sleep")
        } else {
            add(
                .machine, "clock", .problem, "no CLOCK_BOOTTIME: no budget of time can be held",
                advice: "needs Linux 2.6.39 or later, and a seccomp profile that allows it")
        }
        if let fault = facts.loopbackFault {
            add(
                .machine, "loopback", .note, "127.0.0.1 cannot be used: \(fault)",
                advice: "ip link set lo up")
        } else {
            add(.machine, "loopback", .ok, "127.0.0.1")
        }
    }

    /// Room for two launchers, a worker at its limit, and the host.
    private static let leastAvailableBytes: UInt64 = 128 << 20

    private mutating func addMemory(_ memory: DoctorFacts.Memory) {
        let sizes =
            "\(ByteCount(bytes: memory.totalBytes)), of which "
            + "\(ByteCount(bytes: memory.availableBytes)) can be had; swap "
            + "\(ByteCount(bytes: memory.swapBytes))"
        let isShort = memory.availableBytes < DoctorFindings.leastAvailableBytes
        add(
            .machine, "memory", isShort ? .note : .ok, sizes,
            advice: isShort ? "less than 128 MiB: runs may be ended by the kernel" : nil)
        if memory.overcommit == 2 {
            add(
                .machine, "overcommit", .note, "strict: a worker may not be forked near the limit",
                advice: "sysctl -w vm.overcommit_memory=0, or a larger vm.overcommit_ratio")
        } else {
            add(
                .machine, "overcommit", .ok,
                memory.overcommit == 1 ? "always" : memory.overcommit == 0 ? "heuristic" : "unknown"
            )
        }
        let mode = memory.hugePages.isEmpty ? "none" : memory.hugePages
        add(.machine, "huge pages", .ok, "\(mode); workers do without")
    }

    private mutating func addCgroup(_ facts: DoctorFacts) {
        switch facts.cgroup {
        case .place(let version, let folder, let controllers):
            let list = controllers.isEmpty ? "" : " (\(controllers.joined(separator: " ")))"
            add(.machine, "cgroups", .ok, "version \(version), writable: \(folder)\(list)")
        case .none(let version, _):
            // Why not is said with the layers.
            let name = version.map { "version \($0)" } ?? "none"
            add(.machine, "cgroups", .ok, "\(name); none can be made here")
        }
    }

    private mutating func addPower(_ supplies: [DoctorFacts.PowerSupply]) {
        let batteries = supplies.filter { $0.type == "Battery" }
        let isOnline = supplies.contains { $0.type != "Battery" && $0.isOnline == true }
        guard !batteries.isEmpty else { return add(.machine, "power", .ok, "no battery") }
        let charge = batteries.compactMap(\.capacity).map { "\($0) %" }.joined(separator: ", ")
        add(
            .machine, "power", .ok,
            "\(isOnline ? "mains" : "battery")\(charge.isEmpty ? "" : ", battery at \(charge)"); "
                + "not looked at by runs yet")
    }

    mutating func addFolders(_ facts: DoctorFacts) {
        for folder in facts.folders {
            guard let path = folder.path else {
                let isState = folder.purpose == "state"
                add(
                    .folders, folder.purpose, isState ? .problem : .note,
                    folder.fault ?? "no folder is named",
                    advice: isState
                        ? "set HOME or XDG_STATE_HOME to an absolute path"
                        : "start bahost in another folder, or name every path from / on")
                continue
            }
            if let fault = folder.fault {
                // Every run needs its state; where it puts the files is told by many.
                add(
                    .folders, folder.purpose, folder.purpose == "state" ? .problem : .note,
                    "\(path): \(fault)",
                    advice: "give bahost run another folder with --\(folder.purpose)")
            } else {
                let free = ByteCount(bytes: folder.freeBytes)
                let isFull = folder.freeBytes < 1 << 20
                add(
                    .folders, folder.purpose, isFull ? .note : .ok, "\(path), \(free) free",
                    advice: isFull ? "make room: downloads wait while the disk is full" : nil)
            }
        }
    }
}
