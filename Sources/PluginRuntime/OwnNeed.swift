/// What a worker keeps of the memory limit for itself: loading, frames, the runtime's first steps.
///
/// Measured: a plugin in C that asks for one download holds 20 KiB, one in Swift that reads JSON
/// with Foundation 150 KiB. Twice as much and more, so that another version of a library fits.
enum OwnNeed {
    static func bytes(hasSwift: Bool) -> UInt64 {
        hasSwift ? 512 << 10 : 256 << 10
    }
}
