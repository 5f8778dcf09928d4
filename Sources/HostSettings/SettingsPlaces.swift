/// Who has set a value; a later one wins.
package enum SettingsLevel: String, Hashable, Sendable, CaseIterable {
    /// The machine's operator.
    case system

    /// The user of this process.
    case user
}

/// Where the files of both levels are.
package struct SettingsPlaces: Hashable, Sendable {
    package let system: String

    /// Nil where neither variable names a folder.
    package let user: String?

    /// - Parameter environment: `XDG_CONFIG_HOME`, else `HOME`, of which a relative one is ignored
    ///   (XDG Base Directory Specification); `BAHOST_SYSTEM_SETTINGS` for another system file.
    package init(environment: [String: String]) {
        func folder(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        system = folder("BAHOST_SYSTEM_SETTINGS") ?? "/etc/bahost/settings.json"
        let base = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }
        user = base.map { "\($0)/bahost/settings.json" }
    }

    package func path(of level: SettingsLevel) -> String? {
        level == .system ? system : user
    }
}
