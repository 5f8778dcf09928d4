internal import CommandLineOptions
internal import ExtensionHost
internal import Glibc
internal import HTTPClient
internal import HostEngine
internal import HostSettings
internal import InstalledApps
internal import LinuxSystem
internal import URLPolicy
internal import WireProtocol

/// `bahost run`: from the options to the exit status.
struct RunCommand {
    let options: RunOptions
    let surroundings: Surroundings

    /// Runs, shows, and gives the exit status.
    func execute() -> ExitStatus {
        StopSignals.ignoreBrokenPipes()
        do throws(SystemError) {
            // Environment and memory may hold secrets; a plugin may run as the same user.
            try ProcessConfinement.hideMemory()
            let stop = try StopSignals()
            let display = try RunDisplay(options: options, surroundings: surroundings)
            return run(display, stop: stop)
        } catch {
            StopSignals.restoreDefaults()
            HostProgram.complain(OptionTable.run.program, "\(error)")
            return .internalError
        }
    }

    private func run(_ display: RunDisplay, stop: borrowing StopSignals) -> ExitStatus {
        do {
            let app = try readApp()
            for warning in app?.warnings ?? [] { display.show(.note(warning)) }
            var request = try runRequest(app)
            let settings = try TransferSettings(environment: surroundings.environment)
            request.downloads = try settings.configuration()
            request.quotaBytes = try settings.quotaBytes(of: request.app.group)
            request.freeSpace = try settings.freeSpace()
            request.packs = try PackSelection(options, in: surroundings.folder).packs()
            let report = try RunEngine.run(request, stop: stop) { display.show($0) }
            if let minimum = report.minimumMemoryBytes {
                // No plugin can run with it: the command line is at fault.
                return display.fail(
                    WorkerLimits.tooLittle(memoryBytes: options.memory.bytes, minimum: minimum),
                    .usage)
            }
            return display.finish(RunRecord(report, request: request, options: options))
        } catch let error as RunError {
            return display.fail(error.message, ExitStatus.of(error.code))
        } catch let error as CommandLineOptionsError {
            return display.fail(error.message, .usage)
        } catch let error as HostSettingsError {
            return display.fail("\(error)", ExitStatus.of(error.code))
        } catch let error as InstalledAppsError {
            return display.fail("\(error)", .inputMissing)
        } catch {
            return display.fail("\(error)", .internalError)
        }
    }

    private func readApp() throws -> AppInfo? {
        guard let path = options.infoPath else { return nil }
        let bytes: [UInt8]
        do {
            let file = try Descriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
            bytes = try DescriptorIO.readAll(
                file.raw, limit: PropertyList.maximumSize, subject: path)
        } catch {
            throw RunError(
                .inputMissing,
                "--info: cannot read \(path): \(SystemError.message(for: error.code))")
        }
        return try AppInfo(plist: bytes, path: path)
    }

    private func runRequest(_ app: AppInfo?) throws -> RunRequest {
        var request = RunRequest(
            pluginPath: PathText.absolute(options.plugin, in: surroundings.folder),
            containerPath: options.outputPath, statePath: options.statePath,
            workerPath: try surroundings.workerPath(), rules: try rules(app))
        request.event = options.event
        request.manifest = manifest(app)
        request.plainAllowance = allowance(options.downloadAllowance, app) { $0.allowance }
        request.essentialAllowance = allowance(options.essentialAllowance, app) {
            $0.essentialAllowance
        }
        if let app {
            request.app.identifier = app.bundleIdentifier
            request.app.version = app.version ?? ""
            request.app.group = app.mainGroup
            request.app.otherGroups = Set(app.groups)
        }
        request.limits.memoryBytes = options.memory.bytes
        request.limits.fileSizeBytes = options.fileSize.bytes
        request.limits.openFiles = UInt64(options.openFiles)
        request.limits.threads = UInt64(options.threads)
        request.limits.cpuSeconds = UInt64(options.cpuTime.components.seconds)
        request.writtenBytes = options.written.bytes
        request.memoryRule = options.memoryRule
        request.memoryLimitAction = options.onMemoryLimit
        request.wallBudget = options.wallTime
        request.isolation = options.isolation
        request.absentLayers = surroundings.absentLayers
        request.runtimeFolders = SwiftRuntime.folders(environment: surroundings.environment)
        return request
    }

    private func manifest(_ app: AppInfo?) -> ManifestSource? {
        switch options.manifest {
        case .file(let path): .file(PathText.absolute(path, in: surroundings.folder))
        case .url(let text): .url(text)
        case nil where options.event == .shouldDownload: nil
        case nil: app?.manifestURL.map { .url($0) }
        }
    }

    private func rules(_ app: AppInfo?) throws(RunError) -> URLRules {
        return URLRules(
            domains: DomainAllowList(try patterns(app)),
            addresses: AddressPolicy(
                allowsLoopback: options.allowsLoopback, allowsPrivate: options.allowsPrivate))
    }

    private func patterns(_ app: AppInfo?) throws(RunError) -> [DomainPattern] {
        var patterns = options.allowedDomains
        for text in app?.restrictions?.domains ?? [] {
            guard let pattern = DomainPattern(untrusted: text) else {
                throw RunError(.inputMissing, "\(QuotedWord.quote(text)) is not a domain pattern")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    /// The option wins over the app's plist; with neither there is no limit.
    private func allowance(
        _ option: ByteCount?, _ app: AppInfo?, _ key: (DownloadRestrictions) -> ByteCount?
    ) -> UInt64? {
        (option ?? app?.restrictions.flatMap(key))?.bytes
    }
}
