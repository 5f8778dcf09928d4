internal import Glibc
internal import LinuxSystem

extension SandboxClosing {
    /// Root of the host, or of a namespace that the host is root of.
    private var mustChangeUser: Bool {
        ProcessConfinement.user == 0 && !prepared.isInUserNamespace
    }

    /// A private view of the file system, in which the plugin's folder, the container and the
    /// manifest lie where any user may go.
    mutating func enterView() throws(SandboxError) {
        guard try wants(.mountNamespace) else { return }
        if let why = prepared.refusals[.mountNamespace] {
            return try miss(.mountNamespace, why: why)
        }
        let view = FileView(
            policy.paths, changesUser: mustChangeUser,
            hasOwnProcesses: report.layers.contains(.pidNamespace))
        do {
            try view.mount()
        } catch {
            guard [EPERM, EACCES, ENOSYS, EINVAL, ENOSPC].contains(error.code) else {
                throw SandboxError(step: SandboxLayer.mountNamespace.rawValue, error)
            }
            return try miss(.mountNamespace, why: error.description)
        }
        report.paths = view.paths
        report.layers.append(.mountNamespace)
    }

    /// A user namespace in which this process is the only one and has its own number.
    mutating func enterUserNamespace() throws(SandboxError) {
        guard try wants(.userNamespace) else { return }
        if let why = prepared.refusals[.userNamespace] {
            return try miss(.userNamespace, why: why)
        }
        let user = ProcessConfinement.userAndGroup
        // Who has changed its user may not write its maps otherwise. proc_pid_uid_map(5).
        try must("memory") { () throws(SystemError) in try ProcessConfinement.hideMemory(false) }
        try attempt(.userNamespace, refusals: [EPERM, EACCES, ENOSPC, EUSERS, ENOSYS, EINVAL]) {
            () throws(SystemError) in
            try ProcessNamespaces.enterUser(inside: user, outside: user)
        }
    }

    /// Becomes the dedicated user; never stays uid 0 of the host.
    ///
    /// docs/threat-model.md.
    mutating func takeIdentity() throws(SandboxError) {
        let step = SandboxLayer.identity.rawValue
        guard mustChangeUser else {
            report.missing.append(
                AbsentLayer(.identity, why: "the host is not root: the worker runs as its user"))
            return
        }
        do {
            try becomeOther()
            report.layers.append(.identity)
        } catch {
            guard !UserMap.isHostRoot() else {
                throw SandboxError(.identityRefused, step: step, error.why)
            }
            try miss(.identity, why: error.why + "; uid 0 here is not the host's")
        }
        try checkReach()
    }

    private struct IdentityRefusal: Error {
        let why: String
    }

    private func becomeOther() throws(IdentityRefusal) {
        guard let identity = policy.identity, identity != 0 else {
            throw IdentityRefusal(why: "no user to become was given, and uid 0 is refused")
        }
        guard !policy.absentLayers.contains(SandboxLayer.identity.rawValue) else {
            throw IdentityRefusal(why: "treated as absent, as asked")
        }
        do {
            // Needs CAP_SETPCAP, which goes with the user.
            if !prepared.hasEmptyBoundingSet,
                !policy.absentLayers.contains(SandboxLayer.capabilities.rawValue)
            {
                try ProcessConfinement.dropBoundingSet()
            }
            try ProcessConfinement.become(identity: identity)
        } catch {
            throw IdentityRefusal(why: error.description)
        }
    }

    /// Looks that the worker's user can go where it must.
    func checkReach() throws(SandboxError) {
        let paths = report.paths
        for folder in [paths.pluginFolder] + paths.writableFolders {
            guard let blocked = firstBlocked(folder) else { continue }
            throw SandboxError(
                .identityRefused, step: SandboxLayer.identity.rawValue,
                "user \(ProcessConfinement.user) may not enter the folder \(blocked)",
                systemCode: EACCES)
        }
        for folder in paths.writableFolders {
            try checkAccess(folder, W_OK | X_OK, "write to the folder")
        }
        if let manifest = paths.manifest { try checkAccess(manifest, R_OK, "read the file") }
    }

    private func checkAccess(_ path: String, _ mode: Int32, _ deed: String) throws(SandboxError) {
        guard unsafe access(path, mode) != 0, errno == EACCES else { return }
        throw SandboxError(
            .identityRefused, step: SandboxLayer.identity.rawValue,
            "user \(ProcessConfinement.user) may not \(deed) \(path)", systemCode: EACCES)
    }

    /// The first folder on the way to and including `path` that may not be searched, or nil.
    private func firstBlocked(_ path: String) -> String? {
        var prefix = ""
        for part in Paths.names(of: path) where !part.isEmpty {
            prefix += "/" + part
            if unsafe access(prefix, X_OK) != 0, errno == EACCES { return prefix }
        }
        return nil
    }

    /// The working folder and the environment, all in the container; without one, the root.
    func moveIntoContainer() throws(SandboxError) {
        guard let container = report.paths.container else {
            return try must("container") { () throws(SystemError) in
                try SystemError.checkErrno(unsafe chdir("/"), "chdir", "/")
            }
        }
        try must("container") { () throws(SystemError) in
            try SystemError.checkErrno(
                unsafe chdir(container + "/tmp"), "chdir", container + "/tmp")
        }
        unsafe _ = mkdir(container + "/Library/Caches", 0o700)
        unsafe setenv("HOME", container, 1)
        unsafe setenv("TMPDIR", container + "/tmp", 1)
        unsafe setenv("XDG_CACHE_HOME", container + "/Library/Caches", 1)
    }
}

/// Whether uid 0 of this user namespace is the machine's.
///
/// user_namespaces(7).
package enum UserMap {
    package static func isHostRoot() -> Bool {
        own.map { mapsRootToRoot($0) } ?? true
    }

    /// Whether a user of this number is to be had in this user namespace.
    package static func has(_ user: UInt32) -> Bool {
        guard let own else { return true }
        let number = UInt64(user)
        return lines(own).contains { number >= $0.inside && number - $0.inside < $0.count }
    }

    /// Reads the text of `/proc/PID/uid_map`: lines of inside start, outside start, count.
    ///
    /// True also when no line says where 0 leads.
    package static func mapsRootToRoot(_ text: [UInt8]) -> Bool {
        lines(text).first { $0.inside == 0 && $0.count > 0 }.map { $0.outside == 0 } ?? true
    }

    private static var own: [UInt8]? {
        guard let file = try? Descriptor.open("/proc/self/uid_map", flags: O_RDONLY) else {
            return nil
        }
        return try? DescriptorIO.readAll(file.raw, limit: 65_536, subject: "uid_map")
    }

    private static func lines(
        _ text: [UInt8]
    ) -> [(inside: UInt64, outside: UInt64, count: UInt64)] {
        String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return numbers.count == 3 ? (numbers[0], numbers[1], numbers[2]) : nil
        }
    }
}
