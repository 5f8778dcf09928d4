internal import Glibc

/// The kernel's release and the machine's architecture.
///
/// `uname(2)`.
package struct KernelVersion: Hashable, Sendable {
    /// As the kernel spells it, such as `6.1.0-18-amd64`.
    package let release: String

    /// Such as `x86_64`.
    package let architecture: String

    package init(release: String, architecture: String) {
        self.release = release
        self.architecture = architecture
    }

    package static func current() -> KernelVersion {
        var names = utsname()
        unsafe uname(&names)
        return KernelVersion(
            release: text(&names.release), architecture: text(&names.machine))
    }

    /// Whether the release is that version or a later one; false when it cannot be read.
    package func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        let numbers = release.split(maxSplits: 2) { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return false }
        return (numbers[0], numbers[1]) >= (major, minor)
    }

    private static func text<Room>(_ room: inout Room) -> String {
        // SAFETY: an array of characters that the kernel has ended with a zero.
        let bytes = unsafe withUnsafeBytes(of: &room) { unsafe Array($0) }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
