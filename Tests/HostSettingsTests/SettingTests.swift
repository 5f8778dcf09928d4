import BoundedJSON
import HostSettings
import LinuxSystem
import Testing

@Suite struct SettingTests {
    private func word(_ kind: SettingKind, _ text: String) -> SettingValue? {
        try? kind.value(untrusted: text)
    }

    private func json(_ kind: SettingKind, _ text: String) -> SettingValue? {
        guard
            let top = try? JSONDocument.read(
                untrusted: Array(#"{"v":\#(text)}"#.utf8), path: "f"),
            let value = top.value("v")
        else { return nil }
        return try? kind.value(untrusted: value)
    }

    @Test func everyKeyIsDistinctAndHasAMeaning() {
        #expect(Set(Setting.all.map(\.pattern)).count == Setting.all.count)
        for setting in Setting.all {
            #expect(setting.meaning.hasSuffix("."), "\(setting.pattern)")
            #expect(setting.family == nil || setting.builtIn == nil)
            let name = setting.family == nil ? setting.name : "\(setting.name).org.example"
            #expect(SettingKey(untrusted: name)?.setting == setting, "\(name)")
        }
    }

    @Test(arguments: Setting.all) func builtInValuesAreValuesOfTheirKind(setting: Setting) {
        guard let value = setting.builtIn else { return }
        #expect(word(setting.kind, value.description) == value)
    }

    @Test(arguments: [
        "", "nope", "proxy ", "Proxy", "quota.", "quota..a", "quota.a b", "quota.a/b", "quota.ä",
        "background-refresh.", "background-refresh.-\n", "connections", "connections.total.x",
        "tls", "quotas",
    ])
    func refusesOtherKeys(text: String) {
        #expect(SettingKey(untrusted: text) == nil)
    }

    @Test func boundsIdentifiers() {
        #expect(SettingKey(untrusted: "quota." + String(repeating: "a", count: 255)) != nil)
        #expect(SettingKey(untrusted: "quota." + String(repeating: "a", count: 256)) == nil)
    }

    @Test func readsToggles() {
        #expect(word(.toggle, "true") == .toggle(true))
        #expect(word(.toggle, "on") == .toggle(true))
        #expect(word(.toggle, "off") == .toggle(false))
        #expect(json(.toggle, "false") == .toggle(false))
        for text in ["", "TRUE", "1", "yes", "true "] { #expect(word(.toggle, text) == nil) }
        for text in ["0", "1", #""true""#, "[]", "{}"] { #expect(json(.toggle, text) == nil) }
    }

    @Test func boundsCounts() {
        let kind = SettingKind.count(1...256)
        for text in ["1", "256"] {
            #expect(word(kind, text) != nil)
            #expect(json(kind, text) == word(kind, text))
        }
        for text in ["0", "257", "-1", "1.0", "1e2", "+1", "", "99999999999999999999"] {
            #expect(word(kind, text) == nil, "\(text)")
            #expect(json(kind, text) == nil, "\(text)")
        }
        #expect(json(kind, "\"8\"") == nil)
    }

    @Test func boundsSizes() {
        #expect(word(.size, "20G") == .size(ByteCount(bytes: 20 << 30)))
        #expect(word(.size, "1") == .size(ByteCount(bytes: 1)))
        #expect(word(.size, "1048576G") == .size(ByteCount(bytes: 1 << 50)))
        for text in ["0", "1048577G", "1T", "", "-1", "1.5G"] { #expect(word(.size, text) == nil) }
        #expect(json(.size, "\(UInt64(1) << 50)") == .size(ByteCount(bytes: 1 << 50)))
        for text in ["0", "\((UInt64(1) << 50) + 1)", "-1", "1.5", #""20G""#] {
            #expect(json(.size, text) == nil, "\(text)")
        }
    }

    @Test func readsAddresses() {
        let kind = SettingKind.url(["http", "socks5"])
        for text in ["http://a", "HTTP://u:p@a:80/x?y", "socks5://[::1]:9"] {
            #expect(word(kind, text) == .url(text))
            #expect(json(kind, "\"\(text)\"") == .url(text))
        }
        for text in [
            "", "a", "https://a", "http:/a", "http://", "http:///x", "http://a b", "http://ä",
        ] {
            #expect(word(kind, text) == nil, "\(text)")
        }
        for text in [
            "http://@", "http://:0", "http://:80", "http://u@", "http://u@:80", "http://a:0",
            "http://a:65536", "http://a:", "http://a:b", "http://a:+1", "http://[]", "http://[::1",
            "http://[::1]9", "http://u@v@a", "http://...", "http://a,b", "http://[a]", "http://?a",
        ] {
            #expect(word(kind, text) == nil, "\(text)")
            #expect(json(kind, "\"\(text)\"") == nil, "\(text)")
        }
        #expect(word(kind, "http://a.example:65535/") != nil)
        #expect(word(kind, "socks5://u@127.0.0.1:1") != nil)
        #expect(word(kind, "http://a\"") == nil)
        #expect(word(kind, "http://a\\") == nil)
        let most = "http://" + String(repeating: "a", count: SettingKind.mostURLBytes - 7)
        #expect(word(kind, most) != nil)
        #expect(word(kind, most + "a") == nil)
    }

    @Test func findsTheFiles() {
        let home = SettingsPlaces(environment: ["HOME": "/h"])
        #expect(home.user == "/h/.config/bahost/settings.json")
        #expect(home.system == "/etc/bahost/settings.json")
        let both = SettingsPlaces(environment: ["HOME": "/h", "XDG_CONFIG_HOME": "/c"])
        #expect(both.user == "/c/bahost/settings.json")
        let relative = SettingsPlaces(environment: ["HOME": "h", "XDG_CONFIG_HOME": "c"])
        #expect(relative.user == nil)
        let other = SettingsPlaces(environment: ["BAHOST_SYSTEM_SETTINGS": "/s.json"])
        #expect(other.system == "/s.json")
    }
}
