internal import ExtensionHost
internal import PluginCheck

/// What came of one file.
struct CheckedFile {
    enum Outcome {
        case checked(CheckReport)

        /// It crashed or hung the last time, and has not changed.
        case skipped(LoadQuarantine.Entry)

        /// It cannot be a plugin, or the command ended before it was its turn.
        case notChecked(String)
    }

    let target: CheckTarget
    let outcome: Outcome

    /// What is known to be bad counts, tried or not, and so does what nothing is known of.
    var hasFailed: Bool {
        switch outcome {
        case .checked(let report): report.hasFailed
        case .skipped, .notChecked: true
        }
    }
}
