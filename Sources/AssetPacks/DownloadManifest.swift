package import BoundedJSON
package import WireProtocol

/// A download manifest: what a server that hosts packs itself says there is.
///
/// Apple's form, as `ba-package download-manifest` writes it: an object whose `assetPacks` lists
/// `id`, `downloadSize`, `downloadPolicy`, and if need be `version` (0), `language` and `userInfo`.
/// `url`, `host` and fields that are not named here are not looked at. docs/publisher.md.
package struct DownloadManifest: Hashable, Sendable {
    package static let maximumSize = 16 << 20
    package static let maximumDepth = 64
    package static let maximumPacks = 100_000

    /// In the manifest's order; no identifier twice.
    package let packs: [AssetPackDescription]

    /// Reads bytes from outside.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - path: Its name, for messages.
    /// - Throws: ``BoundedJSONError``, which names the file and the field.
    package init(untrusted bytes: [UInt8], path: String) throws(BoundedJSONError) {
        let bound = JSONBound(
            size: DownloadManifest.maximumSize, depth: DownloadManifest.maximumDepth)
        let top = try JSONDocument.read(untrusted: bytes, path: path, bound: bound)
        let values = try top.array("assetPacks", atMost: DownloadManifest.maximumPacks)
        var seen: [String: Int] = [:]
        var packs: [AssetPackDescription] = []
        packs.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            let reader = try FieldReader(value, path: path, field: "assetPacks[\(index)]")
            let pack = try AssetPackDescription(reader)
            if let first = seen.updateValue(index, forKey: pack.identifier) {
                throw reader.bad("id", "is that of assetPacks[\(first)] too")
            }
            packs.append(pack)
        }
        self.packs = packs
    }
}

extension AssetPackDescription {
    fileprivate init(_ reader: FieldReader) throws(BoundedJSONError) {
        let identifier = try reader.required(
            "id", reader.text("id", atMost: WireBound.identifierBytes))
        let language = try reader.text("language", atMost: WireBound.identifierBytes) ?? ""
        let userInfo = try reader.objectBytes("userInfo", atMost: WireBound.userInfoBytes) ?? []
        do throws(WireError) {
            try self.init(identifier: identifier, language: language, userInfo: userInfo)
        } catch {
            // The reader has checked all of it with the same bounds.
            throw reader.bad("id", "cannot be used: \(error)")
        }
        version = try reader.count("version") ?? 0
        downloadBytes = UInt64(
            clamping: try reader.required("downloadSize", reader.count("downloadSize")))
        try read(reader.required("downloadPolicy", reader.object("downloadPolicy")))
    }

    /// An object with exactly one key, which is the policy.
    private mutating func read(_ reader: FieldReader) throws(BoundedJSONError) {
        let names: KeyValuePairs<String, PackPolicy> = [
            "essential": .essential, "prefetch": .prefetch, "onDemand": .onDemand,
        ]
        guard reader.names.count == 1, let name = names.first(where: { reader.names == [$0.key] })
        else {
            throw reader.bad(
                nil, "must hold exactly one of essential, prefetch and onDemand")
        }
        policy = name.value
        let inner = try reader.required(name.key, reader.object(name.key))
        guard policy != .onDemand else { return }
        for (index, event) in try inner.array("installationEventTypes", atMost: 16).enumerated() {
            switch event.text {
            case "firstInstallation": appliesToFirstInstallation = true
            case "subsequentUpdate": appliesToSubsequentUpdate = true
            default:
                throw inner.bad(
                    "installationEventTypes[\(index)]",
                    "must be \"firstInstallation\" or \"subsequentUpdate\"")
            }
        }
    }
}
