package import HTTPClient
package import LinuxSystem
package import URLPolicy

/// One file to fetch: from where, how much, to which place, under which rules.
///
/// The caller decides when and how many; the engine runs what it is given.
package struct TransferOrder: Sendable {
    /// Chosen by the caller; one order at a time may have it.
    package var id: Int64
    package var url: RemoteURL
    /// Tried in order, as ``MirrorPlan`` says.
    package var mirrors: [RemoteURL] = []
    /// How often this download has failed before, in a way that may pass.
    package var retries = 0
    /// Shares the engine's cap with all others that are.
    package var isBackground = false
    /// Reserved ones (``HTTPHeader/isReserved``) are not sent.
    package var headers: [HTTPHeader] = []
    /// The agreed size; any other is a failure.
    package var expectedBytes: UInt64?
    /// Where to stop when no size was agreed.
    package var maximumBytes: UInt64
    /// 32 bytes, or nil when none was agreed.
    package var sha256: [UInt8]?
    /// Absolute path of the partial file, in the same mount as the destination and in a folder that is
    /// the host's alone.
    package var partialPath: String
    /// Where the file goes when it is whole and right; nil leaves it where it is.
    package var destination: TransferDestination?
    /// What the last ``TransferEvent/checkpoint(id:state:)`` said; nil begins at zero.
    package var resume: ResumeState?
    package var rules: URLRules

    package init(
        id: Int64, url: RemoteURL, maximumBytes: UInt64, partialPath: String, rules: URLRules
    ) {
        self.id = id
        self.url = url
        self.maximumBytes = maximumBytes
        self.partialPath = partialPath
        self.rules = rules
    }

    /// True when bytes from several servers, or without a validator, can be checked together.
    var isSelfChecking: Bool { expectedBytes != nil && sha256 != nil }
}

/// A name in a folder that others may write to.
package struct TransferDestination: Sendable {
    package let folder: ConfinedFolder
    /// One name, without a slash.
    package let name: String

    /// Says of the file which download it is of: ``FileMark/download``.
    package let mark: String?

    package init(folder: ConfinedFolder, name: String, mark: String? = nil) {
        self.folder = folder
        self.name = name
        self.mark = mark
    }
}

/// What has to be known to go on later, stored by the caller.
package struct ResumeState: Hashable, Sendable {
    /// Bytes written to the partial file.
    package var receivedBytes: UInt64
    /// What proves that the server still has the same file; nil when nothing does.
    package var validator: Validator?
    /// The whole size, when the server or the order named it.
    package var totalBytes: UInt64?

    package init(receivedBytes: UInt64, validator: Validator? = nil, totalBytes: UInt64? = nil) {
        self.receivedBytes = receivedBytes
        self.validator = validator
        self.totalBytes = totalBytes
    }
}

/// A strong entity tag, or a modification date that can stand in for one; the text of `If-Range`.
///
/// RFC 9110 §8.8 and §13.1.5.
package struct Validator: Hashable, Sendable {
    /// With its quotes for a tag, as sent for a date.
    package let text: String

    /// Takes back what was stored; nil for an empty, weak or over-long one.
    package init?(stored text: String) {
        guard (1...512).contains(text.utf8.count), !text.hasPrefix("W/"),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 >= 0x80 })
        else { return nil }
        self.text = text
    }

    /// The strong validator of an answer: its tag unless weak, else its `Last-Modified` when that
    /// lies at least a second before its `Date`.
    package init?(of head: ResponseHead) {
        if let tag = head.entityTag {
            self.init(stored: tag)
            return
        }
        guard let text = head.lastModified, let modified = head.lastModifiedSeconds,
            let date = head.dateSeconds, date > modified
        else { return nil }
        self.init(stored: text)
    }

    /// True when `head` names another version than this; silence is no contradiction.
    func isContradicted(by head: ResponseHead) -> Bool {
        if text.hasPrefix("\"") { return head.entityTag.map { $0 != text } ?? false }
        return head.lastModified.map { $0 != text } ?? false
    }
}
