/// What reads bytes from outside, by the name of its folder of seeds.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case image
    case wire
    case url
    case answer
    case resume
    case manifest
    case plist
    case row

    /// Reads an input and holds the reader to its promises.
    ///
    /// - Parameter input: Any bytes.
    /// - Throws: ``BrokenPromise`` when a promise does not hold; refusing the input is none.
    package func check(_ input: [UInt8]) throws(BrokenPromise) {
        switch self {
        case .image: try ImageTarget.check(input)
        case .wire: try WireTarget.check(input)
        case .url: try URLTarget.check(input)
        case .answer: try AnswerTarget.check(input)
        case .resume: try ResumeTarget.check(input)
        case .manifest: try ManifestTarget.check(input)
        case .plist: try PropertyListTarget.check(input)
        case .row: try RowTarget.check(input)
        }
    }
}

/// A promise of a reader that an input has broken.
package struct BrokenPromise: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws the sentence unless the promise was kept.
func expect(
    _ isKept: Bool, _ sentence: @autoclosure () -> String
) throws(BrokenPromise) {
    if !isKept { throw BrokenPromise(sentence()) }
}

/// A sentence about hostile bytes is one line, without what could move a cursor, and short enough
/// for a record.
func expectPrintable(_ sentence: String, atMost bound: Int) throws(BrokenPromise) {
    try expect(!sentence.isEmpty, "a refusal says nothing")
    try expect(
        sentence.utf8.count <= bound, "a refusal has \(sentence.utf8.count) bytes, not \(bound)")
    try expect(
        sentence.unicodeScalars.allSatisfy(isPrintable),
        "a refusal cannot be printed: \(sentence.debugDescription)")
}

private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
}
