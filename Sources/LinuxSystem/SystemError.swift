internal import Glibc

/// A system call that failed: which, on what, and the kernel's number.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name as its manual page spells it, such as `openat`.
    package let call: String

    /// What it was done to: a path, a descriptor's job, a program.
    package let subject: String

    /// The errno value, positive.
    package let code: Int32

    package init(call: String, subject: String, code: Int32) {
        self.call = call
        self.subject = subject
        self.code = code
    }

    /// The kernel's sentence for a number.
    ///
    /// `strerror(3)`.
    package static func message(for code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // SAFETY: the buffer outlives the call, which writes at most its count.
        unsafe buffer.withUnsafeMutableBufferPointer { room in
            if let base = room.baseAddress {
                unsafe _ = strerror_r(code, base, room.count)
            }
        }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? "error \(code)" : String(decoding: bytes, as: UTF8.self)
    }

    /// True when the other end of a socket or pipe has gone.
    package var isPeerGone: Bool { code == EPIPE || code == ECONNRESET }

    /// True for what ``DescriptorIO/readRegular(_:limit:flags:in:)`` refuses by its kind.
    package var isIrregularFile: Bool { code == EISDIR || code == ENOTSUP }

    package var description: String {
        "\(call) \(subject): \(SystemError.message(for: code))"
    }

    /// Turns a shim's result, zero or more for success and a negated errno for failure, into a throw.
    @discardableResult
    package static func check(
        _ result: Int32, _ call: String, _ subject: @autoclosure () -> String
    ) throws(SystemError) -> Int32 {
        guard result >= 0 else {
            throw SystemError(call: call, subject: subject(), code: -result)
        }
        return result
    }

    /// Turns a C library result, -1 with `errno` for failure, into a throw.
    @discardableResult
    package static func checkErrno(
        _ result: Int32, _ call: String, _ subject: @autoclosure () -> String
    ) throws(SystemError) -> Int32 {
        guard result >= 0 else {
            let code = errno
            throw SystemError(call: call, subject: subject(), code: code)
        }
        return result
    }
}
