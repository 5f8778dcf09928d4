internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import Sandbox
internal import WireProtocol

/// Finds what the loader will load with a plugin, in its order, without loading any of it.
///
/// ld.so(8). A library that is counted and then not loaded would leave the plugin memory that
/// nobody paid for, so whatever could make the loader find another file is refused.
struct LibraryWalk {
    /// A file whose needs are still to be looked at.
    private struct Node {
        let needed: [String]
        let folders: [String]
        let hasOldRunPath: Bool

        init(_ elf: ElfFile, _ rules: LoadRules) {
            needed = elf.needed
            folders = rules.runFolders(of: elf)
            hasOldRunPath = elf.hasOldRunPath
        }
    }

    /// Libraries of the system's that are not loaded yet, by path or name.
    private(set) var missing: [String] = []
    private(set) var budget: LoadBudget

    /// Names of libraries that the plugin brings.
    private(set) var brought: Set<String> = []

    private var rules: LoadRules
    private let systemFolders: [String]
    private let pluginFolders: [String]
    private var nodes: [Node]
    private let need: LoadNeed
    private var known: Set<[UInt8]> = []
    private var identities: Set<FileIdentity>

    /// Subfolders that the loader looks in before the folder itself: ld.so(8), and the older names
    /// that `ld.so --help` prints.
    private static let variants = [
        "glibc-hwcaps", "tls", "haswell", "xeon_phi", "avx512_1", "x86_64", "sse2", "i586", "i686",
        "aarch64", "atomics",
    ]

    init(_ elf: ElfFile, _ identity: FileIdentity, setup: WorkerSetup, paths: SandboxPaths) {
        rules = PluginReader.rules(setup, paths)
        budget = LoadBudget(limitBytes: rules.writableLimitBytes)
        let original = SandboxPaths(setup)
        pluginFolders = [paths.pluginFolder, original.pluginFolder].compactMap(Paths.resolved)
        systemFolders = (PluginReader.systemFolders + setup.runtimeFolders + paths.runtimeFolders)
            .compactMap(Paths.resolved)
        identities = [identity]
        if let soname = elf.soname { known.insert(Array(soname.utf8)) }
        nodes = [Node(elf, rules)]
        need = elf.loadNeed
    }

    /// To be called once.
    ///
    /// - Parameters:
    ///   - tried: Libraries of the system's that have been loaded for this plugin.
    ///   - refuse: Called with each reason not to load it; ends the walk by throwing it.
    /// - Throws: What `refuse` throws.
    mutating func run(
        tried: Set<String> = [],
        refuse: (LoadRefusal) throws(LoadRefusal) -> Void = { refusal throws(LoadRefusal) in
            throw refusal
        }
    ) throws(LoadRefusal) {
        do { try budget.add(need) } catch { try refuse(LoadRefusal(error)) }
        var index = 0
        while index < nodes.count {
            let node = nodes[index]
            for name in node.needed where known.insert(Array(name.utf8)).inserted {
                if LoadedLibrary.isLoaded(name) { continue }
                do { try find(name, for: node, tried: tried) } catch { try refuse(error) }
            }
            index += 1
        }
    }

    private mutating func find(
        _ name: String, for node: Node, tried: Set<String>
    ) throws(LoadRefusal) {
        var library = name
        for folder in node.folders {
            let path = folder + "/" + name
            guard unsafe access(path, R_OK) == 0 else { continue }
            guard let place = Paths.resolved(path), isSystem(place) else {
                try refuseVariants(name, of: node)
                return try bring(name, from: folder)
            }
            library = path
            break
        }
        guard !tried.contains(library) else { return }
        missing.append(library)
        guard missing.count <= LoadBudget.mostLibraries else {
            throw LoadRefusal(
                "the file needs more than \(LoadBudget.mostLibraries) libraries of the system")
        }
    }

    /// Looks at a library in the plugin's own folder as at the plugin.
    private mutating func bring(_ name: String, from folder: String) throws(LoadRefusal) {
        let path = folder + "/" + name
        brought.insert(name)
        let file = try PluginFile(path)
        guard identities.insert(file.identity).inserted, !LoadedLibrary.isLoaded(path) else {
            return
        }
        rules.originFolder = folder
        do throws(PluginImageError) {
            let elf = try ElfFile(
                bytes: unsafe file.bytes.bytes, expecting: Machine.host,
                pageSize: MemoryReading.pageBytes)
            if let refusal = rules.refusal(of: elf) { throw refusal }
            if let soname = elf.soname, !soname.utf8.elementsEqual(name.utf8) {
                throw PluginImageError(
                    .forbiddenNeeded, "the file says that it is another library (DT_SONAME)")
            }
            try budget.add(elf.loadNeed)
            nodes.append(Node(elf, rules))
        } catch {
            throw LoadRefusal(error.ofLibrary(name))
        }
    }

    private func refuseVariants(_ name: String, of node: Node) throws(LoadRefusal) {
        guard !node.hasOldRunPath else {
            throw LoadRefusal(
                PluginImageError(
                    .forbiddenRunPath,
                    "the file's run path is of the old kind or there are two (DT_RPATH): link with"
                        + " --enable-new-dtags"
                ).ofLibrary(name))
        }
        for folder in node.folders {
            for variant in Self.variants
            where unsafe access(folder + "/" + variant, F_OK) == 0
                && !(Paths.resolved(folder).map(isSystem) ?? false)
            {
                throw LoadRefusal(
                    PluginImageError(
                        .forbiddenNeeded,
                        "beside it is a folder \(variant), in which the loader looks first"
                    ).ofLibrary(name))
            }
        }
    }

    private func isSystem(_ path: String) -> Bool {
        LoadRules.isInside(path, systemFolders) && !LoadRules.isInside(path, pluginFolders)
    }
}
