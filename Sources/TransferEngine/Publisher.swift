internal import Glibc
package import LinuxSystem

/// Gives a finished file its name, so that it is there whole or not at all, also after a power cut.
package enum Publisher {
    /// Renames a synced file and syncs the folder it is now in.
    ///
    /// `rename(2)`, `fsync(2)`.
    ///
    /// A file at `destination` is replaced; a folder there is not (EISDIR). The destination's folder
    /// must exist, in the same mount (EXDEV).
    package static func publish(
        _ path: String, to destination: String
    ) throws(SystemError) {
        try SystemError.checkErrno(unsafe rename(path, destination), "rename", destination)
        let folder = Paths.folder(of: destination)
        let opened = try Descriptor.open(folder, flags: O_RDONLY | O_DIRECTORY)
        try SystemError.checkErrno(fsync(opened.raw), "fsync", folder)
    }
}
