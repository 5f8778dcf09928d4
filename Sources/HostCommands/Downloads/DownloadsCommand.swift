internal import CommandLineOptions
internal import DownloadScheduler
internal import DownloadStore
internal import Glibc
internal import LinuxSystem

/// `bahost downloads`: from the options to the exit status.
struct DownloadsCommand {
    let options: DownloadsOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus {
        do throws(DownloadStoreError) {
            // Also what keeps `cancel` from making a folder.
            let reader = try DownloadStoreReader(folder: options.statePath)
            switch options.action {
            case .list: return try list(reader)
            case .watch: return try watch(reader)
            case .cancel(let names), .promote(let names):
                return try DownloadsChange(options: options).make(names)
            }
        } catch {
            return fail(error)
        }
    }

    private func fail(_ error: DownloadStoreError) -> ExitStatus {
        let isReading = options.action == .list || options.action == .watch
        HostProgram.complain(OptionTable.downloads.program, "\(error)")
        switch error.code {
        case .folderUnusable where error.systemCode == ENOENT: return .inputMissing
        case .newerSchema, .rowUnreadable: return .inputMissing
        default: return isReading ? .inputMissing : .outputFailed
        }
    }

    // MARK: - Reading

    private func list(_ reader: DownloadStoreReader) throws(DownloadStoreError) -> ExitStatus {
        let states = options.states.isEmpty ? Set(DownloadState.allCases) : options.states
        let page = try reader.page(
            .init(app: options.app, states: states), limit: DownloadStore.listLimit)
        let listing = DownloadsRecord.Listing(
            folder: options.statePath, holder: try reader.holder(),
            counts: try reader.counts(app: options.app), downloads: page.records,
            isComplete: page.next == nil, unreadable: page.notes)
        var status = ExitStatus.ok
        if options.isJSON {
            guard let line = JSONLine.of(listing) else { return .internalError }
            status = HostProgram.show(line, on: Console())
        } else if !page.records.isEmpty {
            let columns = TerminalSize.of(1, environment: surroundings.environment)?.columns
            status = HostProgram.show(
                DownloadsText.table(page.records, columns: columns), on: Console())
        }
        for note in page.notes { HostProgram.complain(OptionTable.downloads.program, note) }
        if page.next != nil, !options.isJSON {
            HostProgram.complain(
                OptionTable.downloads.program,
                "only the first \(DownloadStore.listLimit) are listed (use --app or --only)")
        }
        return status == .ok && !page.notes.isEmpty ? .inputMissing : status
    }

    private func watch(_ reader: DownloadStoreReader) throws(DownloadStoreError) -> ExitStatus {
        let stop: StopSignals
        do throws(SystemError) {
            stop = try StopSignals()
        } catch {
            HostProgram.complain(OptionTable.downloads.program, "\(error)")
            return .internalError
        }
        var watch = DownloadsWatch(reader, app: options.app)
        while true {
            let start = ContinuousClock.now
            if let end = show(try watch.look()) { return end }
            if watch.isOver { return .ok }
            // A large store is looked at less often.
            let pause = max(.milliseconds(250), (ContinuousClock.now - start) * 4)
            if isStopped(stop, within: pause) { return .interrupted }
        }
    }

    /// Prints what has changed; a status when nobody reads it any more.
    private func show(_ news: [DownloadRecord]) -> ExitStatus? {
        var console = Console()
        for record in news {
            let line =
                options.isJSON
                ? JSONLine.of(DownloadsRecord.News(record)) : DownloadsText.line(record) + "\n"
            guard let line else { return .internalError }
            switch console.write([ConsoleText(.output, line)]) {
            case .written: continue
            case .closed: return .ok
            case .failed(let code):
                HostProgram.complain(
                    OptionTable.downloads.program, ConsoleResult.outputMessage(code))
                return .outputFailed
            }
        }
        return nil
    }

    private func isStopped(_ stop: borrowing StopSignals, within pause: Duration) -> Bool {
        var set = PollSet()
        set.add(stop.descriptor)
        guard (try? set.wait(timeout: pause)) != nil else { return true }
        return stop.next() != nil
    }
}
