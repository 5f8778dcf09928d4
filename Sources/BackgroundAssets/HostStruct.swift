internal import Foundation

/// A struct of the host's, read no further than both sides know it.
///
/// Every such struct starts with its size as the host compiled it; a field past that counts as
/// zero. Valid while the entry point that got the pointer is on the stack.
///
/// Source: SDK/ABI.md, rule 1.
@safe
struct HostStruct<Layout> {
    private let base: UnsafePointer<Layout>
    private let size: Int

    /// - Returns: nil for NULL, or a size that does not even hold itself.
    init?(_ pointer: UnsafePointer<Layout>?) {
        guard let pointer = unsafe pointer else { return nil }
        // SAFETY: each of these structs begins with a UInt32, its size; the host wrote it.
        let written = unsafe UnsafeRawPointer(pointer).load(as: UInt32.self)
        guard written >= UInt32(MemoryLayout<UInt32>.size) else { return nil }
        unsafe base = pointer
        size = min(Int(written), MemoryLayout<Layout>.size)
    }

    /// The field, or what stands for one that the host does not have.
    func read<Field>(_ path: KeyPath<Layout, Field>, missing: Field) -> Field {
        guard let offset = MemoryLayout<Layout>.offset(of: path),
            offset + MemoryLayout<Field>.size <= size
        else { return missing }
        // SAFETY: the field lies inside the size that the host wrote.
        return unsafe UnsafeRawPointer(base).load(fromByteOffset: offset, as: Field.self)
    }

    /// The text of a field; nil for NULL, for one longer than `bound` bytes, or not UTF-8.
    func text(_ path: KeyPath<Layout, UnsafePointer<CChar>?>, bound: Int) -> String? {
        unsafe hostText(read(path, missing: nil), bound: bound)
    }
}

/// Copies a text of the host's; nil for NULL, for one longer than `bound` bytes, or not UTF-8.
func hostText(_ pointer: UnsafePointer<CChar>?, bound: Int) -> String? {
    guard let pointer = unsafe pointer else { return nil }
    // SAFETY: the host closes its texts with NUL; no more than bound + 1 bytes are looked at.
    let length = unsafe strnlen(pointer, bound + 1)
    guard length <= bound else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: length)
    return unsafe String(validating: bytes, as: UTF8.self)
}
