/// The mark by which a server tells that a resource is still the one we have a part of.
///
/// Which marks are strong enough is RFC 9110 §8.8 and §13.1.5; deciding that is the transfer's job.
/// This type only keeps the mark in bounds.
package struct TransferValidator: Hashable, Sendable {
    /// Which header field the mark came from; the raw values are the words of the database.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case strongETag, lastModified
    }

    /// The longest mark that is kept, in bytes; with a longer one a transfer starts at 0.
    package static let maximumLength = 1024

    package let kind: Kind
    /// The field value exactly as received, quotes included.
    package let text: String
    /// The whole size the server named together with the mark.
    package let total: UInt64?

    /// Nil unless `text` is 1 to 1,024 bytes without control characters.
    package init?(kind: Kind, text: String, total: UInt64?) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.kind = kind
        self.text = text
        self.total = total
    }
}
