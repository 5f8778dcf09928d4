package import Foundation

/// A folder of one test, gone with it.
package final class ScratchFolder: Sendable {
    package let path: String

    /// Makes a folder that others may enter, in a place that every user can reach.
    package init(_ purpose: String = "test") throws {
        path = "/tmp/bahost-\(purpose)-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
    }

    deinit {
        remove()
    }

    /// Removes it now.
    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and gives its path.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String {
        try write(name, Data(text.utf8))
    }

    @discardableResult
    package func write(_ name: String, _ data: Data) throws -> String {
        let file = "\(path)/\(name)"
        try data.write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Names below a folder in it, sorted, folders included; empty when it is not there.
    package func contents(of name: String) -> [String] {
        let names = try? FileManager.default.subpathsOfDirectory(atPath: "\(path)/\(name)")
        return (names ?? []).sorted()
    }
}
