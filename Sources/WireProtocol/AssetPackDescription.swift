/// When a pack is to be fetched.
package enum PackPolicy: UInt8, Hashable, Sendable, CaseIterable {
    case essential = 1
    case prefetch = 2
    case onDemand = 3
}

/// A pack as a plugin is asked about it; one that exists fits into a frame.
///
/// `bahost_asset_pack`.
package struct AssetPackDescription: Hashable, Sendable {
    /// 1 to 255 bytes without NUL.
    package let identifier: String

    /// BCP 47, at most 255 bytes without NUL; empty: for every language.
    package let language: String

    /// The manifest's JSON, byte for byte; empty: none.
    package let userInfo: [UInt8]
    package var version: Int64 = 0

    /// The version that is installed; -1: none.
    package var localVersion: Int64 = -1
    package var isUpdate = false
    package var downloadBytes: UInt64 = 0
    package var installedBytes: UInt64 = 0
    package var policy = PackPolicy.onDemand
    package var appliesToFirstInstallation = false
    package var appliesToSubsequentUpdate = false

    /// - Throws: ``WireError`` that names the field that is out of its bounds.
    package init(
        identifier: String, language: String = "", userInfo: [UInt8] = []
    ) throws(WireError) {
        let bound = WireBound.identifierBytes
        guard identifier.utf8.count <= bound else { throw WireError(.tooLong, "pack.identifier") }
        guard !identifier.isEmpty else { throw WireError(.badValue, "pack.identifier") }
        guard !identifier.utf8.contains(0) else { throw WireError(.badText, "pack.identifier") }
        guard language.utf8.count <= bound else { throw WireError(.tooLong, "pack.language") }
        guard !language.utf8.contains(0) else { throw WireError(.badText, "pack.language") }
        guard userInfo.count <= WireBound.userInfoBytes else {
            throw WireError(.tooLong, "pack.userInfo")
        }
        self.identifier = identifier
        self.language = language
        self.userInfo = userInfo
    }

    /// What it takes on the wire, for filling a batch.
    package var encodedBytes: Int {
        AssetPackDescription.fixedBytes + identifier.utf8.count + language.utf8.count
            + userInfo.count
    }

    /// Three lengths, four numbers of 64 bits, three flags and the policy.
    private static let fixedBytes = 3 * 4 + 4 * 8 + 4
}

extension AssetPackDescription {
    func write(to encoder: inout WireEncoder) {
        encoder.put(identifier)
        encoder.put(language)
        encoder.put(raw: userInfo)
        encoder.put(version)
        encoder.put(localVersion)
        encoder.put(isUpdate)
        encoder.put(downloadBytes)
        encoder.put(installedBytes)
        encoder.put(policy.rawValue)
        encoder.put(appliesToFirstInstallation)
        encoder.put(appliesToSubsequentUpdate)
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        let bound = WireBound.identifierBytes
        let identifier = try decoder.text(atMost: bound, "pack.identifier")
        let language = try decoder.text(atMost: bound, "pack.language")
        let userInfo = try decoder.block(atMost: WireBound.userInfoBytes, "pack.userInfo")
        try self.init(identifier: identifier, language: language, userInfo: userInfo)
        version = try decoder.int64("pack.version")
        localVersion = try decoder.int64("pack.localVersion")
        isUpdate = try decoder.flag("pack.update")
        downloadBytes = try decoder.uint64("pack.download")
        installedBytes = try decoder.uint64("pack.installed")
        policy = try decoder.word("pack.policy")
        appliesToFirstInstallation = try decoder.flag("pack.first")
        appliesToSubsequentUpdate = try decoder.flag("pack.subsequent")
    }
}

/// As many packs as one call may carry: at most 256, and ``WireBound/batchBytes`` unless a single
/// one is larger.
package struct PackBatch: Hashable, Sendable {
    /// Never empty.
    package let packs: [AssetPackDescription]

    /// Takes the beginning of `packs`; nil when there are none.
    package init?(prefixOf packs: ArraySlice<AssetPackDescription>) {
        var bytes = 0
        let fitting = packs.prefix(WireBound.batchCount).prefix { pack in
            bytes += pack.encodedBytes
            return bytes <= WireBound.batchBytes
        }
        let taken = fitting.isEmpty ? packs.prefix(1) : fitting
        guard !taken.isEmpty else { return nil }
        self.packs = Array(taken)
    }

    private init(decoded packs: [AssetPackDescription]) {
        self.packs = packs
    }
}

extension PackBatch {
    func write(to encoder: inout WireEncoder) {
        encoder.put(list: packs) { $1.write(to: &$0) }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        let packs = try decoder.list(atMost: WireBound.batchCount, "call.packs") {
            input throws(WireError) in
            try AssetPackDescription(from: &input)
        }
        guard !packs.isEmpty else { throw WireError(.badValue, "call.packs") }
        self.init(decoded: packs)
    }
}
