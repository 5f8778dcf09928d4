internal import AssetPacks
internal import BoundedJSON
internal import CommandLineOptions
internal import Glibc
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

/// The packs that a run asks about: those of `--packs`, or those of them that `--pack` names.
struct PackSelection {
    private let path: String?
    private let chosen: [String]

    init(_ options: RunOptions, in folder: String) {
        path = options.packsPath.map { PathText.absolute($0, in: folder) }
        chosen = options.packs
    }

    /// In the manifest's order.
    ///
    /// - Throws: ``RunError`` when the file cannot be used, ``CommandLineOptionsError`` when it does
    ///   not list a pack that was named.
    func packs() throws -> [AssetPackDescription] {
        guard let path else { return [] }
        let manifest: DownloadManifest
        do {
            manifest = try DownloadManifest(untrusted: try PackSelection.read(path), path: path)
        } catch let error as BoundedJSONError {
            throw RunError(.inputMissing, "--packs: \(error)")
        }
        guard !chosen.isEmpty else { return manifest.packs }
        let wanted = Set(chosen)
        let packs = manifest.packs.filter { wanted.contains($0.identifier) }
        let found = Set(packs.map(\.identifier))
        if let unknown = chosen.first(where: { !found.contains($0) }) {
            throw RunCommandLine.usage(
                .unknownWord, "--pack: \(QuotedWord.quote(unknown)) is not in \(path)")
        }
        return packs
    }

    private static func read(_ path: String) throws(RunError) -> [UInt8] {
        do throws(SystemError) {
            // Not blocking: a FIFO is refused by its kind, not waited for.
            let file = try Descriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
            var status = stat()
            try SystemError.checkErrno(unsafe fstat(file.raw, &status), "fstat", path)
            guard status.st_mode & S_IFMT != S_IFIFO else {
                throw SystemError(call: "open", subject: path, code: ESPIPE)
            }
            return try DescriptorIO.readAll(
                file.raw, limit: DownloadManifest.maximumSize, subject: path)
        } catch {
            throw RunError(.inputMissing, "--packs: cannot read \(path): \(reason(error.code))")
        }
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case EFBIG: "it is larger than \(DownloadManifest.maximumSize >> 20) MiB"
        case ESPIPE: "it is a FIFO"
        default: SystemError.message(for: code)
        }
    }
}
