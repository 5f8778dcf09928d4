internal import CommandLineOptions
internal import DownloadScheduler
internal import DownloadStore
internal import Glibc
internal import HostEngine

/// `bahost downloads cancel` and `promote`: changes a store that no host holds.
struct DownloadsChange {
    let options: DownloadsOptions

    /// Changes all downloads of these names, or none.
    ///
    /// - Throws: ``DownloadStoreError``, with `heldByHost` while a run goes on; nothing is changed.
    func make(_ names: [String]) throws(DownloadStoreError) -> ExitStatus {
        let store = try DownloadStore(folder: options.statePath, creation: .whenAdmitting)
        defer { for note in store.notes { complain(note) } }
        guard let app = try app(in: store) else { return .usage }
        var records: [DownloadRecord] = []
        for name in names where !records.contains(where: { $0.identifier == name }) {
            guard let record = try store.record(app: app, identifier: name) else {
                complain("there is no download \(QuotedWord.quote(name)) of \(app)")
                return .inputMissing
            }
            guard record.state.isUnfinished else {
                complain(ended(record))
                return .inputMissing
            }
            records.append(record)
        }
        _ = try store.commit(records.map { change(of: $0.rowID) })
        if isCancelling { removePartials(of: records) }
        return try show(records.map(\.rowID), store)
    }

    private var isCancelling: Bool {
        if case .cancel = options.action { return true }
        return false
    }

    private func change(of rowID: Int64) -> StoreChange {
        isCancelling ? .cancelled(rowID) : .first(rowID)
    }

    /// The app that is meant; where it is not named, the only one there is.
    private func app(in store: DownloadStore) throws(DownloadStoreError) -> String? {
        if let app = options.app { return app }
        let apps = try store.apps(limit: 10)
        guard apps.count > 1 else { return apps.first ?? "any app" }
        complain("--app is missing: there are downloads of \(apps.joined(separator: ", "))")
        return nil
    }

    private func ended(_ record: DownloadRecord) -> String {
        let how =
            switch record.state {
            case .failed: "has failed"
            case .cancelled: "has been cancelled"
            default: "has finished"
            }
        return "\(QuotedWord.quote(record.identifier)) of \(record.app) \(how) already; "
            + "nothing is changed"
    }

    /// What was fetched of them; a next run removes what lies in a container not known here.
    private func removePartials(of records: [DownloadRecord]) {
        guard let container = options.containerPath else { return }
        for record in records {
            _ = unsafe unlink(GroupContainer.partialPath(of: record, in: container))
        }
    }

    private func show(
        _ rows: [Int64], _ store: DownloadStore
    ) throws(DownloadStoreError) -> ExitStatus {
        var records: [DownloadRecord] = []
        for row in rows {
            if let record = try store.record(rowID: row) { records.append(record) }
        }
        let text =
            options.isJSON
            ? JSONLine.of(DownloadsRecord.Changes(records))
            : records.map { record in
                isCancelling
                    ? DownloadsText.line(record) + "\n"
                    : "\(TerminalText.escape(record.identifier)): before the "
                        + "\(record.downloadClass) downloads that are not promoted\n"
            }.joined()
        guard let text else { return .internalError }
        return HostProgram.show(text, on: Console())
    }

    private func complain(_ sentence: String) {
        HostProgram.complain(OptionTable.downloads.program, sentence)
    }
}
