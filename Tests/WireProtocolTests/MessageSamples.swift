import WireProtocol

/// One message of every kind, every field filled with something of its own.
enum MessageSamples {
    static let download: DownloadDescription = {
        var download = DownloadDescription()
        download.isEssential = true
        download.isForeground = true
        download.state = -1
        download.kind = 2
        download.identifier = "level-1"
        download.uniqueIdentifier = "a1b2"
        download.url = "https://cdn.example.com/ü?x=1"
        download.group = "group.app"
        download.sizeBytes = .max
        download.receivedBytes = 17
        download.priority = -1000
        return download
    }()

    static let app: AppDescription = {
        var app = AppDescription()
        app.isRestricted = false
        app.isDeveloper = true
        app.identifier = "org.example.app"
        app.version = "2.0"
        app.previousVersion = "1.0"
        app.group = "group.app"
        app.language = "de-AT"
        app.restrictedBytesRemaining = 5
        app.restrictedEssentialBytesRemaining = .min
        return app
    }()

    static let wish: DownloadWish = {
        var wish = DownloadWish()
        wish.isEssential = true
        wish.allowsMetered = true
        wish.identifier = "level-1"
        wish.url = "https://cdn.example.com/1"
        wish.headers = [
            RequestHeader(name: "Authorization", value: "x"), RequestHeader(name: "", value: ""),
        ]
        wish.mirrors = ["https://a.example/1", "https://b.example/1"]
        wish.sizeBytes = 52_428_801
        wish.priority = .max
        wish.group = "group.app"
        wish.sha256 = Array(0..<32)
        return wish
    }()

    static let limits: WorkerLimits = {
        var limits = WorkerLimits()
        limits.memoryBytes = 1
        limits.stackBytes = 2
        limits.threadStackBytes = 3
        limits.threads = 4
        limits.openFiles = 5
        limits.fileSizeBytes = 6
        limits.cpuSeconds = .max
        return limits
    }()

    static let setup: WorkerSetup = {
        var setup = WorkerSetup(pluginPath: "/a b/ü.so", containerPath: "/c")
        setup.manifestPath = "/m"
        setup.runtimeFolders = ["/r1", "/r2"]
        setup.swiftToolchain = "swift-6.3"
        setup.isolation = .full
        setup.absentLayers = ["landlock"]
        setup.limits = limits
        setup.memoryLimitAction = .fail
        setup.memoryRule = .strict
        setup.identity = 65_534
        setup.task = .inspect(memoryLimitBytes: .max)
        setup.countsHoldings = true
        return setup
    }()

    static let ready: WorkerReady = {
        var ready = WorkerReady()
        ready.layers = ["rlimits", "seccomp"]
        ready.missing = [MissingLayer(layer: "sealing", why: "the kernel is too old")]
        ready.heldBytes = 1
        ready.dataBytes = 2
        ready.reserveBytes = 3
        ready.inForce = limits
        return ready
    }()

    static let loaded: LoadedPlugin = {
        var plugin = LoadedPlugin()
        plugin.name = "Levels"
        plugin.version = "1.2"
        plugin.abiMajor = 0
        plugin.abiMinor = 65_535
        plugin.toolchain = "swift-6.3"
        plugin.entryPoints = ["bahost_install"]
        plugin.holdings = WorkerHoldings(openFiles: 256, threads: .max)
        return plugin
    }()

    static let facts: PluginFacts = {
        var image = ImageFacts()
        image.machine = "x86-64"
        image.soname = "libü.so"
        image.needs = NeedOrigin.allCases.map { NeedFacts(name: "n\($0)", origin: $0) }
        image.filters = ["libf.so"]
        image.runPaths = ["$ORIGIN:/lib", ""]
        image.versions = [
            VersionFacts(
                library: "libc.so.6", versions: [.init(name: "GLIBC_2.2", isWeak: true)])
        ]
        image.segments = [segment, SegmentFacts()]
        image.readOnlyBytes = 1
        image.holeBytes = 2
        image.writableBytes = 3
        image.alignmentBytes = 4
        image.stack = .executable
        image.hasTextRelocations = true
        image.relocationCount = 5
        image.compactRelocationWords = .max
        image.needsSwiftRuntime = true
        var facts = PluginFacts()
        facts.kind = "ELF shared object"
        facts.byteCount = 7
        facts.image = image
        facts.tag = tag
        facts.entryPoints = ["bahost_install"]
        facts.exports = ExportKind.allCases.map { ExportFacts(name: "e\($0)", kind: $0) }
        facts.exportCount = .max
        facts.refusals = [RefusalFacts(code: "noTag", sentence: "the file has no tag")]
        facts.oddities = ["odd"]
        return facts
    }()

