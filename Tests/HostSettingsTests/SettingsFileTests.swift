import Foundation
import Glibc
import HostSettings
import LinuxSystem
import Testing
import TestSupport

@Suite struct SettingsFileTests {
    let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder("settings")
    }

    private var places: SettingsPlaces {
        SettingsPlaces(environment: [
            "XDG_CONFIG_HOME": "\(folder.path)/c",
            "BAHOST_SYSTEM_SETTINGS": "\(folder.path)/e/settings.json",
        ])
    }

    private var user: String { places.user ?? "" }

    private func put(_ text: String, at level: SettingsLevel) throws {
        let path = places.path(of: level) ?? ""
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    private func reading(_ name: String) throws -> SettingReading {
        try HostSettings(places).value(of: try #require(SettingKey(untrusted: name)))
    }

    @discardableResult
    private func set(
        _ name: String, _ value: SettingValue?, at level: SettingsLevel = .user
    ) throws -> Bool {
        try SettingsChange(
            try #require(SettingKey(untrusted: name)), to: value, at: level,
            path: try #require(places.path(of: level))
        ).write()
    }

    @Test func userWinsOverSystemAndSystemOverBuiltIn() throws {
        #expect(try reading("connections.total").value == .count(16))
        #expect(try reading("connections.total").source == .builtIn)
        try put(#"{"connections.total":8}"#, at: .system)
        #expect(try reading("connections.total").value == .count(8))
        #expect(try reading("connections.total").source == .system)
        try put(#"{"connections.total":2}"#, at: .user)
        #expect(try reading("connections.total").value == .count(2))
        #expect(try reading("connections.total").source == .user)
        try put(#"{"connections.total":null}"#, at: .user)
        #expect(try reading("connections.total").source == .system)
    }

    @Test func theOperatorsKeyCountsInTheSystemsFileOnly() throws {
        try put(#"{"tls.trustOverrides":true}"#, at: .user)
        #expect(try reading("tls.trustOverrides").value == .toggle(false))
        #expect(try HostSettings(places).files.first?.ignored == ["tls.trustOverrides"])
        try put(#"{"tls.trustOverrides":true}"#, at: .system)
        #expect(try reading("tls.trustOverrides").value == .toggle(true))
    }

    @Test func aWrongValueIsNamedAndNotSteppedOver() throws {
        try put(#"{"connections.total":"8","proxy":"http://p"}"#, at: .user)
        try put(#"{"connections.total":4}"#, at: .system)
        #expect {
            try reading("connections.total")
        } throws: {
            "\($0)" == "\(user): connections.total: must be a number, but is a string"
        }
        #expect(try reading("proxy").value == .url("http://p"))
        // One that a stronger file has right does no harm.
        try put(#"{"connections.total":3}"#, at: .user)
        try put(#"{"connections.total":4000}"#, at: .system)
        #expect(try reading("connections.total").value == .count(3))
    }

    @Test(arguments: ["", "[]", "{", "{}x", #"{"a":1,"a":2}"#, "\u{FEFF}{}"])
    func aFileThatCannotBeUsedIsNamedAndLeftAlone(bad: String) throws {
        try put(bad, at: .user)
        #expect {
            try HostSettings(places)
        } throws: {
            ($0 as? HostSettingsError)?.code == .malformed && "\($0)".hasPrefix(user)
        }
        #expect(throws: HostSettingsError.self) { try set("proxy", .url("http://p")) }
        #expect(throws: HostSettingsError.self) { try set("proxy", nil) }
        #expect(FileManager.default.contents(atPath: user) == Data(bad.utf8))
    }

    @Test func boundsAFile() throws {
        let bound = 1 << 20
        try put("{" + String(repeating: " ", count: bound - 2) + "}", at: .user)
        #expect(throws: Never.self) { try HostSettings(places) }
        try put("{" + String(repeating: " ", count: bound - 1) + "}", at: .user)
        #expect {
            try HostSettings(places)
        } throws: {
            "\($0)" == "\(user): is larger than 1 MiB"
        }
        let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
        try put(#"{"x":\#(deep)}"#, at: .user)
        #expect(throws: Never.self) { try HostSettings(places) }
        try put(#"{"x":[\#(deep)]}"#, at: .user)
        #expect(throws: HostSettingsError.self) { try HostSettings(places) }
        let names = (0..<4_096).map { "\"k\($0)\":0" }.joined(separator: ",")
        try put("{\(names)}", at: .user)
        #expect(throws: Never.self) { try HostSettings(places) }
        // Nothing is written that could not be read again.
        #expect {
            try set("proxy", .url("http://p"))
        } throws: {
            ($0 as? HostSettingsError)?.code == .cannotWrite
        }
        #expect(text(user) == "{\(names)}")
        try put("{\(names),\"k\":0}", at: .user)
        #expect(throws: HostSettingsError.self) { try HostSettings(places) }
    }

    @Test(arguments: ["folder", "fifo"]) func whatIsNoFileIsRefusedWithoutWaiting(kind: String)
        throws
    {
        try put("{}", at: .user)
        try FileManager.default.removeItem(atPath: user)
        _ = kind == "fifo" ? unsafe mkfifo(user, 0o600) : unsafe mkdir(user, 0o700)
        #expect {
            try HostSettings(places)
        } throws: {
            "\($0)" == "\(user): is no regular file"
        }
    }

    @Test func setKeepsTheRestByteForByte() throws {
        let rest = #""new\"key":{"a":[1,2 , 3]},"n":null,"connections.total":1.50e3"#
        try put("{\(rest)}", at: .user)
        #expect(try set("proxy", .url("http://p")))
        let expected =
            "{\n  \"new\\\"key\": {\"a\":[1,2 , 3]},\n  \"n\": null,\n"
            + "  \"connections.total\": 1.50e3,\n  \"proxy\": \"http://p\"\n}\n"
        #expect(text(user) == expected)
        let file = try #require(try HostSettings(places).files.first)
        #expect(file.unknown == ["new\"key"])
        // A wrong value is set right.
        #expect(try set("connections.total", .count(5)))
        #expect(text(user) == expected.replacingOccurrences(of: "1.50e3", with: "5"))
        #expect(try set("proxy", nil))
        #expect(try set("connections.total", nil))
        #expect(try reading("proxy").value == nil)
        #expect(text(user)?.contains("new\\\"key") == true)
    }

    /// U+212A is a K to Unicode, and so is "é" written in two ways; to a file they differ.
    @Test func keysAreTheSameByTheirBytesOnly() throws {
        let kelvin = "quota.\u{212A}"
        try put("{\"\(kelvin)\":1,\"caf\u{E9}\":2,\"cafe\u{301}\":3}", at: .user)
        #expect(try reading("quota.K").value == nil)
        #expect(try HostSettings(places).files.first?.unknown.count == 3)
        #expect(try set("quota.K", .size(ByteCount(bytes: 5))))
        let expected =
            "{\n  \"\(kelvin)\": 1,\n  \"caf\u{E9}\": 2,\n  \"cafe\u{301}\": 3,\n  \"quota.K\": 5\n}\n"
        #expect(FileManager.default.contents(atPath: user) == Data(expected.utf8))
        #expect(try set("quota.K", nil))
        #expect(try HostSettings(places).files.first?.unknown.count == 3)
    }

    @Test func setMakesTheFileWithItsFoldersAndModes() throws {
        #expect(try set("connections.total", .count(3)))
        #expect(try set("connections.total", .count(4), at: .system))
        #expect(mode(user) == 0o600)
        #expect(mode("\(folder.path)/c/bahost") == 0o700)
        #expect(mode(places.system) == 0o644)
        #expect(mode("\(folder.path)/e") == 0o755)
        #expect(text(user) == "{\n  \"connections.total\": 3\n}\n")
        #expect(folder.contents(of: "c/bahost") == ["settings.json", "settings.json.lock"])
    }

    @Test func whatChangesNothingWritesNothing() throws {
        #expect(try !set("proxy", nil))
        #expect(folder.contents(of: "c").isEmpty)
        try put(#"{"connections.total":3}"#, at: .user)
        #expect(try !set("connections.total", .count(3)))
        #expect(try !set("proxy", nil))
        #expect(text(user) == #"{"connections.total":3}"#)
    }

    @Test func aLinkStaysALink() throws {
        try put("{}", at: .user)
        let real = try folder.write("dotfile.json", #"{"x":1}"#)
        try FileManager.default.removeItem(atPath: user)
        try FileManager.default.createSymbolicLink(atPath: user, withDestinationPath: real)
        #expect(try set("connections.total", .count(3)))
        #expect(text(real) == "{\n  \"x\": 1,\n  \"connections.total\": 3\n}\n")
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: user)) == real)
    }

    /// What a process left that ended in the middle of writing.
    @Test func aDraftThatWasLeftIsNoHindrance() throws {
        try put("{}", at: .user)
        try Data("{half".utf8).write(to: URL(fileURLWithPath: "\(user).new"))
        #expect(try set("connections.total", .count(3)))
        #expect(folder.contents(of: "c/bahost") == ["settings.json", "settings.json.lock"])
    }

    @Test func ofManyChangesAtOnceNoneIsLost() async throws {
        let path = user
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    guard let key = SettingKey(untrusted: "background-refresh.app\(number)") else {
                        return false
                    }
                    let change = SettingsChange(key, to: .toggle(true), at: .user, path: path)
                    return (try? change.write()) == true
                }
            }
            for await written in group { #expect(written) }
        }
        let keys = try HostSettings(places).keys.filter { $0.setting.family == .app }
        #expect(keys.count == 40)
    }

    @Test(.enabled(if: geteuid() == 0)) func rootDoesNotWriteInAUsersFolder() throws {
        try put("{}", at: .user)
        unsafe chown(user, 1_000, 1_000)
        unsafe chown("\(folder.path)/c/bahost", 1_000, 1_000)
        #expect {
            try set("connections.total", .count(3))
        } throws: {
            "\($0)".hasSuffix("belongs to user 1000: set it as that user")
        }
        #expect(text(user) == "{}")
    }

    @Test(.enabled(if: geteuid() == 0)) func rootFollowsNoLinkOfAUsers() throws {
        try put("{}", at: .system)
        unsafe symlink("\(folder.path)/e", "\(folder.path)/c")
        unsafe lchown("\(folder.path)/c", 1_000, 1_000)
        #expect {
            try set("connections.total", .count(3))
        } throws: {
            "\($0)".hasSuffix("\(folder.path)/c belongs to user 1000: set it as that user")
        }
        #expect(folder.contents(of: "e") == ["settings.json"])
        // Its own it follows.
        unsafe lchown("\(folder.path)/c", 0, 0)
        #expect(try set("connections.total", .count(3)))
        #expect(text("\(folder.path)/e/bahost/settings.json")?.contains("3") == true)
    }

    /// Also one that leads to nothing yet.
    @Test(arguments: ["../../f/s.json", "/f/s.json"]) func aLinkStaysALink(target: String) throws {
        try put("{}", at: .user)
        let whole = target.hasPrefix("/") ? folder.path + target : target
        try FileManager.default.removeItem(atPath: user)
        try FileManager.default.createSymbolicLink(atPath: user, withDestinationPath: whole)
        for count in [3, 4] as [Int64] {
            #expect(try set("connections.total", .count(count)))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: user) == whole)
            #expect(try reading("connections.total").value == .count(count))
        }
        #expect(folder.contents(of: "f") == ["s.json", "s.json.lock"])
        #expect(folder.contents(of: "c/bahost") == ["settings.json"])
    }

    @Test func linksInACircleAreRefused() throws {
        unsafe symlink("d", "\(folder.path)/c")
        unsafe symlink("c", "\(folder.path)/d")
        #expect {
            try set("connections.total", .count(3))
        } throws: {
            "\($0)".hasSuffix("Too many levels of symbolic links")
        }
    }
}
