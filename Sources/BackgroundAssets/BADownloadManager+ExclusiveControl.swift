public import Foundation

// Exclusive control of the group's container, against the app and other runs of the extension.
// One lease, whatever the form; taken again inside itself it just goes on.
extension BADownloadManager {
    /// Waits for exclusive control, runs the handler on the calling thread, and gives it back.
    ///
    /// The handler has returned when this returns. Waiting counts as runtime.
    ///
    /// - Parameter handler: Gets true and nil with exclusive control; false and why not without it:
    ///   ``BAError``, 56 outside an extension, 1004 when the time was up.
    public func withExclusiveControl(_ handler: (Bool, (any Error)?) -> Void) {
        run(handler, before: nil)
    }

    /// The same, but waits no longer than to a date.
    ///
    /// - Parameters:
    ///   - date: The deadline; one in the past means now or never.
    ///   - handler: As in ``withExclusiveControl(_:)``.
    public func withExclusiveControl(
        beforeDate date: Date, perform handler: (Bool, (any Error)?) -> Void
    ) {
        run(handler, before: date)
    }

    /// Waits for exclusive control, runs the body, and gives it back however the body ends.
    ///
    /// - Parameter body: What to do with exclusive control.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; ``BAError``, 56 outside an extension.
    public func withExclusiveControl<ReturnType>(
        _ body: () throws -> sending ReturnType
    ) async throws -> sending ReturnType {
        try lease.hold(before: nil, body)
    }

    /// The same, but waits no longer than to a date.
    ///
    /// - Parameters:
    ///   - date: The deadline; one in the past means now or never.
    ///   - body: What to do with exclusive control.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; ``BAError``, 1004 when the time was up, 56 outside an
    ///   extension.
    public func withExclusiveControl<ReturnType>(
        before date: Date, _ body: () throws -> sending ReturnType
    ) async throws -> sending ReturnType {
        try lease.hold(before: date, body)
    }

    private func run(_ handler: (Bool, (any Error)?) -> Void, before date: Date?) {
        do {
            try lease.hold(before: date) { handler(true, nil) }
        } catch {
            handler(false, error)
        }
    }
}
