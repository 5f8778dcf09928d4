internal import Glibc
internal import LinuxSystem

/// A mount namespace in which the run's files lie under /tmp, and nothing else of /tmp is there.
struct FileView {
    private static let root = "/tmp"
    private let original: SandboxPaths

    /// Whether this process sees the folder as another user later.
    private let changesUser: Bool

    /// Whether `/proc` shows this process's own PID namespace.
    private let hasOwnProcesses: Bool

    /// As seen inside, once mounted.
    private(set) var paths: SandboxPaths

    init(_ paths: SandboxPaths, changesUser: Bool, hasOwnProcesses: Bool) {
        original = paths
        self.changesUser = changesUser
        self.hasOwnProcesses = hasOwnProcesses
        self.paths = paths
        self.paths.plugin = "\(FileView.root)/plugin/\(paths.pluginName)"
        self.paths.container = paths.container.map { _ in "\(FileView.root)/container" }
        self.paths.manifest = paths.manifest.map { _ in "\(FileView.root)/manifest" }
        self.paths.runtimeFolders = paths.runtimeFolders.indices.map {
            "\(FileView.root)/runtime-\($0)"
        }
    }

    /// - Throws: ``SystemError``; the files are then where they were.
    func mount() throws(SystemError) {
        try MountNamespace.enter()
        umask(0o022)
        // Copied in the new namespace, before something lies over them.
        let folderIsOpen = !changesUser || isOpenToAll(original.pluginFolder)
        let plugin = try placeIfThere(folderIsOpen ? original.pluginFolder : original.plugin)
        let container = try original.container.map { path throws(SystemError) in
            try MountPlace(path, isWritable: true)
        }
        let manifest = try original.manifest.map { path throws(SystemError) in
            try MountPlace(path)
        }
        var runtimes: [MountPlace?] = []
        for folder in original.runtimeFolders { runtimes.append(try placeIfThere(folder)) }
        try MountNamespace.mountEmpty(on: FileView.root)
        do {
            // A folder that is closed to others stays closed: then the file alone is shown.
            if !folderIsOpen { unsafe mkdir(paths.pluginFolder, 0o755) }
            try plugin?.show(at: folderIsOpen ? paths.pluginFolder : paths.plugin)
            if let path = paths.container { try container?.show(at: path) }
            if let path = paths.manifest { try manifest?.show(at: path) }
            for (place, path) in zip(runtimes, paths.runtimeFolders) { try place?.show(at: path) }
            try MountNamespace.seal(FileView.root)
            if hasOwnProcesses { try MountNamespace.mountProcesses() }
        } catch {
            MountNamespace.unmount(FileView.root)
            throw error
        }
    }

    /// Nil for what is not there, which the loader will say better.
    private func placeIfThere(_ path: String) throws(SystemError) -> MountPlace? {
        do { return try MountPlace(path) } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return nil
        }
    }

    private func isOpenToAll(_ folder: String) -> Bool {
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else { return true }
        return status.st_mode & 0o005 == 0o005
    }
}
