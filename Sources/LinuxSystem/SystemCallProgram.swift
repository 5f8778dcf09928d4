internal import CLinuxShims
internal import Glibc

/// A system call filter as the kernel takes it, built once and installed in many processes.
///
/// `seccomp(2)`: instructions of 8 bytes each.
package struct SystemCallProgram: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Takes what `write` puts into a file in memory.
    ///
    /// - Parameter write: Gets the file's descriptor.
    /// - Throws: ``SystemError``, also the body's.
    package init(writtenBy write: (Int32) throws(SystemError) -> Void) throws(SystemError) {
        let raw = try SystemError.check(
            unsafe bah_open_memory_file("filter"), "memfd_create", "filter")
        let file = OwnedDescriptor(adopting: raw)
        try write(file.raw)
        try SystemError.checkErrno(
            lseek(file.raw, 0, SEEK_SET) < 0 ? -1 : 0, "lseek", "filter")
        bytes = try DescriptorIO.readAll(file.raw, limit: 65_536, subject: "filter")
    }

    /// Puts it in force for this thread and all it starts.
    package func install() throws(SystemError) {
        let status = unsafe bytes.withUnsafeBytes { room in
            unsafe room.baseAddress.map { unsafe bah_install_filter($0, room.count) } ?? -EINVAL
        }
        try SystemError.check(status, "seccomp", "filter")
    }
}
