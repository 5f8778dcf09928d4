/// One line of `bahost doctor`.
package struct Finding: Hashable, Sendable, Encodable {
    package enum Level: String, Hashable, Sendable, Encodable {
        case ok
        case note
        case problem
    }

    /// Findings that are shown together.
    package enum Group: String, Hashable, Sendable, Encodable, CaseIterable {
        case layers
        case promises
        case programs
        case machine
        case folders
    }

    package let group: Group

    /// What it is about; in ``Group/layers`` the layer's name.
    package let subject: String
    package let level: Level
    package let message: String

    /// What to do about it.
    @Nullable package var advice: String?

    package init(
        _ group: Group, _ subject: String, _ level: Level, _ message: String,
        advice: String? = nil
    ) {
        self.group = group
        self.subject = subject
        self.level = level
        self.message = message
        self._advice = Nullable(wrappedValue: advice)
    }
}
