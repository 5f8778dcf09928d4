internal import Foundation
internal import Synchronization

/// What the module knows about the call that is on the stack.
///
/// Entry points set it, the manager reads it, from any thread.
final class RunState: Sendable {
    static let shared = RunState()

    private struct Fields {
        var host: HostTable?
        var refusesScheduling = false
        var keepsFinishedFile = false
        var openCalls = 0
        var containers: [String: String] = [:]
    }

    private let fields = Mutex(Fields())

    /// The host, while an entry point is on the stack.
    var host: HostTable? { fields.withLock { $0.host } }

    /// Whether scheduling is refused: `downloads(for:)` is running.
    var refusesScheduling: Bool { fields.withLock { $0.refusesScheduling } }

    /// Whether a call of the manager is still running on some thread.
    var hasOpenCalls: Bool { fields.withLock { $0.openCalls > 0 } }

    /// An entry point begins.
    func begin(_ host: HostTable) {
        fields.withLock {
            $0.host = host
            $0.refusesScheduling = false
            $0.keepsFinishedFile = false
        }
    }

    /// The entry point ends: from now on there is no host to ask.
    func end() {
        fields.withLock {
            $0.host = nil
            $0.refusesScheduling = false
        }
    }

    /// Runs `downloads(for:)`, where scheduling is refused.
    func whileSchedulingIsRefused<Value>(_ body: () throws -> Value) rethrows -> Value {
        try settingRefusal(true, body)
    }

    /// Runs a function of the names of 2022, whose only way is scheduling.
    func whileSchedulingIsAllowed<Value>(_ body: () throws -> Value) rethrows -> Value {
        try settingRefusal(false, body)
    }

    private func settingRefusal<Value>(
        _ refuses: Bool, _ body: () throws -> Value
    ) rethrows -> Value {
        let before = fields.withLock {
            let before = $0.refusesScheduling
            $0.refusesScheduling = refuses
            return before
        }
        defer { fields.withLock { $0.refusesScheduling = before } }
        return try body()
    }

    /// A call of the manager begins; the entry point waits for its end.
    func beginCall() {
        fields.withLock { $0.openCalls += 1 }
    }

    /// The call has ended.
    func endCall() {
        fields.withLock { $0.openCalls -= 1 }
    }

    /// Counts a call of the manager while it runs.
    func whileCalling<Value>(_ body: () throws -> Value) rethrows -> Value {
        beginCall()
        defer { endCall() }
        return try body()
    }

    // MARK: - Finished files

    /// The extension has no function for finished files: the host is to keep this one.
    func keepFinishedFile() {
        fields.withLock { $0.keepsFinishedFile = true }
    }

    /// Whether the finished file of this call is to be kept.
    var keepsFinishedFile: Bool { fields.withLock { $0.keepsFinishedFile } }

    // MARK: - Containers

    /// Remembers where a group's container is, while the worker lives.
    func learn(container path: String, ofGroup group: String) {
        fields.withLock { $0.containers[group] = path }
    }

    /// The container of a group; nil when the host has not said.
    func container(ofGroup group: String) -> String? {
        fields.withLock { $0.containers[group] }
    }
}
