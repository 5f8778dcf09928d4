package import WireProtocol

/// A plugin to check, and the terms it is checked under.
package struct CheckSubject: Sendable {
    /// Absolute.
    package var pluginPath: String
    package var workerPath: String

    /// An existing private folder, for containers.
    package var scratchPath: String
    package var limits = WorkerLimits()
    package var wallBudget = Duration.seconds(10)

    /// For the whole check; once it is over no further call is begun.
    package var timeBudget = Duration.seconds(300)
    package var isolation = IsolationMode.automatic
    package var absentLayers: [String] = []
    package var runtimeFolders: [String] = []

    /// A manifest that the plugin can read, from its author.
    package var manifest: [UInt8]?

    package init(pluginPath: String, workerPath: String, scratchPath: String) {
        self.pluginPath = pluginPath
        self.workerPath = workerPath
        self.scratchPath = scratchPath
    }
}

/// Why a plugin could not be checked at all; not the plugin's doing.
package struct PluginCheckError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// A worker could not confine itself, or there is none.
        case cannotSetUp

        /// A private folder could not be made or filled.
        case cannotWrite

        /// The host or something outside ended a worker.
        case hostFault
        case interrupted

        /// ``CheckSubject/timeBudget`` is over.
        case timeIsUp
    }

    package let code: Code
    package let message: String

    /// The least memory limit that would do, when the limit was below.
    package let minimumMemoryBytes: UInt64?

    package init(_ code: Code, _ message: String, minimumMemoryBytes: UInt64? = nil) {
        self.code = code
        self.message = message
        self.minimumMemoryBytes = minimumMemoryBytes
    }

    package var description: String { message }
}
