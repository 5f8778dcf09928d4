/// How much isolation is asked for.
package enum IsolationMode: UInt8, Hashable, Sendable, CaseIterable {
    /// Rlimits, seccomp, no-new-privileges, capabilities dropped.
    ///
    /// No file confinement.
    case basic = 0

    /// All the kernel gives; what is missing is named.
    case automatic = 1

    /// Everything, or no run.
    case full = 2
}

/// What happens to a worker when an allocation is refused.
package enum MemoryLimitAction: UInt8, Hashable, Sendable {
    case end = 0
    case fail = 1
}

/// How the runtime's own writable pages count.
package enum MemoryRule: UInt8, Hashable, Sendable {
    /// What the runtime has mapped and not touched can be written past the limit, and is printed.
    case normal = 0

    /// It is taken off the limit.
    case strict = 1
}

/// The kernel's limits on one worker.
package struct WorkerLimits: Hashable, Sendable {
    package var memoryBytes: UInt64 = 6 << 20
    package var stackBytes: UInt64 = 1 << 20
    package var threadStackBytes: UInt64 = 256 << 10
    package var threads: UInt64 = 32
    package var openFiles: UInt64 = 32
    package var fileSizeBytes: UInt64 = 64 << 20
    package var cpuSeconds: UInt64 = 10

    package init() {}
}

/// What a worker is started for.
package enum WorkerTask: Hashable, Sendable {
    /// Load the plugin and answer calls.
    case run

    /// Read the file, tell what it is, end.
    ///
    /// It is held against this memory limit, which need not be the worker's own.
    case inspect(memoryLimitBytes: UInt64)
}

/// The first message to a worker: everything it needs before it closes itself in.
package struct WorkerSetup: Hashable, Sendable {
    /// Absolute path of the plugin.
    package var pluginPath: String
    package var task = WorkerTask.run

    /// Absolute path of the group's container, which the worker may write to.
    ///
    /// Not used by an inspection, which may write nowhere.
    package var containerPath: String

    /// Absolute path of a copy of the content manifest, which the worker may read.
    package var manifestPath: String?

    /// Folders with the Swift runtime, which a plugin may be linked against.
    package var runtimeFolders: [String] = []

    /// The toolchain of that runtime, such as `swift-6.3`.
    package var swiftToolchain = ""
    package var isolation = IsolationMode.automatic

    /// Layers to treat as refused by the kernel, by name; how degraded machines are tested.
    package var absentLayers: [String] = []
    package var limits = WorkerLimits()
    package var memoryLimitAction = MemoryLimitAction.end
    package var memoryRule = MemoryRule.normal

    /// User and group to become when the host is uid 0.
    package var identity: UInt32?

    /// Whether it tells what it has open after the load and at each return: ``WorkerHoldings``.
    package var countsHoldings = false

    package init(pluginPath: String, containerPath: String) {
        self.pluginPath = pluginPath
        self.containerPath = containerPath
    }
}

/// A layer that is not in force, and why.
package struct MissingLayer: Hashable, Sendable {
    package let layer: String
    package let why: String

    package init(layer: String, why: String) {
        self.layer = layer
        self.why = why
    }
}

/// The worker has closed itself in; nothing of the plugin has run.
package struct WorkerReady: Hashable, Sendable {
    package var layers: [String] = []
    package var missing: [MissingLayer] = []

    /// Memory held and data counted before the plugin was loaded.
    package var heldBytes: UInt64 = 0
    package var dataBytes: UInt64 = 0

    /// Writable runtime pages mapped but not yet touched: could be dirtied past the limit.
    package var reserveBytes: UInt64 = 0

    /// The limits as the kernel has them now.
    package var inForce = WorkerLimits()

    package init() {}
}

/// A step of the set-up that failed.
package struct SetupFailure: Hashable, Sendable {
    package let step: String
    package let sentence: String

    /// The least memory limit that the worker itself can do with, when the limit was below.
    package let minimumBytes: UInt64?

    package init(step: String, sentence: String, minimumBytes: UInt64? = nil) {
        self.step = step
        self.sentence = sentence
        self.minimumBytes = minimumBytes
    }
}

/// The plugin is loaded and its symbols are found.
package struct LoadedPlugin: Hashable, Sendable {
    package var name = ""
    package var version = ""
    package var abiMajor: UInt16 = 0
    package var abiMinor: UInt16 = 0
    package var toolchain = ""
    package var entryPoints: [String] = []

    /// What the worker had when the plugin was loaded and not yet called; zeros unless
    /// ``WorkerSetup/countsHoldings``.
    package var holdings = WorkerHoldings()

    package init() {}
}

/// The plugin was refused.
package struct LoadFailure: Hashable, Sendable {
    /// True for `abi_mismatch`, false for `load_error`.
    package let isMismatch: Bool
    package let sentence: String

    package init(isMismatch: Bool, sentence: String) {
        self.isMismatch = isMismatch
        self.sentence = sentence
    }
}
