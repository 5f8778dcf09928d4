internal import CLinuxShims
internal import Glibc

/// A file descriptor with one owner, closed when that owner is done.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The kernel's number; valid while this value lives.
    package let raw: Int32

    /// Takes over `raw`, which nobody else may close from now on.
    package init(adopting raw: Int32) {
        self.raw = raw
    }

    deinit {
        _ = Glibc.close(raw)
    }

    /// Closes now and reports what `close(2)` said.
    package consuming func close() throws(SystemError) {
        let number = raw
        discard self
        try SystemError.checkErrno(Glibc.close(number), "close", "descriptor \(number)")
    }

    /// Gives the number away; the caller closes it.
    package consuming func release() -> Int32 {
        let number = raw
        discard self
        return number
    }
}

/// The calls that make descriptors.
package enum Descriptor {
    /// Opens a path, close-on-exec always.
    ///
    /// `openat(2)`.
    ///
    /// - Parameters:
    ///   - path: Relative to `folder` when that is given.
    ///   - flags: `O_...` of `fcntl.h`.
    ///   - mode: Permissions of a file that is made.
    ///   - folder: A descriptor of the folder that `path` is relative to.
    /// - Returns: The descriptor, owned.
    /// - Throws: ``SystemError`` with the kernel's number.
    package static func open(
        _ path: String, flags: Int32, mode: UInt32 = 0o600, in folder: Int32? = nil
    ) throws(SystemError) -> OwnedDescriptor {
        let base = folder ?? bah_current_folder()
        let raw = unsafe bah_open_file(base, path, flags, mode)
        return OwnedDescriptor(adopting: try SystemError.check(raw, "open", path))
    }

    /// A connected pair of stream sockets.
    ///
    /// `socketpair(2)`.
    package static func socketPair() throws(SystemError) -> DescriptorPair {
        var raw: [Int32] = [-1, -1]
        let status = unsafe raw.withUnsafeMutableBufferPointer { room in
            unsafe room.baseAddress.map { unsafe bah_open_socket_pair($0) } ?? -EINVAL
        }
        try SystemError.check(status, "socketpair", "AF_UNIX")
        return DescriptorPair(
            first: OwnedDescriptor(adopting: raw[0]), second: OwnedDescriptor(adopting: raw[1]))
    }

    /// A pipe: `first` reads, `second` writes.
    ///
    /// `pipe2(2)`.
    package static func pipe() throws(SystemError) -> DescriptorPair {
        var raw: [Int32] = [-1, -1]
        let status = unsafe raw.withUnsafeMutableBufferPointer { room in
            unsafe room.baseAddress.map { unsafe bah_open_pipe($0) } ?? -EINVAL
        }
        try SystemError.check(status, "pipe2", "pipe")
        return DescriptorPair(
            first: OwnedDescriptor(adopting: raw[0]), second: OwnedDescriptor(adopting: raw[1]))
    }

    /// A descriptor of a process.
    ///
    /// `pidfd_open(2)`.
    package static func process(_ number: Int32) throws(SystemError) -> OwnedDescriptor {
        let raw = try SystemError.check(
            bah_open_process(number), "pidfd_open", "process \(number)")
        return OwnedDescriptor(adopting: raw)
    }

    /// Makes element i descriptor i of this process, -1 being /dev/null, and closes all others.
    ///
    /// `dup2(2)`, `close_range(2)`.
    package static func place(_ descriptors: [Int32]) throws(SystemError) {
        try SystemError.check(
            unsafe bah_place_descriptors(descriptors, descriptors.count), "dup2", "descriptors")
    }

    /// Has reading from now on leave the file's access time.
    ///
    /// `fcntl(2)`, O_NOATIME.
    ///
    /// - Throws: ``SystemError``; EPERM for who is neither root nor its owner.
    package static func keepAccessTime(_ raw: Int32, subject: String) throws(SystemError) {
        try SystemError.check(bah_keep_access_time(raw), "fcntl", subject)
    }

    /// Takes an exclusive lock without waiting, held until the last copy is closed.
    ///
    /// `flock(2)`.
    ///
    /// - Throws: ``SystemError`` with EWOULDBLOCK when somebody else holds it.
    package static func lock(_ raw: Int32, subject: String) throws(SystemError) {
        try SystemError.check(bah_lock_file(raw), "flock", subject)
    }

    /// Sets or clears `O_NONBLOCK`.
    ///
    /// `fcntl(2)`.
    package static func setNonblocking(_ raw: Int32, _ on: Bool = true) throws(SystemError) {
        try SystemError.check(bah_set_nonblocking(raw, on ? 1 : 0), "fcntl", "descriptor \(raw)")
    }

    /// A socket that listens on 127.0.0.1; port 0 lets the kernel choose.
    package static func listenOnLoopback(
        port: UInt16 = 0
    ) throws(SystemError) -> LoopbackListener {
        var bound: UInt16 = 0
        let raw = unsafe bah_listen_loopback(port, &bound)
        try SystemError.check(raw, "listen", "127.0.0.1:\(port)")
        return LoopbackListener(descriptor: OwnedDescriptor(adopting: raw), port: bound)
    }
}

/// Two descriptors made by one call.
package struct DescriptorPair: ~Copyable {
    package let first: OwnedDescriptor
    package let second: OwnedDescriptor

    package init(first: consuming OwnedDescriptor, second: consuming OwnedDescriptor) {
        self.first = first
        self.second = second
    }

    /// Hands both out, first to last, to a body that keeps them.
    package consuming func take<Result: ~Copyable>(
        _ body: (consuming OwnedDescriptor, consuming OwnedDescriptor) -> Result
    ) -> Result {
        body(first, second)
    }
}

/// A listening socket and the port it got.
package struct LoopbackListener: ~Copyable, Sendable {
    package let descriptor: OwnedDescriptor
    package let port: UInt16
}
