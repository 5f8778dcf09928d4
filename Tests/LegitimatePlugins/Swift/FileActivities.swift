import BackgroundAssets

/// Files of the container, with Foundation.
enum FileActivities {
    private static var library: URL {
        URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("Library")
    }

    static func files() -> String {
        let manager = FileManager.default
        let folder = library.appendingPathComponent("Levels")
        let draft = folder.appendingPathComponent("a")
        let final = folder.appendingPathComponent("b")
        attempt {
            try manager.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("level one".utf8).write(to: draft)
            try manager.moveItem(at: draft, to: final)
            try manager.copyItem(at: final, to: draft)
            let names = try manager.contentsOfDirectory(atPath: folder.path)
            precondition(names.count == 2)
            let size = try manager.attributesOfItem(atPath: draft.path)[.size] as? Int
            precondition(size == 9)
            try manager.removeItem(at: folder)
        }
        precondition(!manager.fileExists(atPath: folder.path))
        return "made, moved, copied, listed, removed"
    }

    static func atomicWrite() -> String {
        let file = library.appendingPathComponent("state.json")
        attempt {
            for round in 1...3 {
                try Data("round \(round)".utf8).write(to: file, options: .atomic)
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            let names = try FileManager.default.contentsOfDirectory(atPath: library.path)
            precondition(text == "round 3")
            precondition(names.filter { $0.contains("state") }.count == 1)
            try FileManager.default.removeItem(at: file)
        }
        return "written atomically"
    }

    /// A program cannot be started; Foundation finds no pipe to watch it with, or the run ends.
    static func process() -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        do { try process.run() } catch { return "refused: \(error)" }
        preconditionFailure("a program was started")
    }
}
