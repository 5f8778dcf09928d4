/// What a worker may do, as a value: given to ``Sandbox/apply(_:)`` once.
package struct SandboxPolicy: Hashable, Sendable {
    package enum Isolation: Hashable, Sendable {
        /// The four basic layers; a missing one is an error.
        case basic

        /// All the kernel gives; what is missing is reported.
        case automatic

        /// Everything; a missing one is an error.
        case full
    }

    /// Limits of `setrlimit(2)`, in bytes, seconds and numbers.
    package struct Limits: Hashable, Sendable {
        package var stackBytes: UInt64 = 1 << 20
        package var threadStackBytes: UInt64 = 256 << 10
        package var fileSizeBytes: UInt64 = 64 << 20
        package var openFiles: UInt64 = 32
        package var cpuSeconds: UInt64 = 10

        /// Processes and threads, this one included; in force in a user namespace of its own only.
        package var threads: UInt64 = 32

        package init() {}
    }

    package var paths: SandboxPaths
    package var isolation = Isolation.automatic

    /// Names of layers to treat as refused by the kernel.
    package var absentLayers: Set<String> = []
    package var limits = Limits()

    /// User and group to become when this process is uid 0.
    package var identity: UInt32?

    /// A pidfd of the launcher, which must be alive; -1 does not look.
    package var launcherDescriptor: Int32 = -1

    /// Where evidence goes; -1 for none.
    package var evidenceDescriptor: Int32 = -1

    package init(paths: SandboxPaths) {
        self.paths = paths
    }
}

/// The files of a run, by absolute path: as the host names them, or as the worker sees them.
package struct SandboxPaths: Hashable, Sendable {
    package var plugin: String

    /// Nil for a process that may write nowhere.
    package var container: String?
    package var manifest: String?
    package var runtimeFolders: [String] = []

    package init(plugin: String, container: String?) {
        self.plugin = plugin
        self.container = container
    }

    /// The plugin's folder, without a slash at its end unless it is the root.
    package var pluginFolder: String {
        guard let slash = plugin.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == plugin.startIndex ? "/" : String(plugin[..<slash])
    }

    package var pluginName: String {
        guard let slash = plugin.utf8.lastIndex(of: UInt8(ascii: "/")) else { return plugin }
        return String(plugin[plugin.utf8.index(after: slash)...])
    }

    /// The folders of the container that the worker may write to.
    package var writableFolders: [String] {
        guard let container else { return [] }
        return ["Downloads", "Library", "tmp"].map { container + "/" + $0 }
    }
}

/// What came of a policy.
package struct SandboxReport: Hashable, Sendable {
    /// In force, in the order they were set.
    package internal(set) var layers: [SandboxLayer] = []
    package internal(set) var missing: [AbsentLayer] = []

    /// The files as this process sees them from now on.
    package internal(set) var paths: SandboxPaths

    init(paths: SandboxPaths) {
        self.paths = paths
    }
}
