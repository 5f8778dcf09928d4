internal import Glibc
internal import LinuxSystem

/// Where the Swift runtime that plugins are linked against lies on this machine.
package enum SwiftRuntime {
    /// The toolchain this host was built with; a plugin's tag must name the same.
    package static var toolchain: String {
        #if compiler(>=6.4)
            "swift-6.4"
        #else
            "swift-6.3"
        #endif
    }

    /// The folders that hold `libswiftCore.so`, best first.
    ///
    /// `BAHOST_SWIFT_RUNTIME` alone decides when it is set; else the toolchain of the `swift` on the
    /// search path, then Debian's places.
    package static func folders(environment: [String: String]) -> [String] {
        if let named = environment["BAHOST_SWIFT_RUNTIME"], named.hasPrefix("/") {
            return [named].filter(holdsRuntime)
        }
        let besideCompiler = (environment["PATH"] ?? "").split(separator: ":").lazy
            .compactMap { Paths.resolved("\($0)/swift") }
            .compactMap { Paths.resolved("\(Paths.folder(of: $0))/../lib/swift/linux") }
            .first(where: holdsRuntime)
        let usual = ["/usr/lib/swift/linux", "/usr/libexec/swift/lib/swift/linux"]
        return (besideCompiler.map { [$0] } ?? []) + usual.filter(holdsRuntime)
    }

    private static func holdsRuntime(_ folder: String) -> Bool {
        unsafe access("\(folder)/libswiftCore.so", R_OK) == 0
    }
}

/// Who a worker runs as.
package enum WorkerIdentity {
    /// The user and group of workers of a host that is uid 0: one that owns nothing else.
    package static let dedicated: UInt32 = 61_790

    /// Nil for an ordinary user's host, whose workers keep its id.
    package static func forThisHost() -> UInt32? {
        geteuid() == 0 ? dedicated : nil
    }
}
