internal import CommandLineOptions
internal import HostSettings
internal import LinuxSystem

/// What `bahost settings list` shows; as JSON docs/schema/settings-1.json.
struct SettingsListing: Hashable, Sendable, Encodable {
    struct Entry: Hashable, Sendable, Encodable {
        let key: String
        @Nullable var value: Value?
        let source: String

        /// The file that has it.
        @Nullable var file: String?
        let type: String
        let range: String
        @Nullable var builtIn: Value?
        let isSystemOnly: Bool
        let isUsed: Bool
        let meaning: String
    }

    struct File: Hashable, Sendable, Encodable {
        let level: String
        let path: String
        let isThere: Bool
    }

    struct Fault: Hashable, Sendable, Encodable {
        let file: String
        let key: String
        let message: String
    }

    let schema = 1
    let settings: [Entry]
    let files: [File]
    let faults: [Fault]

    /// Keys that mean nothing to this version or at their level, and are kept.
    let ignored: [Fault]

    init(_ all: HostSettings, _ places: SettingsPlaces) {
        var entries: [Entry] = []
        for key in all.keys {
            guard let reading = try? all.value(of: key) else { continue }
            entries.append(Entry(reading, places))
        }
        settings = entries
        files = all.files.map { File(level: $0.level.rawValue, path: $0.path, isThere: $0.isThere) }
        faults = all.files.flatMap { file in
            file.faults.values.sorted { ($0.key ?? "") < ($1.key ?? "") }.map {
                Fault(file: $0.path, key: $0.key ?? "", message: $0.message)
            }
        }
        ignored = all.files.flatMap { file in
            file.unknown.map { Fault(file: file.path, key: $0, message: "is not a known setting") }
                + file.ignored.map {
                    Fault(file: file.path, key: $0, message: "counts in the system's file only")
                }
        }
    }

    var text: String {
        Setting.all.map(text).joined()
            + files.map { "\($0.level): \($0.path)\($0.isThere ? "" : " (not there)")\n" }.joined()
            + faults.map { "wrong: \($0.sentence)\n" }.joined()
            + ignored.map { "ignored: \($0.sentence)\n" }.joined()
    }

    /// A key with its value; for a family what its keys look like, and those that are set.
    private func text(of setting: Setting) -> String {
        let lines = settings.filter { SettingKey(untrusted: $0.key)?.setting == setting }
            .map(\.line)
        let meaning = "    \(setting.meaning)"
        let shown =
            setting.family == nil
            ? [lines.first ?? "\(setting.name): wrong, see below", meaning]
            : ["\(setting.pattern) = \(setting.kind.range)", meaning] + lines.map { "    " + $0 }
        return shown.map { $0 + "\n" }.joined()
    }
}

extension SettingsListing {
    /// The type that the key has in JSON.
    struct Value: Hashable, Sendable, Encodable {
        let value: SettingValue

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .toggle(let isOn): try container.encode(isOn)
            case .count(let count): try container.encode(count)
            case .size(let size): try container.encode(size.bytes)
            case .url(let text): try container.encode(text)
            }
        }
    }

    /// What `get`, `set` and `unset` print with `--json`.
    struct Answer: Hashable, Sendable, Encodable {
        let schema = 1
        let setting: Entry

        init(_ reading: SettingReading, _ places: SettingsPlaces) {
            setting = Entry(reading, places)
        }
    }
}

extension SettingsListing.Entry {
    init(_ reading: SettingReading, _ places: SettingsPlaces) {
        let setting = reading.key.setting
        let file: String? =
            switch reading.source {
            case .builtIn: nil
            case .system: places.system
            case .user: places.user
            }
        self.init(
            key: reading.key.name, value: reading.value.map(SettingsListing.Value.init),
            source: reading.source.rawValue, file: file, type: setting.kind.name,
            range: setting.kind.range, builtIn: setting.builtIn.map(SettingsListing.Value.init),
            isSystemOnly: setting.isSystemOnly, isUsed: setting.isUsed, meaning: setting.meaning)
    }

    /// One line for people.
    var line: String {
        let shown: String =
            switch value?.value {
            case .size(let size)?: "\(size.bytes) (\(size))"
            case let other?: other.description
            case nil: "none"
            }
        return "\(key) = \(shown) (\(source)\(isUsed ? "" : "; not used yet"))"
    }
}

extension SettingsListing.Fault {
    /// One line for people.
    var sentence: String {
        "\(TerminalText.escape(file)): \(QuotedWord.quote(key)) \(TerminalText.escape(message))"
    }
}
