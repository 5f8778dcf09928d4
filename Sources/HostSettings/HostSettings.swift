/// Where a value in force comes from.
package enum SettingSource: String, Hashable, Sendable {
    case builtIn = "built-in"
    case system
    case user
}

/// A value in force.
package struct SettingReading: Hashable, Sendable {
    package let key: SettingKey

    /// Nil: without one.
    package let value: SettingValue?
    package let source: SettingSource
}

/// The settings of both levels together: user, then system, then built-in.
package struct HostSettings: Sendable {
    /// From the strongest to the weakest.
    package let files: [SettingsFile]

    /// - Parameter places: Where the files are.
    /// - Throws: ``HostSettingsError`` when one of them is there and cannot be used.
    package init(_ places: SettingsPlaces) throws(HostSettingsError) {
        var files: [SettingsFile] = []
        for level in SettingsLevel.allCases.reversed() {
            guard let path = places.path(of: level) else { continue }
            files.append(try SettingsFile(path, of: level))
        }
        self.files = files
    }

    /// What is in force.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value and its source.
    /// - Throws: ``HostSettingsError`` when the strongest file that has the key has it wrong: it is
    ///   not known then what its writer wanted.
    package func value(of key: SettingKey) throws(HostSettingsError) -> SettingReading {
        for file in files {
            if let fault = file.faults[key.name] { throw fault }
            guard let value = file.values[key.name] else { continue }
            return SettingReading(
                key: key, value: value, source: file.level == .system ? .system : .user)
        }
        return SettingReading(key: key, value: key.setting.builtIn, source: .builtIn)
    }

    /// Every single key of the table, and the members of families that a file has.
    ///
    /// In the table's order, members by name.
    package var keys: [SettingKey] {
        let named = Set(files.flatMap { Array($0.values.keys) + Array($0.faults.keys) })
            .compactMap(SettingKey.init(untrusted:)).sorted { $0.name < $1.name }
        return Setting.all.flatMap { setting in
            setting.family == nil
                ? [SettingKey(untrusted: setting.name)].compactMap(\.self)
                : named.filter { $0.setting == setting }
        }
    }
}
