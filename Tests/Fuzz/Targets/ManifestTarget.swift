import AssetPacks
import BoundedJSON
import FoundationEssentials
import WireProtocol

/// A download manifest, held against what another JSON reader finds in the same bytes.
enum ManifestTarget {
    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        let manifest: DownloadManifest
        do throws(BoundedJSONError) {
            manifest = try DownloadManifest(untrusted: input, path: "m")
        } catch {
            return try expectPrintable("\(error)", atMost: 1_024)
        }
        try expect(
            (try? DownloadManifest(untrusted: input, path: "m")) == manifest,
            "a manifest reads differently the second time")
        try expect(manifest.packs.count <= DownloadManifest.maximumPacks, "too many packs")
        try expect(
            Set(manifest.packs.map(\.identifier)).count == manifest.packs.count,
            "an identifier stands twice")
        for pack in manifest.packs { try checkPack(pack) }
        try checkAgainstOther(manifest, input)
    }

    /// Each pack can be asked about.
    private static func checkPack(_ pack: AssetPackDescription) throws(BrokenPromise) {
        try expect((1...255).contains(pack.identifier.utf8.count), "an identifier's length")
        try expect(pack.userInfo.count <= WireBound.userInfoBytes, "too much user info")
        try expect(pack.version >= 0, "a negative version")
        guard let batch = PackBatch(prefixOf: [pack]) else { throw BrokenPromise("no batch") }
        let message = HostMessage.call(.packs(batch))
        let again = try? HostMessage(message.frame())
        try expect(again == message, "a pack does not come back from the wire")
    }

    private struct Other: Decodable {
        struct Pack: Decodable {
            let id: String
            let downloadSize: UInt64
            let version: Int64?
            let language: String?
        }
        let assetPacks: [Pack]
    }

    /// Two readers never find two things; the other one may be stricter.
    private static func checkAgainstOther(
        _ manifest: DownloadManifest, _ input: [UInt8]
    ) throws(BrokenPromise) {
        guard let other = try? JSONDecoder().decode(Other.self, from: Data(input)) else { return }
        try expect(other.assetPacks.count == manifest.packs.count, "another number of packs")
        for (pack, twin) in zip(manifest.packs, other.assetPacks) {
            try expect(
                pack.identifier.utf8.elementsEqual(twin.id.utf8)
                    && pack.downloadBytes == twin.downloadSize
                    && pack.version == twin.version ?? 0
                    && pack.language.utf8.elementsEqual((twin.language ?? "").utf8),
                "another reader finds another pack")
        }
    }
}
