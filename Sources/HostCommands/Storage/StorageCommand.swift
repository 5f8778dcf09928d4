internal import CommandLineOptions
internal import DownloadStore
internal import Glibc
internal import HostEngine
internal import LinuxSystem

/// `bahost storage`: from the options to the exit status.
struct StorageCommand {
    let options: StorageOptions

    func execute() -> ExitStatus {
        do {
            let place = try StoragePlace(reading: options.containerPath)
            switch options.action {
            case .show: return try show(place, try reader())
            case .purge(let until, isDryRun: true, let isDamagedOnly):
                return try plan(place, until: until, isDamagedOnly: isDamagedOnly)
            case .purge(let until, isDryRun: false, let isDamagedOnly):
                return try purge(until: until, isDamagedOnly: isDamagedOnly)
            }
        } catch let error as SystemError
            where !PathText.isInside(error.subject, options.containerPath)
        {
            return fail("\(error)", .outputFailed)
        } catch let error as SystemError {
            let isMissing = error.code == ENOENT || error.code == ENOTDIR
            let reason =
                isMissing
                ? "it is no container of bahost's" : SystemError.message(for: error.code)
            return fail("cannot look into \(options.containerPath): \(reason)", .inputMissing)
        } catch let error as DownloadStoreError {
            return fail("\(error)", error.code.storageStatus)
        } catch let error as RunError {
            return fail(error.message, ExitStatus.of(error.code))
        } catch {
            return fail("\(error)", .internalError)
        }
    }

    /// Nil where there is no list: nothing is on it then.
    private func reader() throws(DownloadStoreError) -> DownloadStoreReader? {
        guard StorageKeeper.hasList(options.statePath) else { return nil }
        return try DownloadStoreReader(folder: options.statePath)
    }

    private func show(_ place: StoragePlace, _ reader: DownloadStoreReader?) throws -> ExitStatus {
        let look = try StorageLook(place, reader: reader, statePath: options.statePath)
        let listing = StorageRecord.Listing(
            look, path: options.containerPath, holder: try reader?.holder() ?? nil)
        for note in look.unreadable { complain(note) }
        let text =
            options.isJSON
            ? JSONLine.of(listing) : listing.containers.map(StorageText.table).joined()
        guard let text else { return .internalError }
        let status = HostProgram.show(text, on: Console())
        return status == .ok && !look.unreadable.isEmpty ? .inputMissing : status
    }

    private func plan(
        _ place: StoragePlace, until: ByteCount?, isDamagedOnly: Bool
    ) throws -> ExitStatus {
        let look = try StorageLook(place, reader: try reader(), statePath: options.statePath)
        let need = StorageCommand.need(until: until, freeBytes: look.freeBytes)
        let taken = isDamagedOnly ? look.planDamaged(in: place) : look.plan(needBytes: need)
        for fault in taken.faults { complain(fault) }
        let free = look.freeBytes.addingReportingOverflow(taken.bytes).partialValue
        let status = tell(taken, isDryRun: true, freeBytes: free, until: until)
        return status == .ok && !taken.faults.isEmpty ? .failed : status
    }

    private func purge(until: ByteCount?, isDamagedOnly: Bool) throws -> ExitStatus {
        let goal: StoragePurge.Goal =
            isDamagedOnly ? .damaged : until.map { .untilFree($0.bytes) } ?? .all
        let purge = try StoragePurge(
            containerPath: options.containerPath, statePath: options.statePath, goal: goal)
        for sentence in purge.notes + purge.taken.faults { complain(sentence) }
        let status = tell(
            purge.taken, isDryRun: false, freeBytes: purge.freeBytes, until: until)
        return status == .ok && !purge.taken.faults.isEmpty ? .failed : status
    }

    /// How many bytes have to go.
    private static func need(until: ByteCount?, freeBytes: UInt64) -> UInt64 {
        guard let until else { return .max }
        return until.bytes > freeBytes ? until.bytes - freeBytes : 0
    }

    private func tell(
        _ taken: StorageTaken, isDryRun: Bool, freeBytes: UInt64, until: ByteCount?
    ) -> ExitStatus {
        let record = StorageRecord.Purge(
            taken, container: options.containerPath, isDryRun: isDryRun, freeBytes: freeBytes,
            untilBytes: until?.bytes)
        guard let text = options.isJSON ? JSONLine.of(record) : StorageText.lines(record) else {
            return .internalError
        }
        let status = HostProgram.show(text, on: Console())
        guard status == .ok, !record.isReached, let until else { return status }
        let free = ByteCount(bytes: freeBytes)
        let then = isDryRun ? "would be free, not" : "are free, not"
        return fail("\(free) \(then) \(until)", .failed)
    }

    private func complain(_ sentence: String) {
        HostProgram.complain(OptionTable.storage.program, sentence)
    }

    private func fail(_ message: String, _ status: ExitStatus) -> ExitStatus {
        complain(message)
        return status
    }
}

extension DownloadStoreError.Code {
    /// As of `bahost downloads`.
    fileprivate var storageStatus: ExitStatus {
        switch self {
        case .heldByHost, .busy, .noSpace, .inputOutput: .outputFailed
        default: .inputMissing
        }
    }
}
