package import ExtensionHost

/// What must come of a case.
package struct Expectation: Hashable, Sendable {
    /// The verdicts that may come.
    package var verdicts: [Verdict]

    /// What the verdict's sentence must hold; empty: anything.
    package var says: String

    /// What the technique's own lines must say.
    package var attempts: AttemptRule

    /// What its memory is held against.
    package var matter = MemoryMatter.memory

    /// Lines of its log that the record must not pass; nil: not looked at.
    package var mostLogBytes: Int?

    package init(
        _ verdicts: Verdict..., says: String = "", attempts: AttemptRule = .any
    ) {
        self.verdicts = verdicts
        self.says = says
        self.attempts = attempts
    }
}

/// What the lines of a technique must say about its attempts.
package enum AttemptRule: Hashable, Sendable {
    case any

    /// At least one was made, and none was refused.
    case allowed

    /// At least one was refused; with this code, where one is given.
    case refused(String? = nil)
}

/// What the promise about memory speaks of, and what it names as another matter.
package enum MemoryMatter: Hashable, Sendable {
    case memory

    /// Bytes in files, which have a budget of their own.
    case files

    /// The kernel's cache of names, which it gives up when it needs memory.
    case names
}
