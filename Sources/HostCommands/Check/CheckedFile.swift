internal import ExtensionHost
internal import PluginCheck

/// What came of one file.
struct CheckedFile {
    enum Outcome {
        case checked(CheckReport)

        /// It crashed or hung the last time, and has not changed.
        case skipped(LoadQuarantine.Entry)
    }

    let target: CheckTarget
    let outcome: Outcome

    /// What is known to be bad counts, tried or not.
    var hasFailed: Bool {
        switch outcome {
        case .checked(let report): report.hasFailed
        case .skipped: true
        }
    }
}
