internal import LinuxSystem
internal import PluginImage
internal import Sandbox
internal import WireProtocol

extension SandboxPolicy {
    /// What the host's first message asks for.
    init(_ setup: WorkerSetup) {
        var paths = SandboxPaths(setup)
        paths.manifest = setup.manifestPath
        paths.runtimeFolders = setup.runtimeFolders
        self.init(paths: paths)
        isolation = Isolation(setup.isolation)
        absentLayers = Set(setup.absentLayers)
        limits.stackBytes = setup.limits.stackBytes
        limits.threadStackBytes = setup.limits.threadStackBytes
        limits.fileSizeBytes = setup.limits.fileSizeBytes
        limits.openFiles = setup.limits.openFiles
        limits.cpuSeconds = setup.limits.cpuSeconds
        limits.threads = setup.limits.threads
        identity = setup.identity
        launcherDescriptor = WorkerDescriptor.launcher
        evidenceDescriptor = WorkerDescriptor.evidence
    }
}

extension SandboxPaths {
    /// As the host names them; what reads a file only has no container.
    init(_ setup: WorkerSetup) {
        self.init(
            plugin: setup.pluginPath, container: setup.task == .run ? setup.containerPath : nil)
    }
}

extension WorkerLimits {
    /// The limits as the kernel has them; `asked` where the kernel has none to tell.
    static func inForce(_ asked: WorkerLimits, baseline: UInt64) -> WorkerLimits {
        var limits = asked
        let data = ResourceLimit.dataBytes.current
        limits.memoryBytes = data == .max ? .max : data - min(data, baseline)
        limits.stackBytes = ResourceLimit.stackBytes.current
        limits.openFiles = ResourceLimit.openFiles.current
        limits.fileSizeBytes = ResourceLimit.fileSizeBytes.current
        limits.cpuSeconds = ResourceLimit.cpuSeconds.current
        return limits
    }
}

extension LoadedPlugin {
    init(_ image: PluginImage) {
        self.init()
        name = image.tag.name
        version = image.tag.version
        abiMajor = image.tag.abiMajor
        abiMinor = image.tag.abiMinor
        toolchain = image.tag.toolchain
        entryPoints = image.entryPoints
    }
}
