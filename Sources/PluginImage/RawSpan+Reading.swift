extension RawSpan {
    var length: UInt64 { UInt64(byteCount) }

    /// A little-endian integer at any offset, aligned or not.
    ///
    /// - Throws: ``PluginImageError`` with `truncated` when it is not wholly inside the bytes.
    func load<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type, at offset: UInt64
    ) throws(PluginImageError) -> Integer {
        let size = UInt64(MemoryLayout<Integer>.size)
        let length = UInt64(byteCount)
        guard offset <= length, length - offset >= size else {
            throw .truncated(
                "a field of it", endingAt: offset.addingReportingOverflow(size).partialValue,
                of: length)
        }
        // SAFETY: the whole range was compared with the length just above.
        return Integer(
            littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: Int(offset), as: type))
    }
}

/// A part of the file, checked to lie inside it: where a table starts and where it must stop.
struct FileRange: Hashable, Sendable {
    let offset: UInt64
    let count: UInt64

    /// Where entry `index` of a table of `size`-byte entries starts; nil when it is not wholly
    /// inside.
    func entry(_ index: UInt64, size: UInt64) -> UInt64? {
        guard size > 0, index < count / size else { return nil }
        return offset + index * size
    }

    /// The same range without its first `bytes`; nil when there are fewer.
    func dropping(_ bytes: UInt64) -> FileRange? {
        guard bytes <= count else { return nil }
        return FileRange(offset: offset + bytes, count: count - bytes)
    }
}
