package import HostEngine
package import LinuxSystem
package import URLPolicy
package import WireProtocol

/// How a run shows what it does.
package enum OutputStyle: Hashable, Sendable {
    /// Progress, then the table.
    case progress
    /// `--quiet`: the table.
    case table
    /// `--json`: the record; wins over `--quiet`.
    case record
}

/// The command line of `bahost run`, every value checked; defaults are those of docs/extension-
/// author.md.
package struct RunOptions: Hashable, Sendable {
    package var plugin: String
    package var event: RunEvent = .install
    package var manifest: ManifestSource?
    /// `--packs`: the download manifest, for `should-download`.
    package var packsPath: String?
    /// `--pack`: those to ask about, without repeats; empty: all.
    package var packs: [String] = []
    /// `--info`: the app's `Info.plist`.
    package var infoPath: String?
    /// Absolute, without `.` and repeated slashes; links are not resolved.
    package var outputPath: String
    /// Absolute, like ``outputPath``; never inside it by name.
    package var statePath: String

    package var memory = ByteCount.mebibytes(6)
    package var memoryRule = MemoryRule.normal
    package var onMemoryLimit = MemoryLimitAction.end
    package var wallTime = Duration.seconds(30)
    /// Whole seconds.
    package var cpuTime = Duration.seconds(10)
    package var fileSize = ByteCount.mebibytes(64)
    package var written = ByteCount.mebibytes(64)
    package var openFiles = 32
    package var threads = 32

    /// Without repeats, in the order given.
    package var allowedDomains: [DomainPattern] = []
    package var allowsLoopback = false
    package var allowsPrivate = false
    /// Nil is unlimited, zero admits nothing.
    package var downloadAllowance: ByteCount?
    package var essentialAllowance: ByteCount?

    package var isolation = IsolationMode.automatic
    package var isStrict = false
    package var style = OutputStyle.progress

    package init(plugin: String, outputPath: String, statePath: String) {
        self.plugin = plugin
        self.outputPath = outputPath
        self.statePath = statePath
    }
}
