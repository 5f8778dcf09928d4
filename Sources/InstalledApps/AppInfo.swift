package import LinuxSystem

/// What an app's `Info.plist` says that matters here; every value checked.
///
/// Keys of both generations (Apple's documentation of 2022 and of 2023 and later) and three of our
/// own. Keys that are not named here are ignored.
package struct AppInfo: Hashable, Sendable {
    /// `CFBundleIdentifier`: 1 to 255 bytes of letters, digits, `-` and `.`, no empty label.
    package let bundleIdentifier: String
    /// `CFBundleShortVersionString`.
    package let version: String?
    /// `CFBundleExecutable`, a file name.
    package let executable: String?
    /// `BAManifestURL`, as written.
    package let manifestURL: String?
    /// `BAInitialDownloadRestrictions`; nil when there is none.
    package let restrictions: DownloadRestrictions?
    /// `BAMaxInstallSize`.
    package let maximumInstallSize: ByteCount?
    /// `BAEssentialMaxInstallSize`.
    package let maximumEssentialInstallSize: ByteCount?
    /// `BAAppGroupID` first, then `com.apple.security.application-groups`, without repeats.
    ///
    /// With neither `group.<bundle identifier>`; never empty.
    package let groups: [String]
    /// `BahostExtension`: the plugin, a path inside the app's folder.
    package let extensionPath: String?
    /// `BahostCataloguePublicKey`.
    package let cataloguePublicKey: String?
    /// `BahostAllowPrivateNetworks`; obeyed in developer mode only.
    package let allowsPrivateNetworks: Bool
    /// `BAHasManagedAssetPacks`.
    package let hasManagedAssetPacks: Bool
    /// `BAUsesAppleHosting`.
    package let usesAppleHosting: Bool
    /// What the app's author should mend; each a sentence that names the file and the key.
    package let warnings: [String]

    /// The group that a plain run uses.
    package var mainGroup: String { groups.first ?? "group.\(bundleIdentifier)" }
}

/// `BAInitialDownloadRestrictions`: what may be fetched before the first launch.
package struct DownloadRestrictions: Hashable, Sendable {
    /// `BADownloadAllowance`; nil when the key is missing.
    package let allowance: ByteCount?
    /// `BAEssentialDownloadAllowance`.
    package let essentialAllowance: ByteCount?
    /// `BADownloadDomainAllowList`; empty admits nothing; the policy checks them as host names.
    package let domains: [String]
}

extension AppInfo {
    /// Reads an `Info.plist`, XML or binary.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - path: For messages only; nothing is opened.
    /// - Throws: ``InstalledAppsError`` naming the file and, where there is one, the key.
    package init(plist bytes: [UInt8], path: String) throws(InstalledAppsError) {
        let list = try PropertyList(untrusted: bytes, keys: AppInfo.keys, path: path)
        guard case .dictionary(let entries) = list else {
            throw InstalledAppsError(
                .wrongType, path: path,
                message: "must hold a dictionary at the top, but holds \(list.typeName)")
        }
        var reader = PropertyListReader(entries: entries, path: path)
        bundleIdentifier = try reader.bundleIdentifier("CFBundleIdentifier")
        version = try reader.text("CFBundleShortVersionString")
        executable = try reader.fileName("CFBundleExecutable")
        manifestURL = try reader.text("BAManifestURL", limit: 8192)
        restrictions = try AppInfo.restrictions(&reader)
        maximumInstallSize = try reader.size("BAMaxInstallSize", olderName: "BADownloadSize")
        maximumEssentialInstallSize = try reader.size("BAEssentialMaxInstallSize")
        groups = try AppInfo.groups(&reader, bundleIdentifier: bundleIdentifier)
        extensionPath = try reader.innerPath("BahostExtension")
        cataloguePublicKey = try reader.text("BahostCataloguePublicKey", limit: 1024)
        allowsPrivateNetworks = try reader.flag("BahostAllowPrivateNetworks")
        hasManagedAssetPacks = try reader.flag("BAHasManagedAssetPacks")
        usesAppleHosting = try reader.flag("BAUsesAppleHosting")
        warnings = reader.warnings
    }

    private static let keys: Set<String> = [
        "AllowList", "BAAppGroupID", "BADownloadAllowance", "BADownloadDomainAllowList",
        "BADownloadSize", "BAEssentialDownloadAllowance", "BAEssentialMaxInstallSize",
        "BAHasManagedAssetPacks", "BAInitialDownloadRestrictions", "BAManifestURL",
        "BAMaxInstallSize", "BAUsesAppleHosting", "BahostAllowPrivateNetworks",
        "BahostCataloguePublicKey", "BahostExtension", "CFBundleExecutable", "CFBundleIdentifier",
        "CFBundleShortVersionString", "DownloadAllowance", "com.apple.security.application-groups",
    ]

    private static func restrictions(
        _ reader: inout PropertyListReader
    ) throws(InstalledAppsError) -> DownloadRestrictions? {
        let key = "BAInitialDownloadRestrictions"
        guard var inner = try reader.dictionary(key) else { return nil }
        let restrictions = DownloadRestrictions(
            allowance: try inner.size("BADownloadAllowance", olderName: "DownloadAllowance"),
            essentialAllowance: try inner.size("BAEssentialDownloadAllowance"),
            domains: try inner.texts("BADownloadDomainAllowList", olderName: "AllowList") ?? [])
        reader.warnings += inner.warnings
        return restrictions
    }

    private static func groups(
        _ reader: inout PropertyListReader, bundleIdentifier: String
    ) throws(InstalledAppsError) -> [String] {
        let main = try reader.group("BAAppGroupID")
        let others = try reader.groups("com.apple.security.application-groups")
        var groups: [String] = []
        var known: Set<String> = []
        for group in (main.map { [$0] } ?? []) + others where known.insert(group).inserted {
            groups.append(group)
        }
        return groups.isEmpty ? ["group.\(bundleIdentifier)"] : groups
    }
}