    private static let tag: TagFacts = {
        var tag = TagFacts()
        tag.structSize = 192
        tag.abiMajor = 1
        tag.abiMinor = 2
        tag.requiredFeatures = 3
        tag.flags = .max
        tag.registersByMain = true
        tag.usesSwift = true
        tag.name = "Levels"
        tag.version = "1.2"
        tag.toolchain = "swift-6.3"
        return tag
    }()

    private static let segment: SegmentFacts = {
        var segment = SegmentFacts()
        segment.address = 1
        segment.memoryBytes = 2
        segment.fileOffset = 3
        segment.fileBytes = 4
        segment.alignment = 5
        segment.isReadable = true
        segment.isWritable = true
        segment.isExecutable = true
        return segment
    }()

    static let batch: PackBatch? = {
        guard
            var pack = try? AssetPackDescription(
                identifier: "Stufe-ü", language: "de-AT", userInfo: Array(#"{"a":1}"#.utf8)),
            let other = try? AssetPackDescription(identifier: "b")
        else { return nil }
        pack.version = .max
        pack.localVersion = .min
        pack.isUpdate = true
        pack.downloadBytes = .max
        pack.installedBytes = 5
        pack.policy = .prefetch
        pack.appliesToFirstInstallation = true
        pack.appliesToSubsequentUpdate = true
        return PackBatch(prefixOf: [pack, other])
    }()

    static let error = ErrorDescription(domain: 3, code: -1, httpStatus: 404, message: "no")

    static let host: [HostMessage] =
        [
            .setup(setup), .setup(WorkerSetup(pluginPath: "", containerPath: "")),
            .call(.content(.install, app, manifestBytes: 9)),
            .call(.content(.update, AppDescription(), manifestBytes: 0)),
            .call(.content(.checkForUpdates, app, manifestBytes: .max)),
            .call(.finished(download, path: "Downloads/a")), .call(.failed(download, error)),
            .reply(.status(-5)), .reply(.value(.min)), .reply(.downloads([])),
            .reply(.downloads([download, DownloadDescription()])), .shutdown,
        ] + (batch.map { [.call(.packs($0))] } ?? [])

    static let entryReturn: EntryReturn = {
        var result = EntryReturn(status: .min, heldBytes: .max, wasCalled: true)
        result.holdings = WorkerHoldings(openFiles: 3, threads: 4)
        result.lateCalls = 5
        return result
    }()

    static let worker: [WorkerMessage] = [
        .ready(ready), .ready(WorkerReady()),
        .setupFailed(SetupFailure(step: "seccomp", sentence: "EINVAL")),
        .setupFailed(SetupFailure(step: "memory", sentence: "too little", minimumBytes: 1 << 18)),
        .loaded(loaded), .loaded(LoadedPlugin()),
        .loadFailed(LoadFailure(isMismatch: true, sentence: "needs ABI 2")),
        .hostCall(.log(level: 4, text: "hi")), .hostCall(.schedule(wish)),
        .hostCall(.schedule(DownloadWish())), .hostCall(.cancel(identifier: "a")),
        .hostCall(.currentDownloads(after: "a", capacity: 7)),
        .hostCall(.currentDownloads(after: nil, capacity: 0)),
        .hostCall(.acquireExclusive(timeoutMilliseconds: -1)), .hostCall(.releaseExclusive),
        .hostCall(.remaining(what: 5)),
        .hostCall(.refused(identifier: "a", code: 1003, sentence: "no")),
        .returned(EntryReturn(status: -7, heldBytes: 8, wasCalled: false)),
        .returned(entryReturn),
        .answered([1]), .answered([0, 1, .min, .max]),
        .inspected(facts), .inspected(PluginFacts()),
    ]
}
