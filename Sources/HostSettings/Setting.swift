internal import LinuxSystem

/// One row of the table of settings: a key, or a family of keys.
package struct Setting: Hashable, Sendable {
    /// What the name of a family's members is.
    package enum Family: String, Hashable, Sendable {
        /// The identifier of an app.
        case app = "APP"

        /// The identifier of a group.
        case group = "GROUP"
    }

    /// The key, or what the keys of a family begin with, without the dot.
    package let name: String
    package let family: Family?
    package let kind: SettingKind

    /// Nil: without a value.
    package let builtIn: SettingValue?

    /// The user's file may not set it.
    package let isSystemOnly: Bool

    /// False while nothing of this version looks at it.
    package let isUsed: Bool

    /// One sentence; what it means to have none is in it.
    package let meaning: String

    init(
        _ name: String, of family: Family? = nil, _ kind: SettingKind, _ builtIn: SettingValue?,
        isSystemOnly: Bool = false, isUsed: Bool = false, _ meaning: String
    ) {
        self.name = name
        self.family = family
        self.kind = kind
        self.builtIn = builtIn
        self.isSystemOnly = isSystemOnly
        self.isUsed = isUsed
        self.meaning = meaning
    }

    /// The key as tables show it: `background-refresh.APP`.
    package var pattern: String { family.map { "\(name).\($0.rawValue)" } ?? name }

    /// Every key there is; docs/operator.md has the same table.
    package static let all: [Setting] = [
        Setting(
            "in-app-content", .toggle, .toggle(true),
            "Apps may download content while they run."),
        Setting(
            "background-refresh", .toggle, .toggle(true),
            "Apps may look for updates while they do not run."),
        Setting(
            "background-refresh", of: .app, .toggle, nil,
            "The same for one app; without it background-refresh counts."),
        Setting(
            "developer-mode", .toggle, .toggle(false),
            "Apps under development may use loopback and private addresses, and plain http there."),
        Setting(
            "catalogue-url", .url(["https"]), nil,
            "Where the catalogue of hosted packs is; without it an app must bring its own."),
        Setting(
            "proxy", .url(["http", "https", "socks5h"]), nil, isUsed: true,
            "What transfers go through; without it they go directly, whatever the environment says."
        ),
        Setting(
            "connections.total", .count(1...256), .count(16), isUsed: true,
            "Connections at once in all."),
        Setting(
            "connections.per-host", .count(1...64), .count(4), isUsed: true,
            "Connections at once to one host."),
        Setting(
            "bandwidth.background", .size, nil, isUsed: true,
            "Bytes a second of all background downloads together; without it there is no cap."),
        Setting(
            "quota", .size, nil, isUsed: true,
            "Bytes that each group may keep; without it only the disk is a bound."),
        Setting(
            "quota", of: .group, .size, nil, isUsed: true,
            "The same for one group; without it quota counts."),
        Setting(
            "free-space.low", .size, .size(ByteCount(bytes: 256 << 20)), isUsed: true,
            "Bytes that downloads leave free on the file system of a container, and up to 16M more; of "
                + "a small one a twentieth at most. Files make way for them, or they wait."),
        Setting(
            "free-space.high", .size, .size(ByteCount(bytes: 512 << 20)), isUsed: true,
            "Where less than free-space.low is free, published files go until so much is, of a "
                + "small one a tenth at most."),
        Setting(
            "tls.trustOverrides", .toggle, .toggle(false), isSystemOnly: true,
            "A plugin may have an invalid certificate trusted."),
    ]
}

/// The name of one value, known to be in the table.
package struct SettingKey: Hashable, Sendable {
    package let setting: Setting

    /// In full, such as `background-refresh.org.example.game`.
    package let name: String

    /// Reads a key; nil for one that the table does not have.
    ///
    /// The member of a family is an identifier: 1 to 255 of `A–Z a–z 0–9 . _ -`, no dot first.
    package init?(untrusted text: String) {
        if let single = Setting.all.first(where: { $0.family == nil && $0.name == text }) {
            setting = single
            name = text
            return
        }
        let family = Setting.all.first { $0.family != nil && text.hasPrefix("\($0.name).") }
        guard let family, SettingKey.isIdentifier(text.dropFirst(family.name.count + 1)) else {
            return nil
        }
        setting = family
        name = text
    }

    private static func isIdentifier(_ text: Substring) -> Bool {
        (1...255).contains(text.utf8.count) && text.first != "."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
