/// What loading and calling a plugin that itself asks for nothing takes of the memory limit.
///
/// Measured, and rounded up to twice as much: docs/operator.md.
enum OwnNeed {
    static func bytes(hasSwift: Bool) -> UInt64 {
        hasSwift ? 1 << 20 : 256 << 10
    }
}
