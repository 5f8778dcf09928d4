internal import CLinuxShims
internal import Glibc

/// What one look for a message with descriptors found.
package enum MessageResult: Hashable, Sendable {
    /// Bytes in the room, and descriptors that are the caller's now.
    case message(bytes: Int, descriptors: [Int32])
    case wouldBlock
    case ended
    case failed(Int32)
}

/// Messages with descriptors over a socket that keeps their bounds.
///
/// `unix(7)`, SOCK_SEQPACKET and SCM_RIGHTS.
package enum DescriptorMessage {
    /// The most descriptors of a message.
    package static let mostDescriptors = 8

    /// A connected pair.
    package static func pair() throws(SystemError) -> DescriptorPair {
        var raw: [Int32] = [-1, -1]
        let status = unsafe raw.withUnsafeMutableBufferPointer { room in
            unsafe room.baseAddress.map { unsafe bah_open_message_pair($0) } ?? -EINVAL
        }
        try SystemError.check(status, "socketpair", "AF_UNIX")
        return DescriptorPair(
            first: OwnedDescriptor(adopting: raw[0]), second: OwnedDescriptor(adopting: raw[1]))
    }

    /// Sends all of a message or nothing; the descriptors stay the caller's.
    ///
    /// `sendmsg(2)`.
    package static func send(
        _ bytes: [UInt8], passing descriptors: [Int32] = [], over raw: Int32
    ) throws(SystemError) {
        while true {
            let status = unsafe bytes.withUnsafeBytes { room in
                guard let start = room.baseAddress else { return -EINVAL }
                return unsafe bah_send_message(
                    raw, start, room.count, descriptors, descriptors.count)
            }
            if status == -EINTR { continue }
            try SystemError.check(status, "sendmsg", "descriptor \(raw)")
            return
        }
    }

    /// Takes one message.
    ///
    /// `recvmsg(2)`. One that does not fit, or has more descriptors than ``mostDescriptors``, is a
    /// failure.
    package static func receive(from raw: Int32, into room: inout [UInt8]) -> MessageResult {
        var descriptors = [Int32](repeating: -1, count: mostDescriptors)
        var count = 0
        while true {
            let length = unsafe room.withUnsafeMutableBytes { bytes in
                guard let start = bytes.baseAddress else { return -Int(EINVAL) }
                return unsafe bah_receive_message(
                    raw, start, bytes.count, &descriptors, mostDescriptors, &count)
            }
            if length > 0 {
                return .message(bytes: length, descriptors: Array(descriptors[..<count]))
            }
            if length == 0 { return .ended }
            let code = Int32(-length)
            if code == EINTR { continue }
            return code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(code)
        }
    }
}
