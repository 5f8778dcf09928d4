internal import Glibc
internal import HostEngine
internal import LinuxSystem

/// The files of one script: a container of its own, below the check's private folder.
final class ScriptFiles {
    /// What a worker may write in all.
    static let writtenBytes: UInt64 = 64 << 20

    /// What a finished download holds.
    static let fileBytes = Array("What a download brings.\n".utf8)

    private let container: GroupContainer
    private let scratch: String
    private let before: Set<String>

    var path: String { container.path }
    var manifestPath: String { container.manifestPath }

    /// - Parameters:
    ///   - scratch: The private folder.
    ///   - manifest: Written where the worker finds it.
    /// - Throws: ``PluginCheckError`` with `cannotWrite`.
    init(in scratch: String, manifest: [UInt8]?) throws(PluginCheckError) {
        let path = "\(scratch)/container"
        do throws(RunError) {
            container = try GroupContainer(path: path, owner: WorkerIdentity.forThisHost())
        } catch {
            throw PluginCheckError(.cannotWrite, error.message)
        }
        if let manifest {
            try ScriptFiles.write(manifest, to: container.manifestPath)
            container.giveManifest()
        }
        self.scratch = scratch
        before = ScriptFiles.names(scratch)
    }

    deinit {
        try? FolderSweep.empty(path)
        _ = unsafe rmdir(path)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(PluginCheckError) {
        do throws(SystemError) {
            let file = try Descriptor.open(
                path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try DescriptorIO.writeAll(file.raw, bytes, subject: path)
        } catch {
            throw PluginCheckError(.cannotWrite, "\(error)")
        }
    }

    func use(mostFiles: UInt64) -> FolderUse? {
        container.use(mostFiles: mostFiles)
    }

    /// Puts a finished download where the host would.
    func put(_ name: String) throws(PluginCheckError) {
        let draft = "\(container.path)/.bahost/\(name)"
        try ScriptFiles.write(ScriptFiles.fileBytes, to: draft)
        do throws(SystemError) {
            try container.downloads.take(draft, as: name)
        } catch {
            _ = unsafe unlink(draft)
            throw PluginCheckError(.cannotWrite, "\(error)")
        }
    }

    func hasFile(_ name: String) -> Bool {
        (try? container.downloads.status(name)) != nil
    }

    func remove(_ name: String) {
        container.remove(published: name)
    }

    /// What lies beside the plugin's folders now and did not before.
    func strayNames() -> [String] {
        ScriptFiles.names(scratch).subtracting(before).sorted()
    }

    private static func names(_ scratch: String) -> Set<String> {
        var names: Set<String> = []
        for folder in ["", "container", "container/.bahost"] {
            FolderNames.each(in: "\(scratch)/\(folder)") { name in
                names.insert(folder.isEmpty ? name : "\(folder)/\(name)")
                // A plugin that fills a folder is seen by its first files.
                return names.count < 4_096 ? .no : .yes
            }
        }
        return names
    }
}
