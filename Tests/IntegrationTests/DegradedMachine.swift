import Testing
import TestSupport

/// A machine as a run may find it: who runs, how much isolation is asked for, and what is missing.
struct Machine: CustomTestStringConvertible, Sendable {
    var user: UInt32?
    var isolation = "auto"
    var absentLayers: [String] = []

    var testDescription: String {
        let without = absentLayers.isEmpty ? "" : " without \(absentLayers.joined(separator: ", "))"
        return "\(user.map { "user \($0)" } ?? "own user") \(isolation)\(without)"
    }

    /// A run's folder on such a machine.
    ///
    /// The plugin must come from ``ReachableCopies``: without a mount namespace a root host's worker
    /// needs folders that are open to all.
    func fixture() throws -> RunFixture {
        let fixture = try RunFixture(as: user)
        fixture.absentLayers = absentLayers
        return fixture
    }

    /// A run that does what the word says.
    func start(
        _ word: String, of plugin: String = "hostile", _ options: [String] = [],
        in fixture: RunFixture
    ) throws -> ProgramRun {
        let manifest = try fixture.scratch.write("manifest", word + "\n")
        return try fixture.start(
            ReachableCopies.plugin(plugin),
            ["--manifest", manifest, "--isolation", isolation] + options)
    }

    /// For each of the ``users``, each isolation mode that this machine has.
    static let modes: [Machine] = users.flatMap { user in
        ["basic", "auto"].map { Machine(user: user, isolation: $0) }
            + (isFull(user) ? [Machine(user: user, isolation: "full")] : [])
    }

    /// True when nothing of `full` isolation is missing here for any of the ``users``.
    static let hasFull = modes.count == 3 * users.count

    private static func isFull(_ user: UInt32?) -> Bool {
        let machine = Machine(user: user, isolation: "full")
        guard let fixture = try? machine.fixture(),
            let result = try? machine.start("hello", in: fixture).wait()
        else { return false }
        return result.status == 0
    }
}
