internal import Foundation
internal import Synchronization

/// The one extension of this library.
///
/// `main` registers how to make it; the first entry point makes it.
final class ExtensionRegistry: Sendable {
    static let shared = ExtensionRegistry()

    /// An extension, or how to make one.
    // Entry points run one at a time on one thread. Only `extensionWillTerminate` comes on another,
    // and its contract says so.
    private struct Registered: @unchecked Sendable {
        let make: () -> any BADownloaderExtension
        var made: (any BADownloaderExtension)?
    }

    private let registered = Mutex<Registered?>(nil)

    /// Takes the place of an extension registered before.
    func register(_ make: @escaping () -> any BADownloaderExtension) {
        let new = Registered(make: make)
        registered.withLock { $0 = new }
    }

    /// The extension, made at the first call; nil when nothing was registered.
    func instance() -> (any BADownloaderExtension)? {
        let known = registered.withLock { $0 }
        if let made = known?.made { return made }
        // Not under the lock: the initialiser is the author's.
        guard var known else { return nil }
        let made = known.make()
        known.made = made
        let updated = known
        registered.withLock { $0 = updated }
        return made
    }

    /// The extension if it has been made.
    var existingInstance: (any BADownloaderExtension)? {
        registered.withLock { $0 }?.made
    }
}
