internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

struct BenchFailure: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// What each run does.
struct BenchWork {
    var cgroups = CgroupUse.never

    /// The packs to ask about; empty for a content request.
    var packs: [AssetPackDescription] = []

    /// - Parameter word: The last argument; nil for a plain content request.
    init?(_ word: String?) {
        guard let word else { return }
        if word == "cgroup" {
            cgroups = .always
            return
        }
        guard word.hasPrefix("packs="), let count = Int(word.dropFirst("packs=".count)),
            1...100_000 ~= count
        else { return nil }
        packs = (0..<count).compactMap { number in
            var pack = try? AssetPackDescription(identifier: "pack-\(number)")
            pack?.version = Int64(number)
            return pack
        }
    }
}

/// Many runs of one plan.
final class Bench {
    private let plan: WorkerPlan
    private let work: BenchWork
    private let pool: LauncherPool

    init(plan: WorkerPlan, work: BenchWork) {
        self.plan = plan
        self.work = work
        pool = LauncherPool(cgroups: work.cgroups)
    }

    /// One run at once, and one for each line of input.
    func measure() throws(BenchFailure) {
        var first = try BenchRun(pool, plan, work.packs)
        let ready = try first.finish()
        for layer in ready.layers { RunBench.print("layer \(layer)") }
        for missing in ready.missing {
            RunBench.print("missing \(missing.layer): \(missing.why)")
        }
        RunBench.print(
            "stages " + RunPoint.allCases.map(\.stage).joined(separator: " "))
        RunBench.print("first \(first.line)")
        var room: [UInt8] = [0]
        while case .moved = DescriptorIO.read(0, into: &room) {
            guard room[0] == UInt8(ascii: "\n") else { continue }
            var run = try BenchRun(pool, plan, work.packs)
            _ = try run.finish()
            RunBench.print("run \(run.line)")
        }
    }
}
