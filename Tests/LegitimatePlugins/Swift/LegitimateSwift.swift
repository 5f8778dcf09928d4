// A well-behaved Swift extension: does the one ordinary thing that its manifest's first line says.
//
// A claim that does not hold traps, with its text; what was found is printed.
import BackgroundAssets

@main
struct LegitimateSwift: BADownloaderExtension {
    func downloads(
        for request: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        let word = firstWord(of: manifestURL)
        if word.hasPrefix("{") { return decodeManifest(manifestURL) }
        guard let activity = Self.activities[word] else {
            preconditionFailure("there is no activity \(word)")
        }
        print("ok: \(activity())")
        return []
    }

    private static let activities: [String: @Sendable () -> String] = [
        "json": DataActivities.json, "property-list": DataActivities.propertyList,
        "date-formatter": DataActivities.dateFormatter, "regex": DataActivities.regex,
        "files": FileActivities.files, "atomic-write": FileActivities.atomicWrite,
        "process": FileActivities.process,
        "task": ConcurrentActivities.task, "async-let": ConcurrentActivities.asyncLet,
        "task-group": ConcurrentActivities.taskGroup, "actor": ConcurrentActivities.actorCalls,
        "queue-serial": ConcurrentActivities.serialQueue,
        "queue-concurrent": ConcurrentActivities.concurrentQueue,
        "queue-main": ConcurrentActivities.mainQueue, "thread": ConcurrentActivities.thread,
        "trap": trap,
    ]

    private static func trap() -> String { preconditionFailure("the level list is torn") }

    /// Reads no more than a word: the file may be large.
    private func firstWord(of url: URL) -> String {
        let head = try? FileHandle(forReadingFrom: url).read(upToCount: 64)
        let text = String(decoding: head ?? Data(), as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    }

    private func decodeManifest(_ url: URL) -> Set<BADownload> {
        let levels = LevelList(at: url).levels
        print("ok: \(levels.count) levels, \(levels.reduce(0) { $0 + $1.bytes }) bytes")
        return []
    }
}

/// The manifest of a game with many levels.
struct LevelList: Decodable {
    struct Level: Decodable {
        let id: String
        let url: String
        let bytes: Int
        let sha256: String
    }

    let levels: [Level]

    init(at url: URL) {
        do {
            self = try JSONDecoder().decode(LevelList.self, from: Data(contentsOf: url))
        } catch { preconditionFailure("\(error)") }
    }
}
