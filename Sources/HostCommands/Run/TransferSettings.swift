internal import DownloadScheduler
internal import HTTPClient
package import HostEngine
package import HostSettings
internal import LinuxSystem

/// What the operator's and the user's settings say about transfers, and what they may fill.
package struct TransferSettings {
    private let settings: HostSettings

    /// - Parameter environment: As ``SettingsPlaces`` takes it.
    /// - Throws: ``HostSettingsError`` when a file is there and cannot be used.
    package init(environment: [String: String]) throws(HostSettingsError) {
        settings = try HostSettings(SettingsPlaces(environment: environment))
    }

    /// - Throws: ``HostSettingsError`` for a value that cannot be used: it is not known then what its
    ///   writer wanted.
    package func configuration() throws(HostSettingsError) -> DownloadQueue.Configuration {
        var configuration = DownloadQueue.Configuration()
        let caps = configuration.caps
        configuration.caps = TransferCaps(
            perHost: try count("connections.per-host", or: caps.perHost),
            total: try count("connections.total", or: caps.total))
        if case .size(let rate) = try value("bandwidth.background") {
            configuration.backgroundRate = rate
        }
        if case .url(let text) = try value("proxy") {
            configuration.transfers.proxy = try proxy(text)
        }
        return configuration
    }

    /// What a group may keep, in bytes; nil where only the disk is a bound.
    ///
    /// - Throws: ``HostSettingsError`` for a value that cannot be used.
    package func quotaBytes(of group: String) throws(HostSettingsError) -> UInt64? {
        for name in ["quota.\(group)", "quota"] {
            if case .size(let size) = try value(name) { return size.bytes }
        }
        return nil
    }

    /// What is kept free on the file system of a container.
    ///
    /// - Throws: ``HostSettingsError`` for a value that cannot be used.
    package func freeSpace() throws(HostSettingsError) -> FreeSpaceThresholds {
        var thresholds = FreeSpaceThresholds()
        if case .size(let low) = try value("free-space.low") { thresholds.lowBytes = low.bytes }
        if case .size(let high) = try value("free-space.high") {
            thresholds.highBytes = high.bytes
        }
        return thresholds
    }

    /// The address is not told again: it may have a password in it.
    private func proxy(_ text: String) throws(HostSettingsError) -> HTTPProxy {
        if let proxy = HTTPProxy(untrusted: text) { return proxy }
        let file = settings.files.first { $0.values["proxy"] != nil }
        throw HostSettingsError(
            .badValue, path: file?.path ?? "", key: "proxy",
            message: "is not the address of a proxy")
    }

    private func count(_ name: String, or builtIn: Int) throws(HostSettingsError) -> Int {
        guard case .count(let count) = try value(name) else { return builtIn }
        return Int(count)
    }

    private func value(_ name: String) throws(HostSettingsError) -> SettingValue? {
        guard let key = SettingKey(untrusted: name) else { return nil }
        return try settings.value(of: key).value
    }
}
