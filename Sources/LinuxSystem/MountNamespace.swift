internal import CLinuxShims

/// A view of the file system that this process alone has.
///
/// mount_namespaces(7).
package enum MountNamespace {
    /// Leaves for a copy of the namespace.
    ///
    /// `unshare(2)`.
    package static func enter() throws(SystemError) {
        try SystemError.check(bah_enter_mount_namespace(), "unshare", "mount namespace")
    }

    /// An empty file system of 64 KiB on `folder`.
    package static func mountEmpty(on folder: String) throws(SystemError) {
        try SystemError.check(unsafe bah_mount_empty(folder), "mount", folder)
    }

    /// Makes what ``mountEmpty(on:)`` mounted read-only.
    package static func seal(_ folder: String) throws(SystemError) {
        try SystemError.check(unsafe bah_seal_mount(folder), "mount", folder)
    }

    /// Takes the topmost mount on `folder` away.
    package static func unmount(_ folder: String) {
        unsafe _ = bah_unmount(folder)
    }
}

/// A file or folder that stays reachable when something is mounted over it.
///
/// `open(2)`, O_PATH.
package final class MountPlace: Sendable {
    private let descriptor: OwnedDescriptor

    package init(_ path: String) throws(SystemError) {
        let raw = unsafe bah_open_place(path)
        descriptor = OwnedDescriptor(adopting: try SystemError.check(raw, "open", path))
    }

    /// Shows it at `target`, which is made for it; read-only unless said, never with devices or
    /// set-uid programs.
    package func show(at target: String, isWritable: Bool = false) throws(SystemError) {
        let status = unsafe bah_mount_place(descriptor.raw, target, isWritable ? 1 : 0)
        try SystemError.check(status, "mount", target)
    }
}
