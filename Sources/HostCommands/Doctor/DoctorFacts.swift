package import LinuxSystem
package import WireProtocol

/// Everything that `bahost doctor` has looked at, before anything is made of it.
package struct DoctorFacts: Hashable, Sendable {
    /// The isolation that was asked for.
    package var isolation = IsolationMode.automatic

    /// Layers that were to be treated as absent: `BAHOST_ABSENT_LAYERS`.
    package var absentLayers: [String] = []
    package var probe = Probe.failed("no worker was started")
    package var kernel = KernelVersion(release: "", architecture: "")
    package var glibc = ""
    package var pageBytes = 4_096
    package var user: UInt32 = 0
    package var programs = Programs()
    package var namespaces = Namespaces()
    package var security = Security()
    package var memory = Memory()
    package var cgroup = Cgroup.none(version: nil, why: "not looked for")
    package var swift = Swift()
    package var libraries: [Library] = []
    package var folders: [Folder] = []
    package var power: [PowerSupply] = []

    /// Why 127.0.0.1 cannot be listened on; nil when it can.
    package var loopbackFault: String?
    package var hasBootClock = true

    package init() {}
}

extension DoctorFacts {
    /// What came of starting a worker.
    package enum Probe: Hashable, Sendable {
        /// It has closed itself in.
        case ready(WorkerReady)

        /// It could not be started, or had to end; why.
        case failed(String)
    }

    /// Our own programs.
    package struct Programs: Hashable, Sendable {
        package var worker: String?

        /// Why there is no worker program.
        package var workerFault = ""

        /// Where the audit library must lie.
        package var auditPath = ""
        package var hasAudit = false

        package init() {}
    }

    /// What may refuse namespaces: the numbers of `/proc/sys`, nil where there is no such file.
    package struct Namespaces: Hashable, Sendable {
        /// `user.max_…_namespaces`, by `user`, `pid`, `net`, `ipc` and `mnt`.
        package var most: [String: Int64] = [:]

        /// `kernel.unprivileged_userns_clone`: Debian's.
        package var unprivilegedClone: Int64?

        /// `kernel.apparmor_restrict_unprivileged_userns`: Ubuntu's.
        package var appArmorRestriction: Int64?

        /// Kinds that the kernel was built with: names in `/proc/self/ns`.
        package var kinds: Set<String> = []

        package init() {}
    }

    /// What may refuse Landlock, the filter and sealing.
    package struct Security: Hashable, Sendable {
        /// Landlock's ABI; nil without it.
        package var landlockVersion: Int32?

        /// The kernel's list of security modules; empty where it cannot be read.
        package var modules = ""
        package var hasFilters = true
        package var canSeal = true

        package init() {}
    }

    package struct Memory: Hashable, Sendable {
        package var totalBytes: UInt64 = 0
        package var availableBytes: UInt64 = 0
        package var swapBytes: UInt64 = 0

        /// `vm.overcommit_memory`: 2 is strict.
        package var overcommit: Int64?

        /// The mode of transparent huge pages, such as `madvise`.
        package var hugePages = ""

        package init() {}
    }

    /// Where a host of many runs would make memory cgroups.
    package enum Cgroup: Hashable, Sendable {
        case place(version: Int, folder: String, controllers: [String])

        /// The version that this process is in, if any, and why none can be made.
        case none(version: Int?, why: String)
    }

    package struct Swift: Hashable, Sendable {
        /// What this host was built with, such as `swift-6.3`.
        package var toolchain = ""

        /// The folder that plugins in Swift get; nil without one.
        package var folder: String?

        /// The version in that folder, such as `6.3.1`; nil when nothing there tells.
        package var version: String?
        package var hasFoundation = false

        package init() {}
    }

    /// A library that a program of ours needs at run time.
    package struct Library: Hashable, Sendable {
        package let name: String

        /// Of Debian 12.
        package let package: String

        /// Why it cannot be loaded; nil when it can.
        package let fault: String?

        package init(_ name: String, package: String, fault: String?) {
            self.name = name
            self.package = package
            self.fault = fault
        }
    }

    /// A folder that a run writes to.
    package struct Folder: Hashable, Sendable {
        package let purpose: String

        /// The folder, or the deepest one on the way to it that is there; nil when none is named.
        package let path: String?

        /// Why it cannot be written; nil when it can.
        package let fault: String?
        package let freeBytes: UInt64

        package init(_ purpose: String, path: String?, fault: String?, freeBytes: UInt64) {
            self.purpose = purpose
            self.path = path
            self.fault = fault
            self.freeBytes = freeBytes
        }
    }

    package struct PowerSupply: Hashable, Sendable {
        package let name: String

        /// `Mains`, `Battery`, `USB`, `UPS` or another word of the kernel's.
        package let type: String
        package let isOnline: Bool?

        /// In percent.
        package let capacity: Int64?

        package init(name: String, type: String, isOnline: Bool?, capacity: Int64?) {
            self.name = name
            self.type = type
            self.isOnline = isOnline
            self.capacity = capacity
        }
    }
}
