internal import Glibc
internal import LinuxSystem

/// The machine that the suite ran on.
package struct MachineFacts: Hashable, Sendable {
    /// Its release.
    package let kernel: String
    package let architecture: String
    package let processors: Int
    package let memoryBytes: UInt64
    package let isRoot: Bool

    /// Reads them.
    package static func read() -> MachineFacts {
        let memory = KilobyteLines(path: "/proc/meminfo")
        return MachineFacts(
            kernel: KernelVersion.current().release, architecture: builtFor,
            processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
            memoryBytes: memory?.sum("MemTotal") ?? 0, isRoot: geteuid() == 0)
    }

    private static var builtFor: String {
        #if arch(x86_64)
            "x86-64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }
}
