package import DownloadStore
internal import Glibc
internal import LinuxSystem

/// What a host does with a container's list before anything else.
extension StorageKeeper {
    /// Ends what an interrupted purge has begun, follows a container that was moved, and finds a lost
    /// list again by the files' marks.
    ///
    /// - Parameters:
    ///   - app: Whose run it is; nil for whose files the list began with.
    ///   - statePath: The state folder.
    /// - Returns: What a person should know, and how many rows were made again.
    /// - Throws: ``DownloadStoreError``, but not for want of space, which files may make way for next.
    package func takeUp(
        app: String?, statePath: String
    ) throws(DownloadStoreError) -> (notes: [String], rebuilt: Int) {
        let state = Paths.resolved(statePath) ?? statePath
        let said = place.said
        var notes: [String] = []
        do throws(DownloadStoreError) {
            let count = try follow(said, state)
            if count > 0 {
                notes.append("\(StorageTaken.files(count)) of an interrupted purge went")
            }
            let rebuilt = try find(said, app: app ?? said?.app ?? "", state, &notes)
            if try hasRows { sayWhoseListItIs(app: app ?? said?.app, statePath: state) }
            return (notes, rebuilt)
        } catch {
            guard case .noSpace = error.code else { throw error }
            isUnsettled = true
            return (notes + ["\(error)"], 0)
        }
    }

    /// Whether the list has anything of the container.
    private var hasRows: Bool {
        get throws(DownloadStoreError) {
            try !store.publishedFiles(container: place.path, limit: 1).isEmpty
        }
    }

    /// - Returns: How many files of an interrupted purge went.
    private func follow(
        _ said: ContainerState?, _ state: String
    ) throws(DownloadStoreError) -> Int {
        if let said, said.isIn(state), let old = place.oldPath(said) {
            _ = try store.moveContainer(from: old, to: place.path)
        }
        return try recover()
    }

    /// - Returns: How many rows were made again.
    private func find(
        _ said: ContainerState?, app: String, _ state: String, _ notes: inout [String]
    ) throws(DownloadStoreError) -> Int {
        let finding = ListFinding.judge(
            said, statePath: state, isEmpty: try !hasRows,
            hasApps: try !store.apps(limit: 1).isEmpty,
            wasMoved: said.map(place.wasMoved) ?? false, hasList: StorageKeeper.hasList)
        switch finding {
        case .own: return 0
        case .lost:
            let (count, isComplete) = try rebuild(app: app)
            if count > 0 {
                notes.append(
                    "the list of published files was lost: \(StorageTaken.files(count)) found by "
                        + "their marks; which of them were pinned is not known any more")
            }
            if !isComplete {
                notes.append("not all of the container could be looked through for lost files")
            }
            return count
        case .others(let folder):
            isAnothers = true
            notes.append(
                "the list in \(folder) is this container's: what is on it is not taken back here")
            return 0
        }
    }

    /// Has the container say which state folder has its list, once there is one.
    func sayWhoseListItIs(app: String?, statePath: String) {
        guard !hasSaid, !isAnothers, !isUnsettled, store.hasDatabase, let app else { return }
        hasSaid = true
        guard let inode = place.inode else { return }
        let state = ContainerState(
            statePath: Paths.resolved(statePath) ?? statePath, containerPath: place.path,
            inode: inode, app: app)
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
