import Foundation
import LinuxSystem

/// Counts this process's descriptors that lead to one pipe; other tests open and close theirs.
enum OpenDescriptors {
    /// What `/proc/self/fd/N` leads to, such as `pipe:[4711]`.
    static func target(of raw: Int32) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(raw)")
    }

    static func count(to target: String) throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))
                == target
        }.count
    }
}

/// Reads a blocking descriptor to its end as text.
func readText(_ raw: Int32) throws -> String {
    String(decoding: try DescriptorIO.readAll(raw, limit: 1 << 20, subject: "test"), as: UTF8.self)
}

/// A folder of the test's own, removed afterwards.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("bahost-linux-system-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}
