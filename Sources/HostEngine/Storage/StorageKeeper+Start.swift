package import DownloadStore
internal import Glibc
internal import LinuxSystem

/// What a host does with a container's list before anything else.
extension StorageKeeper {
    /// Follows a container that was moved, and ends what an interrupted purge has begun there.
    ///
    /// - Returns: What a person should know.
    /// - Throws: ``DownloadStoreError``.
    package func begin() throws(DownloadStoreError) -> [String] {
        if let said = ContainerState.read(in: place.privateFolder), let old = place.oldPath(said) {
            _ = try store.moveContainer(from: old, to: place.path)
        }
        let count = try recover()
        return count > 0 ? ["\(StorageTaken.files(count)) of an interrupted purge went"] : []
    }

    /// Finds a lost list again by the files' marks, and holds rows and files against each other.
    ///
    /// - Parameters:
    ///   - app: Whose run it is; nil for whose files the list began with.
    ///   - statePath: The state folder.
    /// - Returns: What a person should know, and how many rows were made again.
    /// - Throws: ``DownloadStoreError``.
    package func takeUp(
        app: String?, statePath: String
    ) throws(DownloadStoreError) -> (notes: [String], rebuilt: Int) {
        let state = Paths.resolved(statePath) ?? statePath
        let said = ContainerState.read(in: place.privateFolder)
        var notes: [String] = []
        var rebuilt = 0
        let finding = ListFinding.judge(
            said, statePath: state, isEmpty: try rows().isEmpty,
            hasApps: try !store.apps(limit: 1).isEmpty, hasList: StorageKeeper.hasList)
        switch finding {
        case .own: break
        case .lost:
            rebuilt = try rebuild(app: app ?? said?.app ?? "")
            if rebuilt > 0 {
                notes.append(
                    "the list of published files was lost: \(rebuilt) were found by their marks; "
                        + "which of them were pinned is not known any more")
            }
        case .others(let folder):
            isAnothers = true
            notes.append(
                "the files that are there already are on the list in \(folder), and not this run's "
                    + "to take back")
        }
        sayWhoseListItIs(app: app ?? said?.app, statePath: state)
        notes += try review().sentences
        return (notes, rebuilt)
    }

    /// Has the container say which state folder has its list, once there is one.
    func sayWhoseListItIs(app: String?, statePath: String) {
        guard !hasSaid, !isAnothers, store.hasDatabase, let app else { return }
        hasSaid = true
        let state = ContainerState(
            statePath: Paths.resolved(statePath) ?? statePath, containerPath: place.path, app: app)
        guard ContainerState.read(in: place.privateFolder) != state else { return }
        // Without it a lost list is not found again; nothing else is missing.
        try? state.write(in: place.privateFolder)
    }

    /// Whether a state folder has a database; yes for one that cannot be looked into.
    package static func hasList(_ statePath: String) -> Bool {
        if unsafe access("\(statePath)/downloads.sqlite", F_OK) == 0 { return true }
        return errno != ENOENT && errno != ENOTDIR
    }
}
