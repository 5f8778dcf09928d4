public import Foundation

/// An asset pack that the host may download: what `shouldDownload(_:)` decides about.
///
/// A value: it does not follow the pack when the server offers another version.
///
/// Source: Apple's `AssetPack`; `bahost_asset_pack` in `bahost/types.h`.
public struct AssetPack: Hashable, Identifiable, Sendable {
    /// The pack's identifier.
    public let id: String
    /// The version offered.
    public let version: Int
    /// Bytes to download: the whole pack, compressed.
    public let downloadSize: Int
    /// The publisher's own JSON from the pack's manifest; nil without one.
    public let userInfo: Data?
    /// Bytes on disk once it is installed.
    ///
    /// This host's own.
    public let installedSize: Int
    /// The version that is installed; nil: none.
    ///
    /// This host's own.
    public let localVersion: Int?

    /// BCP 47; kept as text, since parsing it reads ICU's tables.
    let languageIdentifier: String?

    /// The language the pack is for; nil: for every language.
    public var language: Locale.Language? {
        languageIdentifier.map { Locale.Language(identifier: $0) }
    }
}
