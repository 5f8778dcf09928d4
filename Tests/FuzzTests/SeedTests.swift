import AssetPacks
import DownloadStore
import Foundation
import FuzzTargets
import InstalledApps
import PluginImage
import Testing
import WireProtocol

/// Every committed input, seed or old finding, through the check that the fuzzer runs.
struct SeedTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz")

    private static func seeds(of target: FuzzTarget) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "\(target.rawValue)/seeds"), includingPropertiesForKeys: nil)
    }

    @Test(arguments: FuzzTarget.allCases)
    func everySeedKeepsThePromises(target: FuzzTarget) throws {
        let seeds = try Self.seeds(of: target)
        #expect(seeds.count >= 3)
        for seed in seeds {
            let input = try [UInt8](Data(contentsOf: seed))
            #expect(throws: Never.self, "\(seed.lastPathComponent)") { try target.check(input) }
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func everySeedCutOrChangedKeepsThePromises(target: FuzzTarget) throws {
        for seed in try Self.seeds(of: target) {
            let input = try [UInt8](Data(contentsOf: seed))
            for place in stride(from: 0, to: input.count, by: max(1, input.count / 16)) {
                var changed = input
                changed[place] ^= 0x80
                for bytes in [Array(input[..<place]), changed] {
                    #expect(throws: Never.self, "\(seed.lastPathComponent) at \(place)") {
                        try target.check(bytes)
                    }
                }
            }
        }
    }

    private func seed(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: Self.folder.appending(path: name)))
    }

    /// A seed that is refused at its first byte would leave the fuzzer blind.
    @Test func theGoodSeedsAreRead() throws {
        for name in ["plain", "rich", "aarch64-swift"] {
            let bytes = try seed("image/seeds/\(name)")
            // SAFETY: bytes of integers, all initialised.
            let image = try unsafe PluginImage(
                bytes: bytes.span.bytes, expecting: nil,
                lookingFor: ["bahost_install", "bahost_update"])
            #expect(image.entryPoints.count == 1, "\(name)")
        }
        #expect(
            try DownloadManifest(untrusted: seed("manifest/seeds/two"), path: "m").packs.count == 2)
        for name in ["full-xml", "full-binary"] {
            let info = try AppInfo(plist: seed("plist/seeds/\(name)"), path: "p")
            #expect(info.groups == ["group.x", "group.y"], "\(name)")
        }
        for name in ["finished", "failed", "least", "foreground"] {
            #expect(try RowTarget.record(seed("row/seeds/\(name)")) != nil, "\(name)")
        }
        let file = try RowTarget.publishedFile(seed("row/seeds/published"))
        #expect(file?.sha256 == [UInt8](0..<32))
        let rebuilt = try RowTarget.publishedFile(seed("row/seeds/published-rebuilt"))
        #expect(rebuilt != nil && rebuilt?.sha256 == nil)
    }

    @Test(arguments: [
        ("host-setup", 2), ("host-calls", 2), ("host-downloads", 3), ("worker-calls", 8),
        ("worker-life", 7), ("inspection", 2), ("replies", 3), ("launcher", 6),
    ])
    func everyFrameOfASeedIsAMessage(name: String, count: Int) throws {
        var reader = FrameReader()
        reader.feed(try seed("wire/seeds/\(name)")[...])
        var messages = 0
        while let frame = try reader.next() {
            let isMessage =
                (try? HostMessage(frame)) != nil || (try? WorkerMessage(frame)) != nil
                || (try? LauncherRequest(frame)) != nil || (try? LauncherReport(frame)) != nil
            #expect(isMessage, "kind \(frame.kind)")
            messages += 1
        }
        #expect(messages == count)
        #expect(reader.pendingBytes == 0)
    }
}
