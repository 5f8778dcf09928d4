import Foundation
import Glibc
import Testing
import TestSupport

/// Any layer may be missing: `auto` does without and says so, `full` refuses and names it.
@Suite struct MissingLayerTests {
    static let layers = [
        "rlimits", "seccomp", "no-new-privileges", "capabilities", "landlock", "mount-namespace",
        "sealing", "fence", "user-namespace", "pid-namespace", "network-namespace",
        "ipc-namespace",
    ]

    /// One by one, the weakest together, all that can be missing, and the same without those that
    /// `basic` has.
    static let machines = users.flatMap { user in
        (layers.map { [$0] } + [
            ["landlock", "sealing"], ["landlock", "user-namespace", "sealing"],
            Array(layers.dropFirst(4)), layers,
        ]).map { Machine(user: user, absentLayers: $0) }
    }

    /// What is missing when another layer is.
    private static func dependents(of layer: String, _ user: UInt32?) -> Set<String> {
        switch layer {
        case "sealing": ["fence"]
        case "mount-namespace": ["pid-namespace"]
        // Only root makes the others without it.
        case "user-namespace" where (user ?? geteuid()) != 0:
            ["pid-namespace", "mount-namespace", "network-namespace", "ipc-namespace"]
        default: []
        }
    }

    @Test(arguments: machines)
    func automaticIsolationDoesWithoutAndSaysSo(machine: Machine) throws {
        let fixture = try machine.fixture()
        let plugin = ReachableCopies.plugin("HelloDownload")
        let record = try Record(of: fixture.run(plugin, ["--json"]))
        #expect(record.result == "ok", "\(record.detail ?? "")")
        let missing = Dictionary(
            grouping: record.isolation.missing, by: { $0.layer }
        ).mapValues { $0.map(\.why) }
        #expect(missing.values.allSatisfy { $0.count == 1 }, "\(missing)")
        #expect(Set(missing.keys).isDisjoint(with: record.isolation.layers))
        for layer in machine.absentLayers {
            let why = missing[layer]?.first ?? ""
            #expect(!why.isEmpty, "\(layer) of \(record.isolation.layers)")
            for other in Self.dependents(of: layer, machine.user) {
                #expect(missing[other]?.first?.isEmpty == false, "\(other) without \(layer)")
            }
        }
        let text = try fixture.run(plugin)
        #expect(text.status == 0, "\(text.errors)")
        let line = (text.output + text.errors).split(separator: "\n").first {
            $0.contains("isolation: without ")
        }
        for (layer, why) in missing where layer != "identity" && layer != "cgroup" {
            #expect(line?.contains("\(layer) (\(why[0]))") == true, "\(layer): \(line ?? "")")
        }
    }

    @Test(arguments: machines)
    func fullIsolationRefusesAndNamesALayer(machine: Machine) throws {
        let fixture = try machine.fixture()
        let result = try fixture.run(
            ReachableCopies.plugin("HelloDownload"), ["--json", "--isolation", "full"])
        let record = try Record(of: result)
        #expect(record.result == "setup_error")
        #expect(result.status == 35)
        var named = machine.absentLayers.reduce(into: Set(machine.absentLayers)) {
            $0.formUnion(Self.dependents(of: $1, machine.user))
        }
        // This machine may lack more, and what comes first is named.
        let automatic = try fixture.run(ReachableCopies.plugin("HelloDownload"), ["--json"])
        named.formUnion(try Record(of: automatic).isolation.missing.map(\.layer))
        let detail = record.detail ?? ""
        #expect(named.contains { detail.hasPrefix("\($0): ") }, "\(detail)")
    }
}
