package import LinuxSystem

/// Plugins that crashed or hung while they were loaded, so that a scan does not try them again.
///
/// A file is known by its state: once it has changed it is no longer in here.
package struct LoadQuarantine: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let file: FileIdentity

        /// Where it was found, for people.
        package let path: String
        package let verdict: Verdict

        /// One sentence without control characters.
        package let sentence: String

        /// Seconds since 1970.
        package let seenAt: Int64

        package init(
            file: FileIdentity, path: String, verdict: Verdict, sentence: String, seenAt: Int64
        ) {
            self.file = file
            self.path = LoadQuarantine.cut(path)
            self.verdict = verdict
            self.sentence = LoadQuarantine.cut(sentence)
            self.seenAt = seenAt
        }
    }

    /// Entries that are kept; of more, the oldest go.
    package static let entryBound = 256

    /// Bytes of a path or sentence.
    package static let textBound = 1024

    /// The longest text that is read back.
    package static let byteBound = 1 << 20

    /// Oldest first, each file once.
    package private(set) var entries: [Entry] = []

    package init() {}

    /// What is known of a file in this state, or nil.
    package func entry(for file: FileIdentity) -> Entry? {
        entries.first { $0.file == file }
    }

    /// Takes a file in; what was known of it or of an older state of it goes.
    package mutating func add(_ entry: Entry) {
        entries.removeAll {
            $0.file.device == entry.file.device && $0.file.inode == entry.file.inode
        }
        entries.append(entry)
        if entries.count > LoadQuarantine.entryBound { entries.removeFirst() }
    }

    /// Lets a file go.
    package mutating func remove(_ file: FileIdentity) {
        entries.removeAll { $0.file.device == file.device && $0.file.inode == file.inode }
    }

    /// Whether an outcome is a reason to keep away from the file: it ended badly, by its own doing,
    /// while it was loaded.
    package static func isReason(_ outcome: WorkerOutcome) -> Bool {
        guard outcome.stage == .load else { return false }
        switch outcome.verdict {
        case .memoryLimit, .stackOverflow, .fileLimit, .processLimit, .cpuLimit, .wallTimeout,
            .policyViolation, .crash, .exitedEarly, .protocolError:
            return true
        // A refusal is found anew each time, at no risk; the rest is not the file's doing.
        case .ok, .pluginError, .badReply, .loadError, .abiMismatch, .killedExternal, .interrupted,
            .setupError, .internalError:
            return false
        }
    }

    /// On one line, cut at the bound between two characters.
    ///
    /// What it gives it leaves as it is: an entry that is read back is the one that was written.
    fileprivate static func cut(_ text: String) -> String {
        // Cut last: a control character grows when it is replaced.
        let line = PlainText.clean(text).split { $0 == "\t" }.joined(separator: " ")
        var rest = textBound
        let kept = line.unicodeScalars.prefix { scalar in
            rest -= UTF8.width(scalar)
            return rest >= 0
        }
        return String(String.UnicodeScalarView(kept))
    }
}

/// Why a text is no quarantine.
package struct QuarantineDamage: Error, Hashable, Sendable {
    /// From 1 on.
    package let line: Int
}

extension LoadQuarantine {
    private static let heading = "bahost load quarantine 1"

    /// One line for each entry, its fields between tabs.
    package var text: String {
        let lines = entries.map { entry in
            [
                "\(entry.file.device)", "\(entry.file.inode)", "\(entry.file.byteCount)",
                "\(entry.file.changedSeconds)", "\(entry.file.changedNanoseconds)",
                "\(entry.seenAt)", entry.verdict.rawValue, entry.path, entry.sentence,
            ].joined(separator: "\t")
        }
        return ([LoadQuarantine.heading] + lines).joined(separator: "\n") + "\n"
    }

    /// Reads what ``text`` wrote.
    ///
    /// - Throws: ``QuarantineDamage`` naming the first line that is wrong; nothing is repaired.
    package init(untrusted bytes: [UInt8]) throws(QuarantineDamage) {
        guard bytes.count <= LoadQuarantine.byteBound,
            let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\n")
        else { throw QuarantineDamage(line: 1) }
        let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, first == LoadQuarantine.heading else {
            throw QuarantineDamage(line: 1)
        }
        guard lines.count <= LoadQuarantine.entryBound + 1 else {
            throw QuarantineDamage(line: LoadQuarantine.entryBound + 2)
        }
        for (place, line) in lines.enumerated().dropFirst() {
            guard let entry = Entry(line), self.entry(for: entry.file) == nil else {
                throw QuarantineDamage(line: place + 1)
            }
            entries.append(entry)
        }
    }
}

extension LoadQuarantine.Entry {
    /// Nil for a line that could not have been written.
    fileprivate init?(_ line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 9, let device = UInt64(fields[0]), let inode = UInt64(fields[1]),
            let byteCount = Int64(fields[2]), let seconds = Int64(fields[3]),
            let nanoseconds = Int64(fields[4]), let seenAt = Int64(fields[5]),
            let verdict = Verdict(rawValue: String(fields[6]))
        else { return nil }
        let file = FileIdentity(
            device: device, inode: inode, byteCount: byteCount, changedSeconds: seconds,
            changedNanoseconds: nanoseconds)
        self.init(
            file: file, path: String(fields[7]), verdict: verdict, sentence: String(fields[8]),
            seenAt: seenAt)
        guard path == fields[7], sentence == fields[8] else { return nil }
    }
}
