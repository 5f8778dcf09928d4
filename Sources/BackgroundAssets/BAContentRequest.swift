/// Why the extension was woken.
///
/// Source: Apple's `BAContentRequest`; `bahost_content_request` in `bahost/types.h`.
public enum BAContentRequest: Int, Hashable, Sendable {
    /// The app was installed.
    case install = 1
    /// The app was updated.
    case update = 2
    /// The periodic check is due.
    case periodic = 3
}
