internal import BoundedJSON
internal import LinuxSystem

/// One change of one file, and the writing of it.
///
/// What the file says besides is kept byte for byte, value by value. A change is read, made and
/// written under a lock, so that of two at once none is lost, and a file is replaced in one step.
package struct SettingsChange: Sendable {
    package let key: SettingKey

    /// Nil takes the key out.
    package let value: SettingValue?
    let level: SettingsLevel

    /// As named by the caller.
    let path: String

    /// - Parameters:
    ///   - key: What is changed.
    ///   - value: Nil takes it out.
    ///   - level: Whose file it is.
    ///   - path: The file; made with its folders where it is missing.
    package init(
        _ key: SettingKey, to value: SettingValue?, at level: SettingsLevel, path: String
    ) {
        self.key = key
        self.value = value
        self.level = level
        self.path = path
    }

    /// Makes the change.
    ///
    /// - Returns: Whether the file is another one now.
    /// - Throws: ``HostSettingsError``; the file is as it was then.
    @discardableResult
    package func write() throws(HostSettingsError) -> Bool {
        // A file that is not there needs no folder for having nothing taken out of it.
        if value == nil, try SettingsFile.bytes(of: path) == nil { return false }
        // A link stays one: what it leads to is replaced.
        let file = try attempt { () throws(ReplacedFileError) in
            try ReplacedFile(path, makingFolders: modes.folder)
        }
        let lock = try attempt { () throws(ReplacedFileError) in
            try file.lock(within: .seconds(5))
        }
        guard let text = try changed(try SettingsFile.bytes(of: file.path)) else { return false }
        try attempt { () throws(ReplacedFileError) in
            try file.replace(with: text, mode: modes.file, under: lock)
        }
        return true
    }

    /// A user's settings may hold the password of a proxy; everybody reads the system's.
    private var modes: (folder: UInt32, file: UInt32) {
        level == .user ? (0o700, 0o600) : (0o755, 0o644)
    }

    private func attempt<Result: ~Copyable>(
        _ body: () throws(ReplacedFileError) -> Result
    ) throws(HostSettingsError) -> Result {
        do throws(ReplacedFileError) {
            return try body()
        } catch {
            throw refusal(error)
        }
    }

    private func refusal(_ error: ReplacedFileError) -> HostSettingsError {
        switch error {
        case .held:
            HostSettingsError(
                .held, path: path, message: "another process has held its lock for 5 s")
        case .irregular(let place):
            HostSettingsError(
                .unreadable, path: path,
                message: place == path ? "is no regular file" : "\(place) is no regular file")
        case .foreign(let place, let user):
            HostSettingsError(
                .cannotWrite, path: path,
                message: "\(place) belongs to user \(user): set it as that user")
        case .system(let error):
            HostSettingsError(.cannotWrite, path: path, message: "cannot be written: \(error)")
        }
    }

    /// The new text; nil when nothing changes.
    private func changed(_ old: [UInt8]?) throws(HostSettingsError) -> [UInt8]? {
        var entries: [(name: String, json: String)] = []
        if let old {
            let top = try SettingsFile.parse(old, path)
            entries = top.allNames.map { name in
                (name, String(decoding: top.bytes(name) ?? [], as: UTF8.self))
            }
        }
        let place = entries.firstIndex { $0.name.utf8.elementsEqual(key.name.utf8) }
        switch (place, value) {
        case (nil, nil): return nil
        case (let place?, nil): entries.remove(at: place)
        case (let place?, let value?):
            guard entries[place].json != value.json else { return nil }
            entries[place].json = value.json
        case (nil, let value?): entries.append((key.name, value.json))
        }
        let lines = entries.map { "  \(SettingsChange.quoted($0.name)): \($0.json)" }
        let text = lines.isEmpty ? "{}\n" : "{\n\(lines.joined(separator: ",\n"))\n}\n"
        return try checked(Array(text.utf8))
    }

    /// What could not be read again is not written.
    private func checked(_ text: [UInt8]) throws(HostSettingsError) -> [UInt8] {
        do throws(HostSettingsError) {
            _ = try SettingsFile.parse(text, path)
        } catch {
            throw HostSettingsError(
                .cannotWrite, path: path, message: "is full: the new text \(error.message)")
        }
        return text
    }

    /// RFC 8259 §7.
    private static func quoted(_ name: String) -> String {
        var text = "\""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
