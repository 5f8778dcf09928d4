package import LinuxSystem

extension RunRecord {
    /// One line of JSON, see ``JSONLine``.
    package var line: String? { JSONLine.of(self) }

    /// A count of bytes as the record holds it, at most 2⁶³ − 1.
    package static func integer(_ count: ByteCount) -> Int64 {
        Int64(clamping: count.bytes)
    }
}
