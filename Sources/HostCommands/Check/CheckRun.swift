internal import ExtensionHost
internal import Glibc
internal import HostEngine
internal import LinuxSystem
internal import PluginCheck
internal import WireProtocol

/// The files of one command, the launchers they share and the quarantine.
struct CheckRun {
    let targets: [CheckTarget]
    private let options: CheckOptions
    private let subject: CheckSubject
    private let pool = LauncherPool()
    private let stop: Int32

    /// Nil where there is no place for it.
    private let quarantineFile: QuarantineFile?
    private var quarantine = LoadQuarantine()
    private var notes: [String] = []

    /// - Throws: ``RunError`` for what is missing or cannot be made.
    init(
        _ options: CheckOptions, _ surroundings: Surroundings, stop: Int32
    ) throws(RunError) {
        targets = try CheckTargets.find(options.paths, in: surroundings.folder)
        self.options = options
        self.stop = stop
        quarantineFile = RunStateFolder.base(environment: surroundings.environment)
            .map { QuarantineFile(path: "\($0)/bahost/load-quarantine") }
        let manifest = try CheckRun.manifest(options, in: surroundings.folder)
        var subject = CheckSubject(
            pluginPath: "", workerPath: try surroundings.workerPath(),
            scratchPath: try CheckRun.makeScratch(surroundings))
        subject.limits.memoryBytes = options.memory.bytes
        subject.wallBudget = options.wallTime
        subject.timeBudget = options.fileTime
        subject.isolation = options.isolation
        subject.absentLayers = surroundings.absentLayers
        subject.runtimeFolders = SwiftRuntime.folders(environment: surroundings.environment)
        subject.manifest = manifest
        self.subject = subject
        if let reading = quarantineFile?.read() {
            quarantine = reading.quarantine
            notes += [reading.note].compactMap(\.self)
        }
    }

    /// Removes the private folder.
    func end() {
        pool.killAll()
        try? FolderSweep.empty(subject.scratchPath)
        _ = unsafe rmdir(subject.scratchPath)
    }

    /// What a person should know besides, told once.
    mutating func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    /// - Parameters:
    ///   - target: What to check.
    ///   - progress: Told of each rule before it is tried.
    /// - Returns: What came of it.
    /// - Throws: ``PluginCheckError`` when nothing can be said of it.
    mutating func check(
        _ target: CheckTarget, progress: ((ContractRule) -> Void)? = nil
    ) throws(PluginCheckError) -> CheckedFile {
        if let reason = target.refusal {
            return CheckedFile(target: target, outcome: .notChecked(reason))
        }
        let identity = FileIdentity(target.path)
        if target.isFound, !options.isRetry, let identity,
            let entry = quarantine.entry(for: identity)
        {
            return CheckedFile(target: target, outcome: .skipped(entry))
        }
        var subject = subject
        subject.pluginPath = target.path
        let checker = PluginChecker(subject, pool: pool, stop: stop, progress: progress)
        let report = try checker.check()
        if let identity, let loading = checker.loading { remember(target, identity, loading) }
        return CheckedFile(target: target, outcome: .checked(report))
    }

    /// Takes a file into the quarantine, or lets it go.
    private mutating func remember(
        _ target: CheckTarget, _ identity: FileIdentity, _ loading: WorkerOutcome
    ) {
        let isBad = LoadQuarantine.isReason(loading)
        guard isBad || quarantine.entry(for: identity) != nil else { return }
        let entry = LoadQuarantine.Entry(
            file: identity, path: target.path, verdict: loading.verdict,
            sentence: loading.detail, seenAt: BootClock.wallSeconds())
        let change = { (quarantine: inout LoadQuarantine) in
            if isBad { quarantine.add(entry) } else { quarantine.remove(identity) }
        }
        change(&quarantine)
        guard let quarantineFile else { return }
        do throws(ReplacedFileError) {
            try quarantineFile.update(change)
        } catch {
            notes.append("what was learnt of \(target.name) is not kept: \(error)")
        }
    }

    private static func manifest(
        _ options: CheckOptions, in folder: String
    ) throws(RunError) -> [UInt8]? {
        guard let word = options.manifestPath else { return nil }
        let path = PathText.absolute(word, in: folder)
        do throws(SystemError) {
            return try DescriptorIO.readRegular(path, limit: Int(RunEngine.manifestLimit))
        } catch {
            let reason =
                error.isIrregularFile
                ? "it is not a regular file" : SystemError.message(for: error.code)
            throw RunError(.inputMissing, "--manifest: cannot read \(word): \(reason)")
        }
    }

    /// A private folder; another id may pass through it, to its containers.
    private static func makeScratch(_ surroundings: Surroundings) throws(RunError) -> String {
        let folder = surroundings.temporaryFolder
        var room = Array("\(folder)/bahost-check-XXXXXX".utf8CString)
        let made = unsafe room.withUnsafeMutableBufferPointer { room -> String? in
            // SAFETY: the text ends with NUL and is changed in place.
            guard let start = room.baseAddress, let path = unsafe mkdtemp(start) else {
                return nil
            }
            return unsafe String(cString: path)
        }
        guard let made else {
            throw RunError(
                .outputFailed,
                "cannot make a folder in \(folder): \(SystemError.message(for: errno))")
        }
        if WorkerIdentity.forThisHost() != nil { _ = unsafe chmod(made, 0o711) }
        return made
    }
}
