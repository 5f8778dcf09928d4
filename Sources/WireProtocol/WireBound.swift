/// The bounds on everything that crosses between host and worker.
///
/// Both sides hold to them: an encoder never makes, and a decoder never takes, anything longer.
package enum WireBound {
    /// A frame's payload: 1 MiB.
    package static let payloadBytes = 1 << 20
    package static let identifierBytes = 255
    package static let urlBytes = 8 << 10
    package static let headerCount = 64
    package static let headerBytes = 16 << 10
    package static let mirrorCount = 16
    package static let logLineBytes = 4 << 10
    package static let pathBytes = 4096
    package static let sentenceBytes = 4 << 10
    package static let listCount = 256

    /// Packs in one call, and replies in one piece of the answer.
    package static let batchCount = 256

    /// A batch stops at this size: in the worker it counts against the plugin's memory.
    package static let batchBytes = 64 << 10
    package static let userInfoBytes = 64 << 10

    /// Descriptor numbers that a worker looks at to count what is open.
    package static let countedFiles = 256

    /// What is told of an inspected file: exported names, the bytes of one, needed versions,
    /// segments, refusals and oddities.
    package static let exportCount = 4_096
    package static let exportBytes = 16 << 10
    package static let versionCount = 1_024
    package static let segmentCount = 128
    package static let refusalCount = 64
    package static let oddityCount = 32

    /// A page of current downloads stops at this size, whatever the number asked for.
    package static let pageBytes = 64 << 10
}

/// Why bytes are not a message.
///
/// The peer that sent them is not asked again.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case badMagic
        case badVersion
        case unknownKind
        case tooLong
        case truncated
        case trailingBytes
        case badValue
        case badText
    }

    package let code: Code

    /// Where: the field, or `frame`.
    package let subject: String

    package init(_ code: Code, _ subject: String) {
        self.code = code
        self.subject = subject
    }

    package var description: String {
        let sentence =
            switch code {
            case .badMagic: "does not begin with the protocol's magic number"
            case .badVersion: "is of another protocol version"
            case .unknownKind: "is of an unknown kind"
            case .tooLong: "is longer than its bound"
            case .truncated: "ends too early"
            case .trailingBytes: "has bytes after its end"
            case .badValue: "has a value that is not allowed"
            case .badText: "is not UTF-8 without NUL"
            }
        return "\(subject) \(sentence)"
    }
}
