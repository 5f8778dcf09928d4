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
}
