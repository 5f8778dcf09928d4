/// An extension of an app whose asset packs the host manages.
///
/// Nothing need be written but, if some packs are not wanted, `shouldDownload(_:)`.
///
/// Source: Apple's `ManagedDownloaderExtension`; `bahost_should_download` in `bahost/plugin.h`.
public protocol ManagedDownloaderExtension: BADownloaderExtension {
    /// Decides about a pack that the host would download by itself.
    ///
    /// Called for many packs in a row, in no special order; be quick.
    ///
    /// - Parameter assetPack: The pack.
    /// - Returns: Whether it is to be downloaded.
    func shouldDownload(_ assetPack: AssetPack) -> Bool
}

extension ManagedDownloaderExtension {
    /// Wants every pack.
    public func shouldDownload(_ assetPack: AssetPack) -> Bool { true }
}

/// The same for packs that a store hosts, as Apple names it; here there is no difference.
public protocol StoreDownloaderExtension: ManagedDownloaderExtension {}
