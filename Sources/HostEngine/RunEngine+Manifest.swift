internal import ExtensionHost
internal import Glibc
internal import HTTPClient
internal import LinuxSystem
internal import TransferEngine
internal import URLPolicy

/// The content manifest: named by the user, fetched before the extension is woken.
extension RunEngine {
    /// Largest content manifest: 16 MiB.
    package static let manifestLimit: UInt64 = 16 << 20

    /// The manifest's number among the transfers; rows begin at 1.
    static let manifestOrder: Int64 = -1

    func beginManifest() throws(RunError) {
        switch request.manifest {
        case nil: manifest = .ready
        case .file(let path):
            try copyManifest(path)
            manifest = .ready
        case .url(let text):
            try fetchManifest(text)
            manifest = .fetching
        }
    }

    private func copyManifest(_ path: String) throws(RunError) {
        do throws(SystemError) {
            let bytes = try DescriptorIO.readRegular(path, limit: Int(RunEngine.manifestLimit))
            try chargeManifest(UInt64(bytes.count))
            _ = unsafe unlink(container.manifestPath)
            let copy = try Descriptor.open(
                container.manifestPath, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            try DescriptorIO.writeAll(copy.raw, bytes, subject: container.manifestPath)
            container.giveManifest()
        } catch {
            throw RunError(
                .inputMissing, "cannot read the manifest \(path): \(RunEngine.reason(error))")
        }
    }

    private static func reason(_ error: SystemError) -> String {
        switch error.code {
        case EFBIG: "it is larger than \(manifestLimit >> 20) MiB"
        case ENOTSUP: "it is not a regular file"
        case EDQUOT where error.call == "manifest": error.subject
        default: SystemError.message(for: error.code)
        }
    }

    private func chargeManifest(_ bytes: UInt64) throws(SystemError) {
        manifestBytes = bytes
        if let refusal = broker.chargeManifest(bytes) {
            refuse(refusal)
            throw SystemError(call: "manifest", subject: refusal.message, code: EDQUOT)
        }
    }

    private func fetchManifest(_ text: String) throws(RunError) {
        var rules = request.rules
        // The user named this address; the allow-list is for what the plugin names.
        rules.domains = .any
        let url: RemoteURL
        do throws(HTTPClientError) {
            url = try URLParser.parse(text)
        } catch {
            throw RunError(.inputMissing, "cannot fetch the manifest \(text): \(error)")
        }
        if let refusal = rules.refusal(of: url) {
            throw RunError(
                .inputMissing,
                "cannot fetch the manifest \(text): \(refusal.message)")
        }
        let left = broker.remaining(what: 1) ?? -1
        let bound = left < 0 ? RunEngine.manifestLimit : min(UInt64(left), RunEngine.manifestLimit)
        let order = TransferOrder(
            id: RunEngine.manifestOrder, url: url, maximumBytes: bound,
            partialPath: container.manifestPath, rules: rules)
        do throws(TransferFailure) {
            try queue.start(order)
        } catch {
            throw RunError(.hostBroken, error.message)
        }
    }

    /// An event of the manifest's transfer.
    func handleManifest(_ event: TransferEvent) {
        switch event {
        case .finished(let group):
            guard let file = group.first(where: { $0.id == RunEngine.manifestOrder }) else {
                return
            }
            manifest = .ready
            container.giveManifest()
            if (try? chargeManifest(file.bytes)) == nil {
                failManifest("the manifest of \(file.bytes) bytes passes the download allowance")
            }
        case .failed(_, let failure):
            _ = unsafe unlink(container.manifestPath)
            guard case .url(let text) = request.manifest else { return }
            failManifest("cannot fetch the manifest \(text): \(failure.message)")
        case .stopped:
            // It may have come whole a moment before it was stopped.
            guard manifest == .fetching else { return }
            _ = unsafe unlink(container.manifestPath)
            manifest = .failed
        case .began, .resumed, .restarted, .progress, .checkpoint, .verified: break
        }
    }
}
