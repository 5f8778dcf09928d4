internal import Glibc

/// An ordinary user's rights to files, for one thread.
package enum OrdinaryUser {
    /// Nobody's, unless the tests have an ordinary user of their own.
    package static let identifier: UInt32 = geteuid() == 0 ? 65_534 : geteuid()

    /// True when the tests run as root.
    package static let isRoot = geteuid() == 0

    /// Runs a body on this thread without root's rights to files.
    ///
    /// `setfsuid(2)`, which the overlay of the C library leaves out.
    package static func run(_ body: () throws -> Void) throws {
        typealias SetFileUser = @convention(c) (uid_t) -> Int32
        guard let symbol = unsafe dlsym(nil, "setfsuid") else { throw Missing() }
        let setFileUser = unsafe unsafeBitCast(symbol, to: SetFileUser.self)
        _ = setFileUser(identifier)
        defer { _ = setFileUser(geteuid()) }
        try body()
    }

    package struct Missing: Error {}
}
