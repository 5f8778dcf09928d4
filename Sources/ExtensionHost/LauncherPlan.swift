internal import Glibc
internal import LinuxSystem
internal import WireProtocol

/// What decides which launcher a worker is forked from.
struct LauncherPlan: Hashable, Sendable {
    var workerPath: String
    var environment: [String]
    var isolation: IsolationMode
    var absentLayers: [String]

    /// Of the Swift runtime to load; empty for a launcher without.
    var runtimeFolders: [String]

    init(_ plan: WorkerPlan, hasSwiftRuntime: Bool) {
        workerPath = plan.workerPath
        environment = plan.environment + LauncherPlan.audit(plan)
        isolation = plan.setup.isolation
        absentLayers = plan.setup.absentLayers
        runtimeFolders = hasSwiftRuntime ? plan.setup.runtimeFolders : []
    }

    /// The audit library that seals what is loaded later: beside the worker, or in a build tree.
    ///
    /// rtld-audit(7).
    private static func audit(_ plan: WorkerPlan) -> [String] {
        guard plan.setup.isolation != .basic, !plan.setup.absentLayers.contains("sealing") else {
            return []
        }
        // Beside the program itself, not beside a link to it.
        let program = resolved(plan.workerPath) ?? plan.workerPath
        let folder = program[..<(program.lastIndex(of: "/") ?? program.startIndex)]
        let places = ["\(folder)/libbahost-seal.so", "\(folder)/../../plugins/libbahost-seal.so"]
        let found = places.first { unsafe access($0, R_OK) == 0 }
        return found.map { ["LD_AUDIT=\($0)"] } ?? []
    }

    /// All links followed; nil when the path leads nowhere.
    ///
    /// `realpath(3)`.
    private static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(validatingCString: text)
    }

    /// The namespaces to start it in, and why no others.
    func namespaces(isRoot: Bool) -> (wanted: NamespaceSet, refusal: String) {
        guard isolation != .basic else { return ([], "not part of basic isolation") }
        let absent = Set(absentLayers)
        // Only root makes the others without it. namespaces(7).
        guard isRoot || !absent.contains("user-namespace") else {
            return ([], "needs a user namespace")
        }
        var wanted: NamespaceSet = isRoot ? [] : .user
        let kinds: [(String, NamespaceSet)] = [
            ("pid-namespace", .pid), ("network-namespace", .network), ("ipc-namespace", .ipc),
            ("mount-namespace", .mount),
        ]
        for (layer, kind) in kinds where !absent.contains(layer) { wanted.insert(kind) }
        return (wanted, "treated as absent, as asked")
    }
}
