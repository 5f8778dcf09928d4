public import Foundation

extension FileManager {
    /// The folder of an app group, shared by the app and its extension.
    ///
    /// Inside an extension, once the host has named it: for an install, update or periodic request
    /// the app's first group, for a finished download the group it belongs to.
    ///
    /// - Parameter groupIdentifier: Such as `group.org.example.podcasts`.
    /// - Returns: nil for a group that is not known here, and outside an extension.
    ///
    /// Source: Apple's function of this name, which Foundation lacks on Linux.
    public func containerURL(
        forSecurityApplicationGroupIdentifier groupIdentifier: String
    ) -> URL? {
        RunState.shared.container(ofGroup: groupIdentifier)
            .map { URL(fileURLWithPath: $0, isDirectory: true) }
    }
}
