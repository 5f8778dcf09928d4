internal import ExtensionHost
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

/// What the scripts ask of entry points.
enum Questions {
    static func content(_ entry: EntryPoint, manifest: [UInt8]?) -> EntryCall {
        var app = AppDescription()
        app.identifier = ScriptedHost.app
        app.version = "2.0"
        if entry == .update { app.previousVersion = "1.0" }
        app.group = ScriptedHost.group
        return .content(entry, app, manifestBytes: UInt64(manifest?.count ?? 0))
    }

    /// Of 1 to 255 bytes; state as ``DownloadDescription/state``.
    static func download(_ identifier: String, state: Int32) -> DownloadDescription {
        var download = DownloadDescription()
        download.state = state
        download.identifier = identifier
        download.uniqueIdentifier = "7B0B2F5E-6C39-4B5A-8F55-0D6C1B3A9E10"
        download.url = "https://cdn.example.com/file"
        download.group = ScriptedHost.group
        download.sizeBytes = UInt64(ScriptFiles.fileBytes.count)
        download.receivedBytes = state == 3 ? download.sizeBytes : 7
        return download
    }

    /// A finished download; its file is there unless `isMissing`.
    static func finished(
        _ name: String, _ identifier: String, isMissing: Bool = false, kind: UInt32 = 1
    ) -> WorkerScript.Step {
        var download = download(identifier, state: 3)
        download.kind = kind
        let file = FileName.forIdentifier(identifier)
        var step = WorkerScript.Step(
            name, .finished(download, path: GroupContainer.publishedPath(identifier)))
        if !isMissing { step.file = file }
        return step
    }

    static let oddIdentifiers = [
        "../../etc/passwd", "größe/ünknown", String(repeating: "x", count: 255), "%s%n%n%n", ".",
    ]

    static func failed(
        _ name: String, _ error: ErrorDescription, isEssential: Bool = false, kind: UInt32 = 1,
        identifier: String = "check-1"
    ) -> WorkerScript.Step {
        var download = download(identifier, state: -1)
        download.isEssential = isEssential
        download.kind = kind
        return WorkerScript.Step(name, .failed(download, error))
    }

    /// Errors of each domain, then what no host sends today.
    static var failures: [WorkerScript.Step] {
        func error(
            _ domain: UInt32, _ code: Int32, http: Int32 = 0, _ message: String = "it failed"
        ) -> ErrorDescription {
            ErrorDescription(domain: domain, code: code, httpStatus: http, message: message)
        }
        let long = String(repeating: "m", count: WireBound.sentenceBytes)
        return [
            failed("with Apple's 202", error(1, 202)),
            failed("with Apple's 0", error(1, 0), isEssential: true),
            failed("with 1011 of the host", error(2, 1011), isEssential: true),
            failed("with HTTP 404", error(3, 404, http: 404)),
            failed("with HTTP 503", error(3, 503, http: 503), isEssential: true),
            failed("with transport error 7", error(4, 7)),
            failed("with errno 28", error(5, 28)),
            failed("of the manifest, with HTTP 500", error(3, 500, http: 500), kind: 2),
            failed("of a pack, with HTTP 403", error(3, 403, http: 403), kind: 3),
            failed("with an unknown domain", error(99, -1)),
            failed("with a message of 4 KiB", error(4, 28, long)),
        ]
            + oddIdentifiers.map {
                failed("of \($0.prefix(20))", error(3, 404, http: 404), identifier: $0)
            }
    }

    /// Every status that a host call may be refused with: 1, Apple's 50 to 206, 1000 to 1010.
    static let refusals = RefusalCode.allCases.filter {
        $0 != .sizeMismatch && $0 != .digestMismatch
    }

    /// Packs as any manifest may have them.
    static var ordinaryPacks: [AssetPackDescription] {
        let first = try? AssetPackDescription(
            identifier: "check.first", userInfo: Array(#"{"level":1}"#.utf8))
        let update = try? AssetPackDescription(identifier: "check.update", language: "de")
        let later = try? AssetPackDescription(identifier: "check.on-demand")
        return [
            changed(first) {
                $0.version = 1
                $0.policy = .prefetch
                $0.appliesToFirstInstallation = true
            },
            changed(update) {
                $0.version = 2
                $0.localVersion = 1
                $0.isUpdate = true
                $0.policy = .essential
                $0.appliesToSubsequentUpdate = true
            },
            changed(later) { $0.version = 1 },
        ].compactMap(\.self)
    }

    /// Packs at the bounds of what can be said.
    static var oddPacks: [AssetPackDescription] {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: WireBound.userInfoBytes)
        let infos: [[UInt8]] = [
            Array("{".utf8), [0xFF, 0xFE, 0, 1, 2, 0xC0], Array("null".utf8), deep,
        ]
        let extreme = try? AssetPackDescription(
            identifier: "check.extreme", language: String(repeating: "x", count: 255))
        return oddIdentifiers.compactMap { try? AssetPackDescription(identifier: $0) }
            + infos.compactMap { try? AssetPackDescription(identifier: "check", userInfo: $0) }
            + [
                changed(extreme) {
                    $0.version = .max
                    $0.localVersion = .min
                    $0.downloadBytes = .max
                    $0.installedBytes = .max
                }
            ].compactMap(\.self)
    }

    private static func changed(
        _ pack: AssetPackDescription?, _ change: (inout AssetPackDescription) -> Void
    ) -> AssetPackDescription? {
        guard var pack else { return nil }
        change(&pack)
        return pack
    }

    /// One step for each batch that the packs fill.
    static func packs(_ name: String, _ packs: [AssetPackDescription]) -> [WorkerScript.Step] {
        var rest = packs[...]
        var steps: [WorkerScript.Step] = []
        while let batch = PackBatch(prefixOf: rest) {
            steps.append(WorkerScript.Step(name, .packs(batch)))
            rest = rest.dropFirst(batch.packs.count)
        }
        return steps
    }
}
