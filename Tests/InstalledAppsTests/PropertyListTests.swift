import Foundation
import InstalledApps
import LinuxSystem
import Testing

@Suite struct PropertyListTests {
    private func binary(_ value: Any) throws -> [UInt8] {
        Array(
            try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        )
    }

    /// A chain of `levels` arrays under the top dictionary.
    private func nested(_ levels: Int) -> [UInt8] {
        xml(
            "<key>x</key>" + String(repeating: "<array>", count: levels)
                + String(repeating: "</array>", count: levels))
    }

    /// A binary list of the given objects, one byte per reference; object 0 is the top.
    private func binary(objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += bigEndian(UInt32(bytes.count))
            bytes += object
        }
        let table = UInt32(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 1]
        bytes += [0, 0, 0, 0] + bigEndian(UInt32(objects.count))
        bytes += [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0] + bigEndian(table)
        return bytes
    }

    private func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private func text(_ text: String) -> [UInt8] {
        [0x5F, 0x12] + bigEndian(UInt32(text.utf8.count)) + Array(text.utf8)
    }

    @Test func readsBinaryLists() throws {
        let bytes = try binary([
            "CFBundleIdentifier": "org.example.game", "CFBundleExecutable": "größe",
            "BAMaxInstallSize": 7, "BAUsesAppleHosting": true, "Other": [["a": Data([1])]],
            "BAInitialDownloadRestrictions": ["BADownloadDomainAllowList": ["a.example"]],
        ])
        let info = try AppInfo(plist: bytes, path: "p")
        #expect(info.bundleIdentifier == "org.example.game")
        #expect(info.executable == "größe")
        #expect(info.maximumInstallSize?.bytes == 7)
        #expect(info.usesAppleHosting)
        #expect(info.restrictions?.domains == ["a.example"])
    }

    @Test func readsEntitiesCommentsAndCharacterData() throws {
        let info = try AppInfo(
            plist: xml(
                "<!-- <array> > --><key>CFBundleExecutable</key>"
                    + "<string>a&amp;b<![CDATA[<dict>]]></string>"), path: "p")
        #expect(info.executable == "a&b<dict>")
    }

    @Test func acceptsABeginningWithoutDeclaration() throws {
        let text = "\n<plist><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>"
        #expect(try AppInfo(plist: Array(text.utf8), path: "p").bundleIdentifier == "a")
    }

    @Test func boundsTheNestingOfXML() throws {
        #expect(try AppInfo(plist: nested(63), path: "p").bundleIdentifier == "org.example.game")
        #expect(refusal(of: nested(64))?.code == .tooDeep)
        #expect(refusal(of: nested(64))?.message == "is nested deeper than 64 levels")
        #expect(refusal(of: nested(500_000))?.code == .tooDeep)
    }

    @Test func boundsTheNestingOfBinaryLists() throws {
        func wrapped(_ levels: Int) throws -> [UInt8] {
            var value: Any = "x"
            for _ in 0..<levels { value = [value] }
            return try binary(["CFBundleIdentifier": "a", "x": value])
        }
        #expect(try AppInfo(plist: wrapped(63), path: "p").bundleIdentifier == "a")
        #expect(try refusal(of: wrapped(64))?.code == .tooDeep)
    }

    @Test func boundsTheSize() throws {
        let begin = xml("<key>x</key><string>", identifier: "a")
        let end = Array("</string></dict></plist>".utf8)
        let head = begin.dropLast("</dict></plist>".utf8.count)
        let filler = PropertyList.maximumSize - head.count - end.count
        var bytes = head + [UInt8](repeating: UInt8(ascii: "x"), count: filler) + end
        #expect(bytes.count == PropertyList.maximumSize)
        #expect(try AppInfo(plist: Array(bytes), path: "p").bundleIdentifier == "a")
        bytes.append(UInt8(ascii: " "))
        #expect(refusal(of: Array(bytes))?.code == .tooLarge)
    }

    @Test func refusesABinaryListThatHoldsItself() {
        #expect(refusal(of: binary(objects: [[0xA1, 0]]))?.code == .tooDeep)
    }

    @Test func refusesABinaryListThatGrowsByRepeats() {
        let levels = (0..<40).map { [UInt8(0xA2), UInt8($0 + 1), UInt8($0 + 1)] }
        let error = refusal(of: binary(objects: levels + [[0x08]]))
        #expect(error?.code == .tooDeep)
        #expect(error?.message == "holds more than 100000 values")
    }

    @Test func boundsTheValuesOfXML() throws {
        func list(_ count: Int) -> [UInt8] {
            // Six tags around them, a declaration and a document type.
            let values = String(repeating: "<true/>", count: count - 8)
            return xml("<key>x</key><array>\(values)</array>")
        }
        #expect(try AppInfo(plist: list(100_000), path: "p").bundleIdentifier == "org.example.game")
        #expect(refusal(of: list(100_001))?.message == "holds more than 100000 values")
    }

    @Test func boundsTheValuesOfBinaryLists() throws {
        func list(extra: [UInt8]) -> [UInt8] {
            // 49,996 items, twice, and eight values around them.
            let many = [0xAF, 0x11, 0xC3, 0x4C] + [UInt8](repeating: 6, count: 49_996)
            let outer: [UInt8] = [0xA3 + UInt8(extra.count), 5, 5, 6] + extra
            return binary(
                objects: [
                    [0xD2, 1, 2, 3, 4], text("CFBundleIdentifier"), text("x"), text("a"), outer,
                    many, [0x09],
                ])
        }
        #expect(try AppInfo(plist: list(extra: []), path: "p").bundleIdentifier == "a")
        #expect(refusal(of: list(extra: [6]))?.message == "holds more than 100000 values")
    }

    @Test func refusesABinaryListThatRepeatsALongText() throws {
        let long = text(String(repeating: "x", count: 1 << 20))
        func list(repeats: UInt8) -> [UInt8] {
            let top: [UInt8] = [0xD2, 1, 2, 3, 4]
            let items = [0xAF, 0x10, repeats] + [UInt8](repeating: 5, count: Int(repeats))
            return binary(
                objects: [top, text("CFBundleIdentifier"), text("x"), text("a"), items, long])
        }
        #expect(try AppInfo(plist: list(repeats: 15), path: "p").bundleIdentifier == "a")
        #expect(refusal(of: list(repeats: 16))?.message == "repeats too much text")
    }

    /// Two values for one key: which one counts would be left to chance.
    @Test(arguments: [[0x5F], [0x6F]] as [[UInt8]])
    func refusesABinaryListWithAKeyTwice(kind: [UInt8]) {
        let wide = kind == [0x6F]
        let name = "CFBundleIdentifier"
        let again =
            wide
            ? [0x6F, 0x10, UInt8(name.utf8.count)] + name.utf8.flatMap { [0, $0] } : text(name)
        let top: [UInt8] = [0xD2, 1, 2, 3, 4]
        func list(_ second: [UInt8]) -> [UInt8] {
            binary(objects: [top, text(name), second, text("a"), text("b")])
        }
        #expect(refusal(of: list(text("x"))) == nil)
        #expect(refusal(of: list(again))?.message == "has a key twice in one dictionary")
    }

    @Test(
        arguments: [
            "<key>CFBundleIdentifier</key><string>b</string>",
            "<key>x</key><true/><key>x</key><true/>",
            "<key>x</key><array><dict><key>y</key><true/><key>y</key><true/></dict></array>",
            "<key>CFBundleIdentifier</key ><string>b</string>",
            "<key >CFBundleIdentifier</key><string>b</string>",
            // The sign for kelvin, which is canonically equivalent to K.
            "<key>BAK</key><true/><key>BA\u{212A}</key><true/>",
        ])
    func refusesXMLWithAKeyTwice(inner: String) {
        #expect(refusal(of: xml(inner))?.message == "has a key twice in one dictionary")
    }

    @Test func acceptsOneKeyInTwoDictionaries() {
        let inner = "<key>CFBundleIdentifier</key><string>b</string><key>y</key><dict/>"
        let other = "<key>x</key><dict>\(inner)</dict><key>z</key><dict>\(inner)</dict>"
        #expect(refusal(of: xml(other)) == nil)
    }

    @Test(arguments: ["&#66;AMaxInstallSize", "<!-- -->a", "<![CDATA[a]]>", "<true/>"])
    func refusesAKeyThatIsNotPlain(key: String) {
        #expect(
            refusal(of: xml("<key>\(key)</key><true/>"))?.message
                == "holds a key that is not plain text")
    }

    @Test(
        arguments: [
            [], [0], Array("bplist00".utf8),
            Array("bplist00".utf8) + [UInt8](repeating: 0, count: 32),
            Array("bplist00".utf8) + [UInt8](repeating: 255, count: 64), Array("{ a = b; }".utf8),
            Array("(((((((((".utf8), Array("{\"a\":1}".utf8), Array("<plist>".utf8),
            Array("<plist><dict>".utf8), Array("<?xml".utf8), Array("<plist><dict></array>".utf8),
            Array("<plist><dict/></dict></plist>".utf8), Array("<plist><!-- ".utf8),
            [0xFF, 0xFE, 60, 0],
            Array("<plist>\u{0}</plist>".utf8), Array("<plist><html/></plist>".utf8),
            Array("<plist><dict a=\"/>\"></dict></plist>".utf8), Array("<plist><!--></plist>".utf8),
            Array("<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><dict/></plist>".utf8),
            Array("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>".utf8),
            [60, 112, 0xC3, 0x28],
        ] as [[UInt8]])
    func refusesWhatIsNoPropertyList(bytes: [UInt8]) {
        let error = refusal(of: bytes)
        #expect(error?.code == .malformed)
        #expect(error?.key == nil)
        #expect(error?.description.hasPrefix("App/Info.plist: ") == true)
    }

    @Test(arguments: ["<array/>", "<string>x</string>", "<true/>"])
    func refusesATopThatIsNoDictionary(value: String) {
        #expect(refusal(of: Array("<plist>\(value)</plist>".utf8))?.code == .wrongType)
    }

    @Test func survivesDamageEverywhere() throws {
        let good = try binary([
            "CFBundleIdentifier": "org.example.game", "BAMaxInstallSize": 70_000,
            "BAInitialDownloadRestrictions": ["BADownloadDomainAllowList": ["a.example"]],
        ])
        var refused = 0
        for index in good.indices {
            for value in [UInt8(0), 0x0F, 0x5F, 0xAF, 0xDF, 0xFF] {
                var bytes = good
                bytes[index] = value
                refused += refusal(of: bytes) == nil ? 0 : 1
            }
        }
        #expect(refused > good.count)
        for length in good.indices {
            #expect(refusal(of: Array(good[..<length])) != nil)
        }
    }
}
