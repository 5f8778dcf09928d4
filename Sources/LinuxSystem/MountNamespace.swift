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

    /// Mounts made outside appear here, those made here do not appear outside.
    package static func followOutside() throws(SystemError) {
        try SystemError.check(bah_follow_mounts(), "mount", "/")
    }

    /// Shows the processes of this process's PID namespace under `/proc`.
    package static func mountProcesses() throws(SystemError) {
        try SystemError.check(bah_mount_processes(), "mount", "/proc")
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

/// A file or folder with all below it, to be shown elsewhere, also when something is mounted over it.
///
/// `open_tree(2)`, OPEN_TREE_CLONE.
package final class MountPlace: Sendable {
    private let tree: OwnedDescriptor

    /// Read-only unless said, never with devices or set-uid programs.
    package init(_ path: String, isWritable: Bool = false) throws(SystemError) {
        let raw = unsafe bah_copy_tree(path, isWritable ? 1 : 0)
        tree = OwnedDescriptor(adopting: try SystemError.check(raw, "open_tree", path))
    }

    /// Shows it at `target`, which is made for it; once.
    package func show(at target: String) throws(SystemError) {
        try SystemError.check(unsafe bah_attach_tree(tree.raw, target), "move_mount", target)
    }
}
