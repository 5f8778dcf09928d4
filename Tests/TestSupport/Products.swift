import Foundation

/// Where the build put what the tests run.
package enum Products {
    /// The checkout's root.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// The folder of the test binary, which is the folder of the programs.
    package static let folder = URL(fileURLWithPath: "/proc/self/exe")
        .resolvingSymlinksInPath().deletingLastPathComponent().path

    package static func program(_ name: String) -> String { "\(folder)/\(name)" }

    /// The folder of what `make plugins` builds.
    package static let plugins = "\(root)/.build/plugins"

    /// A plugin that `make plugins` built.
    package static func plugin(_ name: String) -> String { "\(plugins)/\(name).so" }

    /// A copy of a plugin of `Sources/HostilePlugin` that does a word while it is loaded.
    ///
    /// The libraries that such a plugin may need lie beside it then.
    package static func constructor(
        _ line: String, of name: String = "hostile", in scratch: ScratchFolder
    ) throws -> String {
        let marker = Data("BAHOST-CONSTRUCTOR-WORD".utf8)
        let room = 64
        var bytes = try Data(contentsOf: URL(fileURLWithPath: plugin(name)))
        guard let place = bytes.range(of: marker)?.lowerBound, line.utf8.count < room else {
            throw CocoaError(.fileReadCorruptFile)
        }
        bytes.replaceSubrange(
            place..<place + room, with: Data(line.utf8) + Data(count: room - line.utf8.count))
        if name.contains("shape-needs") {
            for library in ["bss-67108864", "rodata-16777216", "relro-12582912"] {
                let file = "libbahost-\(library)"
                try FileManager.default.copyItem(
                    atPath: plugin(file), toPath: "\(scratch.path)/\(file).so")
            }
        }
        return try scratch.write("\(name)-constructor.so", bytes)
    }
}
