internal import CPluginSDK
internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import Sandbox
internal import WireProtocol

/// What is known of a plugin when its file has been closed again.
struct InspectedPlugin {
    let image: PluginImage
    let tagBytes: [UInt8]
    let identity: FileIdentity

    /// True when it needs a Swift runtime and the host's is of another version, or there is none: it
    /// is loaded with the one in its own folder.
    let usesOwnRuntime: Bool
}

/// Reads a plugin's file and holds it against the host's rules.
///
/// Nothing of it runs.
enum PluginReader {
    static func read(
        setup: WorkerSetup, paths: SandboxPaths
    ) throws(LoadRefusal) -> InspectedPlugin {
        let file = try PluginFile(paths.plugin)
        let image: PluginImage
        do {
            image = try PluginImage(
                bytes: unsafe file.bytes.bytes, expecting: Machine.host,
                lookingFor: EntryPoint.symbols, pageSize: MemoryReading.pageBytes)
        } catch {
            throw LoadRefusal(error)
        }
        var rules = rules(setup, paths)
        rules.bringsSwiftRuntime = bringsRuntime(image.elf, rules)
        if let refusal = rules.refusal(of: image) { throw LoadRefusal(refusal) }
        let tag = file.copy(offset: image.tag.fileOffset, count: Int(image.tag.structSize))
        let suits = rules.swiftRuntime == toolchain(image.tag.toolchain)
        return InspectedPlugin(
            image: image, tagBytes: tag, identity: file.identity,
            usesOwnRuntime: rules.bringsSwiftRuntime && !suits)
    }

    static func bringsRuntime(_ elf: ElfFile, _ rules: LoadRules) -> Bool {
        guard elf.needsSwiftRuntime else { return false }
        return rules.runFolders(of: elf).contains { folder in
            guard LoadRules.isInside(folder, [rules.pluginFolder]) else { return false }
            return unsafe access(folder + "/libswiftCore.so", F_OK) == 0
        }
    }

    /// Folders whose libraries are the system's own.
    static let systemFolders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"]

    static func rules(_ setup: WorkerSetup, _ paths: SandboxPaths) -> LoadRules {
        let original = SandboxPaths(setup)
        return LoadRules(
            abiMajor: UInt16(BAHOST_ABI_MAJOR), abiMinor: UInt16(BAHOST_ABI_MINOR),
            features: HostTable.features, writableLimitBytes: setup.limits.memoryBytes,
            pluginFolder: paths.pluginFolder,
            libraryFolders: systemFolders + setup.runtimeFolders + paths.runtimeFolders
                + [original.pluginFolder],
            swiftRuntime: setup.runtimeFolders.isEmpty ? nil : toolchain(setup.swiftToolchain),
            glibc: MajorMinor(LibraryTuning.glibcVersion))
    }

    private static func toolchain(_ name: String) -> MajorMinor? {
        name.hasPrefix("swift-") ? MajorMinor(name.dropFirst("swift-".count)) : nil
    }
}
