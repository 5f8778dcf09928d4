package import URLPolicy
package import WireProtocol

/// Why the extension is woken; the raw value is the user's word.
package enum RunEvent: String, Hashable, Sendable, CaseIterable {
    case install
    case update
    case periodic
    case shouldDownload = "should-download"

    /// The entry point that answers it.
    package var entryPoint: EntryPoint {
        switch self {
        case .install: .install
        case .update: .update
        case .periodic: .checkForUpdates
        case .shouldDownload: .shouldDownload
        }
    }
}

/// Where the content manifest comes from.
package enum ManifestSource: Hashable, Sendable {
    case file(String)
    case url(String)
}

/// The app that a run is for.
package struct RunApp: Hashable, Sendable {
    package var identifier = "bahost.run"
    package var version = ""
    package var group = "group.bahost.run"

    /// Further groups that belong to the app.
    package var otherGroups: Set<String> = []

    /// True until the first launch: allow-list and allowances are in force.
    package var isRestricted = true

    package init() {}
}

/// One run of one plugin, everything decided but nothing done.
///
/// Paths are absolute.
package struct RunRequest: Sendable {
    package var pluginPath: String
    package var event = RunEvent.install
    package var manifest: ManifestSource?

    /// What to ask about, for `should-download` only; no identifier twice.
    package var packs: [AssetPackDescription] = []
    package var app = RunApp()

    /// The group's container.
    package var containerPath: String

    /// The folder of the database; never inside the container.
    package var statePath: String
    package var limits = WorkerLimits()
    package var memoryLimitAction = MemoryLimitAction.end
    package var memoryRule = MemoryRule.normal

    /// Bytes one worker may write in all.
    package var writtenBytes: UInt64 = 64 << 20

    /// Bytes that the group may keep in its container; nil where only the disk is a bound.
    package var quotaBytes: UInt64?
    package var freeSpace = FreeSpaceThresholds()
    package var wallBudget = Duration.seconds(30)
    package var isolation = IsolationMode.automatic

    /// Layers to treat as refused by the kernel, by name.
    package var absentLayers: [String] = []
    package var rules: URLRules

    /// Nil: no limit.
    package var plainAllowance: UInt64?
    package var essentialAllowance: UInt64?
    package var workerPath: String
    package var runtimeFolders: [String] = []
    package var downloads = DownloadQueue.Configuration()

    package init(
        pluginPath: String, containerPath: String, statePath: String, workerPath: String,
        rules: URLRules
    ) {
        self.pluginPath = pluginPath
        self.containerPath = containerPath
        self.statePath = statePath
        self.workerPath = workerPath
        self.rules = rules
    }
}

/// Why a run could not begin; nothing was left behind.
package struct RunError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// A named input other than the plugin is missing, unreadable or too large.
        case inputMissing

        /// The output or the state folder cannot be made, written or locked.
        case outputFailed

        /// The host itself lacks something, such as its worker program.
        case hostBroken
    }

    package let code: Code

    /// One sentence that names the fault, without a full stop.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
