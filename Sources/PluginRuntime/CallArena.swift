internal import Glibc

/// C memory that lives until an entry point returns.
@safe final class CallArena {
    private var blocks: [UnsafeMutableRawPointer] = unsafe []

    /// A copy of `text` that ends with NUL; nil becomes NULL.
    func text(_ text: String?) -> UnsafePointer<CChar>? {
        guard let text else { return nil }
        let bytes = Array(text.utf8)
        let room = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        // SAFETY: count + 1 places, all initialised here; freed by removeAll.
        for (place, byte) in bytes.enumerated() {
            unsafe (room + place).initialize(to: CChar(bitPattern: byte))
        }
        unsafe (room + bytes.count).initialize(to: 0)
        unsafe blocks.append(UnsafeMutableRawPointer(room))
        return unsafe UnsafePointer(room)
    }

    /// A text, or NULL for an empty one: "not known".
    func known(_ text: String) -> UnsafePointer<CChar>? {
        text.isEmpty ? nil : unsafe self.text(text)
    }

    /// A copy of a value of C.
    func value<Value: BitwiseCopyable>(_ value: Value) -> UnsafePointer<Value> {
        let room = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        unsafe room.initialize(to: value)
        unsafe blocks.append(UnsafeMutableRawPointer(room))
        return unsafe UnsafePointer(room)
    }

    /// A copy of bytes; NULL for none.
    func bytes(_ bytes: [UInt8]) -> UnsafeRawPointer? {
        guard !bytes.isEmpty else { return nil }
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        // SAFETY: count places, all initialised here; freed by removeAll.
        for (place, byte) in bytes.enumerated() {
            unsafe (room + place).initialize(to: byte)
        }
        unsafe blocks.append(UnsafeMutableRawPointer(room))
        return UnsafeRawPointer(room)
    }

    func removeAll() {
        // SAFETY: each was allocated above and is in the list once.
        unsafe blocks.forEach { unsafe $0.deallocate() }
        unsafe blocks.removeAll()
    }

    deinit { removeAll() }
}
