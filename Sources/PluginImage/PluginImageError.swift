/// Why a file is not a plugin this host opens: a code to switch on and one sentence for people.
///
/// The sentence starts with "the file", names the fact with its numbers, holds no line break and
/// no control character (names out of the file are quoted, escaped and shortened), and ends
/// without a full stop.
package struct PluginImageError: Error, Hashable, Sendable {
    /// What kind of fact was found; `isMismatch` says which verdict it leads to.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        // The file as such.
        case notELF, wrongClass, wrongByteOrder, wrongMachine, notSharedObject
        case truncated, malformed
        // What the loader would map.
        case unorderedSegments, overlappingSegments, alignmentTooLarge, writableOverLimit
        case executableStack, textRelocations
        // The tag and the functions.
        case noTag, tagMalformed, tagTooShort, abiMajorMismatch, abiMinorMismatch
        case unknownRequiredFeature, toolchainMismatch, noEntryPoint
        // What else it would bring in.
        case forbiddenNeeded, forbiddenRunPath, missingSymbolVersion, needOverLimit
        case missingLibrary
    }

    package let code: Code
    package let sentence: String

    package init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    /// True when the verdict is `abi_mismatch`, false when it is `load_error` (docs/extension-
    /// author.md).
    package var isMismatch: Bool {
        switch code {
        case .tagTooShort, .abiMajorMismatch, .abiMinorMismatch, .unknownRequiredFeature,
            .toolchainMismatch:
            true
        default: false
        }
    }
}

extension PluginImageError {
    /// The same of a library that the plugin brings.
    package func ofLibrary(_ name: String) -> Self {
        Self(code, "the file's library \(quoted(name)) is refused: \(sentence)")
    }

    static func otherMachine(_ machine: Machine, than expected: Machine) -> Self {
        Self(
            .wrongMachine,
            "the file is made for \(machine.rawValue), not for \(expected.rawValue)")
    }

    static func malformed(_ sentence: String) -> Self { Self(.malformed, sentence) }

    /// The one sentence for every range that ends past the file.
    static func truncated(_ part: String, endingAt end: UInt64, of length: UInt64) -> Self {
        Self(
            .truncated,
            "the file is \(grouped(length)) bytes long but \(part) ends at byte \(grouped(end)):"
                + " it is truncated")
    }
}
