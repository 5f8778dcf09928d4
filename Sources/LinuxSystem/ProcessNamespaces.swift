internal import CLinuxShims

/// Kinds of namespaces to start a program in.
///
/// `namespaces(7)`.
package struct NamespaceSet: OptionSet, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let user = NamespaceSet(rawValue: Int32(BAH_NEW_USER_NAMESPACE))
    package static let pid = NamespaceSet(rawValue: Int32(BAH_NEW_PID_NAMESPACE))
    package static let network = NamespaceSet(rawValue: Int32(BAH_NEW_NETWORK_NAMESPACE))
    package static let ipc = NamespaceSet(rawValue: Int32(BAH_NEW_IPC_NAMESPACE))
    package static let mount = NamespaceSet(rawValue: Int32(BAH_NEW_MOUNT_NAMESPACE))
}

/// Changes of this process's own namespaces.
package enum ProcessNamespaces {
    /// Leaves for a user namespace of its own with one user and one group of the same number.
    ///
    /// `user_namespaces(7)`.
    ///
    /// - Parameters:
    ///   - inside: The number seen inside.
    ///   - outside: This process's effective user and group as seen now.
    /// - Throws: ``SystemError`` with the kernel's errno.
    package static func enterUser(inside: UserAndGroup, outside: UserAndGroup) throws(SystemError) {
        try SystemError.check(
            bah_enter_user_namespace(inside.user, outside.user, inside.group, outside.group),
            "unshare", "user namespace")
    }

    /// Writes the maps of the user namespace that this process was started in.
    ///
    /// - Parameters:
    ///   - inside: The number seen from now on.
    ///   - outside: This process's effective user and group as seen outside.
    /// - Throws: ``SystemError`` with the kernel's errno.
    package static func mapUser(inside: UserAndGroup, outside: UserAndGroup) throws(SystemError) {
        try SystemError.check(
            bah_map_user(inside.user, outside.user, inside.group, outside.group), "write",
            "/proc/self/uid_map")
    }

    /// Copies this process, which must have a single thread: nil in the copy, its number here.
    ///
    /// `fork(2)`.
    ///
    /// - Parameter own: This process's PID namespace, when the copy is to be the first process of a
    ///   new one.
    /// - Returns: Nil in the copy, its number here.
    /// - Throws: ``SystemError``; there is no copy then.
    package static func fork(leaving own: borrowing PIDNamespace?) throws(SystemError) -> Int32? {
        switch own {
        case .some(let own):
            try SystemError.check(bah_give_child_pid_namespace(), "unshare", "PID namespace")
            let child = bah_fork()
            if child != 0 {
                try SystemError.check(
                    bah_keep_child_pid_namespace(own.descriptor.raw), "setns", "PID namespace")
            }
            return try SystemError.check(child, "fork", "worker") == 0 ? nil : child
        case .none:
            let child = try SystemError.check(bah_fork(), "fork", "worker")
            return child == 0 ? nil : child
        }
    }
}

/// A user and a group by number.
package struct UserAndGroup: Hashable, Sendable {
    package var user: UInt32
    package var group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

/// The PID namespace of this process, to come back to.
package struct PIDNamespace: ~Copyable {
    fileprivate let descriptor: OwnedDescriptor

    package init() throws(SystemError) {
        let raw = try SystemError.check(bah_open_pid_namespace(), "open", "/proc/self/ns/pid")
        descriptor = OwnedDescriptor(adopting: raw)
    }
}
