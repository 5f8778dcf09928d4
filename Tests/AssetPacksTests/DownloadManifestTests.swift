import AssetPacks
import BoundedJSON
import TestSupport
import Testing
import WireProtocol

@Suite struct DownloadManifestTests {
    private func read(_ text: String) throws -> [AssetPackDescription] {
        try DownloadManifest(untrusted: Array(text.utf8), path: "m.json").packs
    }

    private func refusal(_ text: String) -> BoundedJSONError? {
        do throws(BoundedJSONError) {
            _ = try DownloadManifest(untrusted: Array(text.utf8), path: "m.json")
            return nil
        } catch {
            return error
        }
    }

    /// One pack with one field put in place of the one that would be there.
    private func pack(_ changes: [String: String]) -> String {
        var fields = [
            "id": "\"a\"", "downloadSize": "1", "downloadPolicy": #"{"onDemand":{}}"#,
        ]
        for (name, value) in changes { fields[name] = value.isEmpty ? nil : value }
        let text = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return #"{"assetPacks":[{"# + text.joined(separator: ",") + "}]}"
    }

    @Test func readsWhatAServerServes() throws {
        let packs = try read(
            #"""
            {"assetPacks" : [
              {"id": "level-1", "url": "https://cdn.example.org/level-1", "version": 3,
               "downloadSize": 9223372036854775807, "host": {"thirdParty": {}},
               "downloadPolicy": {"essential": {"installationEventTypes":
                   ["firstInstallation", "subsequentUpdate"]}},
               "userInfo": {"b" : [1.50, "\u00fc"], "a":null}},
              {"id": "Stufe \u00fc\ud83d\ude00\/", "downloadSize": 0, "language": "de-AT",
               "downloadPolicy": {"prefetch": {"installationEventTypes":
                   ["subsequentUpdate"]}}, "userInfo": null, "future": [[{}]]},
              {"downloadPolicy": {"onDemand": {}}, "downloadSize": 5, "id": "c"}
            ], "more": {"x": [true, false, -0.5e+3, ""]}}
            """#)
        #expect(packs.map(\.identifier) == ["level-1", "Stufe ü😀/", "c"])
        #expect(packs.map(\.version) == [3, 0, 0])
        #expect(packs.map(\.downloadBytes) == [9_223_372_036_854_775_807, 0, 5])
        #expect(packs.map(\.policy) == [.essential, .prefetch, .onDemand])
        #expect(packs.map(\.appliesToFirstInstallation) == [true, false, false])
        #expect(packs.map(\.appliesToSubsequentUpdate) == [true, true, false])
        #expect(packs.map(\.language) == ["", "de-AT", ""])
        #expect(packs.map(\.localVersion) == [-1, -1, -1])
        // Byte for byte.
        #expect(
            String(decoding: packs[0].userInfo, as: UTF8.self)
                == #"{"b" : [1.50, "\u00fc"], "a":null}"#)
        #expect(packs[1].userInfo.isEmpty && packs[2].userInfo.isEmpty)
    }

    @Test func noPacksAreAManifest() throws {
        #expect(try read(#"{"assetPacks":[]}"#).isEmpty)
    }

    @Test(arguments: [
        ("{}", BoundedJSONError.Code.missingField, "assetPacks: is missing"),
        ("[]", .wrongType, "must be an object, but is an array"),
        (#"{"assetPacks":{}}"#, .wrongType, "assetPacks: must be an array, but is an object"),
        (#"{"assetPacks":null}"#, .missingField, "assetPacks: is missing"),
        (#"{"assetPacks":[7]}"#, .wrongType, "assetPacks[0]: must be an object, but is a number"),
        (#"{"assetPacks":[],"assetPacks":[]}"#, .badValue, "has \"assetPacks\" twice"),
    ])
    func namesTheFault(text: String, code: BoundedJSONError.Code, sentence: String) {
        #expect(refusal(text)?.code == code)
        #expect(refusal(text)?.description == "m.json: \(sentence)")
    }

    /// A name out of the file is shown cut, and with nothing in it that moves a cursor.
    @Test(arguments: [
        (#"\u001b[2J\u202e"#, "has \"?[2J?\" twice"),
        ("e" + String(repeating: "\u{301}", count: 300), nil),
        (String(repeating: "x", count: 40), "has \"\(String(repeating: "x", count: 40))\" twice"),
        (String(repeating: "x", count: 41), "has \"\(String(repeating: "x", count: 40))…\" twice"),
    ])
    func showsANameThatStandsTwiceSafely(name: String, sentence: String?) throws {
        let found = try #require(refusal(#"{"\#(name)":1,"\#(name)":2}"#))
        #expect(sentence == nil || found.message == sentence)
        #expect(found.message.utf8.count < 200)
        #expect(
            !found.message.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    static let badFields: [(String, String, String)] = [
        ("id", "", "id: is missing"),
        ("id", "7", "id: must be a string, but is a number"),
        ("id", #""""#, "id: must be 1 to 255 bytes long, but is 0"),
        ("id", #""a\nb""#, "id: holds a control character"),
        ("id", #""\ud800""#, "id: holds half a surrogate pair"),
        ("downloadSize", "", "downloadSize: is missing"),
        ("downloadSize", "\"1\"", "downloadSize: must be a number, but is a string"),
        (
            "downloadSize", "-1",
            "downloadSize: must be a whole number from 0 to 9223372036854775807, but is -1"
        ),
        (
            "downloadSize", "9223372036854775808",
            "downloadSize: must be a whole number from 0 to 9223372036854775807, "
                + "but is 9223372036854775808"
        ),
        (
            "version", "1.5",
            "version: must be a whole number from 0 to 9223372036854775807, but is 1.5"
        ),
        ("version", "true", "version: must be a number, but is true or false"),
        ("language", "[]", "language: must be a string, but is an array"),
        ("userInfo", "[]", "userInfo: must be an object, but is an array"),
        ("downloadPolicy", "", "downloadPolicy: is missing"),
        ("downloadPolicy", "\"x\"", "downloadPolicy: must be an object, but is a string"),
        (
            "downloadPolicy", "{}",
            "downloadPolicy: must hold exactly one of essential, prefetch and onDemand"
        ),
        (
            "downloadPolicy", #"{"onDemand":{},"prefetch":{}}"#,
            "downloadPolicy: must hold exactly one of essential, prefetch and onDemand"
        ),
        (
            "downloadPolicy", #"{"later":{}}"#,
            "downloadPolicy: must hold exactly one of essential, prefetch and onDemand"
        ),
        (
            "downloadPolicy", #"{"essential":{}}"#,
            "downloadPolicy.essential.installationEventTypes: is missing"
        ),
        (
            "downloadPolicy", #"{"prefetch":{"installationEventTypes":["never"]}}"#,
            "downloadPolicy.prefetch.installationEventTypes[0]: must be "
                + "\"firstInstallation\" or \"subsequentUpdate\""
        ),
    ]

    @Test(arguments: badFields) func namesEntryAndField(
        field: String, value: String, sentence: String
    ) {
        let text = pack([field: value])
        #expect(refusal(text)?.description == "m.json: assetPacks[0].\(sentence)")
    }

    @Test func anIdentifierTwiceIsRefused() {
        let one = #"{"id":"a","downloadSize":1,"downloadPolicy":{"onDemand":{}}}"#
        let text = #"{"assetPacks":["# + one + "," + one + "]}"
        #expect(
            refusal(text)?.description
                == "m.json: assetPacks[1].id: is that of assetPacks[0] too")
    }

    @Test(arguments: [(255, true), (256, false)])
    func boundsIdentifiers(length: Int, isRead: Bool) {
        let text = pack(["id": "\"" + String(repeating: "a", count: length) + "\""])
        #expect((refusal(text) == nil) == isRead)
    }

    @Test(arguments: [(0, true), (1, false)])
    func boundsUserInfo(more: Int, isRead: Bool) {
        // {"a":""} is 8 bytes long.
        let value = String(repeating: "x", count: WireBound.userInfoBytes - 8 + more)
        #expect((refusal(pack(["userInfo": #"{"a":""# + value + #""}"#])) == nil) == isRead)
    }

    @Test(arguments: [(64, true), (65, false)])
    func boundsTheDepth(depth: Int, isRead: Bool) {
        let inner = depth - 1
        let text =
            #"{"assetPacks":[],"x":"# + String(repeating: "[", count: inner)
            + String(repeating: "]", count: inner) + "}"
        #expect((refusal(text) == nil) == isRead)
        if !isRead { #expect(refusal(text)?.code == .tooMuch) }
    }

    @Test func anEndlessNestingIsRefusedAtOnce() {
        let text = #"{"x":"# + String(repeating: "[", count: 1 << 20)
        #expect(refusal(text)?.message == "is nested deeper than 64 levels")
    }

    @Test(arguments: [(0, true), (1, false)])
    func boundsTheSize(more: Int, isRead: Bool) {
        var bytes = Array(#"{"assetPacks":[]}"#.utf8)
        let room = DownloadManifest.maximumSize - bytes.count
        bytes += [UInt8](repeating: 32, count: room + more)
        let manifest = try? DownloadManifest(untrusted: bytes, path: "m.json")
        #expect((manifest != nil) == isRead)
    }

    @Test(arguments: [(256, true), (257, false)])
    func boundsTheNumberOfFields(count: Int, isRead: Bool) {
        let more = (1..<count).map { #","f\#($0)":0"# }.joined()
        let found = refusal(#"{"assetPacks":[]"# + more + "}")
        #expect((found == nil) == isRead)
        if !isRead { #expect(found?.message == "has more than 256 fields") }
    }

    @Test func boundsTheNumberOfPacks() {
        let items = String(repeating: "0,", count: DownloadManifest.maximumPacks)
        // At the bound the first entry is looked at, past it none is.
        #expect(
            refusal(#"{"assetPacks":["# + items.dropLast() + "]}")?.code == .wrongType)
        #expect(refusal(#"{"assetPacks":["# + items + "0]}")?.code == .tooMuch)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, "[1,]", "[,1]",
        "[1 2]", "{} {}", "nul", "truefalse", "01", "1.", ".5", "1e", "+1", "-", "0x10", "NaN",
        "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u123", "\"a\nb\"", "{1:2}", "[}", "{]",
        "[1}", "// x\n{}", "{\"a\":1 \"b\":2}", "[\"\\\"]", "\u{FEFF}{}",
    ])
    func refusesWhatIsNotJSON(text: String) {
        #expect(refusal(text)?.code == .malformed, "\(text)")
    }

    @Test func refusesBytesThatAreNotUTF8() {
        let bytes = Array(#"{"assetPacks":[],"x":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect {
            try DownloadManifest(untrusted: bytes, path: "m.json")
        } throws: {
            "\($0)" == "m.json: is not UTF-8"
        }
    }

    @Test func tellsWhereTheFaultIs() {
        #expect(refusal(#"{"assetPacks":[tru]}"#)?.message == "is not JSON from byte 15 on")
    }

    /// Changed bytes give a manifest within its bounds or an error, and never a trap.
    @Test func mutatedManifestsNeverTrap() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let good =
            Array(
                #"{"assetPacks":[{"id":"\u00fc\n","version":1,"downloadSize":2,"userInfo":{"a":[1]},"#
                    .utf8)
            + Array(
                #""downloadPolicy":{"prefetch":{"installationEventTypes":["firstInstallation"]}}}]}"#
                    .utf8)
        var errors = 0
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0...Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                default:
                    bytes[place] = Array(#"{}[],:"\0eu"#.utf8).randomElement(using: &random) ?? 0
                }
            }
            do {
                let manifest = try DownloadManifest(untrusted: bytes, path: "m")
                for pack in manifest.packs {
                    #expect((1...255).contains(pack.identifier.utf8.count), "seed \(seed)")
                }
            } catch {
                errors += 1
            }
        }
        #expect(errors > 0, "seed \(seed)")
    }
}
