internal import CPluginSDK
internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import Sandbox
internal import WireProtocol

/// Reads a plugin's file and holds it against the host's rules.
///
/// Nothing of it runs.
enum PluginReader {
    static func read(
        _ file: borrowing PluginFile, setup: WorkerSetup, paths: SandboxPaths
    ) throws(LoadRefusal) -> PluginImage {
        let image: PluginImage
        do {
            image = try PluginImage(
                bytes: unsafe file.bytes.bytes, expecting: Machine.host,
                lookingFor: EntryPoint.allCases.map(\.symbol),
                pageSize: UInt64(sysconf(Int32(_SC_PAGESIZE))))
        } catch {
            throw LoadRefusal(error)
        }
        if let refusal = rules(setup, paths).refusal(of: image) { throw LoadRefusal(refusal) }
        return image
    }

    static func rules(_ setup: WorkerSetup, _ paths: SandboxPaths) -> LoadRules {
        let original = SandboxPaths(plugin: setup.pluginPath, container: setup.containerPath)
        let system = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"]
        return LoadRules(
            abiMajor: UInt16(BAHOST_ABI_MAJOR), abiMinor: UInt16(BAHOST_ABI_MINOR),
            features: HostTable.features, writableLimitBytes: setup.limits.memoryBytes,
            pluginFolder: paths.pluginFolder,
            libraryFolders: system + setup.runtimeFolders + paths.runtimeFolders
                + [original.pluginFolder],
            swiftRuntime: setup.runtimeFolders.isEmpty ? nil : toolchain(setup.swiftToolchain),
            glibc: MajorMinor(LibraryTuning.glibcVersion))
    }

    private static func toolchain(_ name: String) -> MajorMinor? {
        name.hasPrefix("swift-") ? MajorMinor(name.dropFirst("swift-".count)) : nil
    }
}
