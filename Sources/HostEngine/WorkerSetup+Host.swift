package import WireProtocol

extension WorkerSetup {
    /// A worker of this host: with its toolchain, and as the user that its workers run as.
    package static func ofThisHost(
        _ pluginPath: String, containerPath: String, isolation: IsolationMode = .automatic,
        absentLayers: [String], runtimeFolders: [String] = []
    ) -> WorkerSetup {
        var setup = WorkerSetup(pluginPath: pluginPath, containerPath: containerPath)
        setup.runtimeFolders = runtimeFolders
        setup.swiftToolchain = SwiftRuntime.toolchain
        setup.isolation = isolation
        setup.absentLayers = absentLayers
        setup.identity = WorkerIdentity.forThisHost()
        return setup
    }
}

extension WorkerLimits {
    /// Why no worker can run with that limit, as the option has it.
    package static func tooLittle(memoryBytes: UInt64, minimum: UInt64) -> String {
        "--memory \(memoryBytes): the worker itself needs at least \(minimum) bytes"
    }
}
