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

    /// Who workers of a host that is root become.
    var identity: UInt32?

    init(_ plan: WorkerPlan, hasSwiftRuntime: Bool) {
        workerPath = plan.workerPath
        environment = plan.environment + LauncherPlan.audit(plan)
        isolation = plan.setup.isolation
        absentLayers = plan.setup.absentLayers
        runtimeFolders = hasSwiftRuntime ? plan.setup.runtimeFolders : []
        identity = plan.setup.identity
    }

    /// The audit library that seals what is loaded later, beside the worker and nowhere else: a
    /// root's launcher runs it.
    ///
    /// rtld-audit(7).
    private static func audit(_ plan: WorkerPlan) -> [String] {
        guard plan.setup.isolation != .basic, !plan.setup.absentLayers.contains("sealing") else {
            return []
        }
        let library = AuditLibrary.path(besideWorker: plan.workerPath)
        return unsafe access(library, R_OK) == 0 ? ["LD_AUDIT=\(library)"] : []
    }

    /// The namespaces to start it in, and why no others.
    func namespaces(isRoot: Bool) -> (wanted: NamespaceSet, refusal: String) {
        guard isolation != .basic else { return ([], "not part of basic isolation") }
        let absent = Set(absentLayers)
        // Only root makes the others without it, and needs it where it has no other user to become.
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

/// `libbahost-seal.so`, which seals what is loaded.
package enum AuditLibrary {
    /// Where it must be: beside the worker program itself, not beside a link to it.
    package static func path(besideWorker worker: String) -> String {
        "\(Paths.folder(of: Paths.resolved(worker) ?? worker))/libbahost-seal.so"
    }
}
