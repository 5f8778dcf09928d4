import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport
import WireProtocol

/// Many runs of one host process: at once, after one another, and of a host that is large.
@Suite struct CrowdTests {
    /// Fifty that each sleep and work for three seconds: nobody pays for the others.
    @Test func fiftyAtOnceAreAllWell() throws {
        let crowd = try Crowd()
        var plan = try crowd.plan("steady")
        plan.wallBudget = .seconds(10)
        let members = try (0..<50).map { _ in try crowd.start(plan) }
        try crowd.finish()
        #expect(crowd.pool.launcherCount == 1)
        for member in members {
            let outcome = try #require(member.outcome)
            #expect(outcome.verdict == .ok, "\(outcome.detail)")
            #expect(outcome.pluginTime >= .seconds(3))
            // The kernel's count may lag behind by a few pages of each processor.
            #expect(outcome.peakBytes >= 3 << 18)
            #expect(outcome.peakBytes < 3 << 20)
        }
        #expect(crowd.leftFiles.isEmpty)
    }

    /// They all find out at once that the bare launcher will not do, and have lost nothing by it.
    @Test func swiftPluginsMayTakeTheirTimeToo() throws {
        let crowd = try Crowd()
        let members = try (0..<8).map { _ in
            try crowd.start(crowd.plan("steady", plugin: "swift-hostile"))
        }
        try crowd.finish()
        #expect(crowd.pool.launcherCount == 2)
        for member in members {
            #expect(member.outcome?.verdict == .ok, "\(member.outcome?.detail ?? "")")
        }
    }

    /// Ten that take what they can get do nothing to the one beside them.
    @Test func onlyTheGreedyMeetTheLimit() throws {
        let crowd = try Crowd()
        let harmless = try crowd.start(crowd.plan("steady"))
        let words = ["malloc-forever", "mmap-forever", "malloc-null-write"]
        let greedy = try (0..<10).map { try crowd.start(crowd.plan(words[$0 % words.count])) }
        try crowd.finish()
        #expect(harmless.outcome?.verdict == .ok, "\(harmless.outcome?.detail ?? "")")
        for member in greedy {
            let outcome = try #require(member.outcome)
            #expect(outcome.verdict == .memoryLimit, "\(outcome.detail)")
            #expect(outcome.peakBytes <= (6 << 20) + (6 << 20) / 20 + 256 << 10)
        }
    }

    /// What the host holds is none of its plugins' memory.
    @Test func theHostsOwnSizeIsNotCounted() async {
        await #expect(processExitsWith: .success) {
            let size = 320 << 20
            let room = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4096)
            defer { unsafe room.deallocate() }
            unsafe memset(room, 1, size)
            let held = try #require(ProcessMemory.read(pid: getpid())?.heldBytes)
            #expect(held >= UInt64(300 << 20))
            let crowd = try Crowd()
            for _ in 0..<3 {
                let outcome = try crowd.run(crowd.plan(plugin: "HelloDownload"))
                #expect(outcome.verdict == .ok, "\(outcome.detail)")
                #expect(outcome.peakBytes <= 512 << 10)
            }
            #expect(unsafe room.load(fromByteOffset: size - 1, as: UInt8.self) == 1)
        }
    }

    /// All that a host could lose a little of with each run.
    private struct Footprint: Equatable {
        let descriptors: [String]
        let launchers: Int
        let children: Int
        let workers: Int
        let mounts: Int
        let files: [String]

        init(_ crowd: Crowd) throws {
            let files = FileManager.default
            // The listing's own descriptor is among them each time.
            descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").sorted()
            launchers = crowd.pool.launcherCount
            let children = ProcessAudit.children(of: getpid())
            self.children = children.count
            workers = children.flatMap { ProcessAudit.children(of: $0) }.count
            let table = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
            mounts = table.split(separator: "\n").filter { $0.contains(crowd.scratch.path) }.count
            self.files = crowd.scratch.contents(of: "")
        }
    }

    /// One way for a run to fail.
    private struct Failure {
        let word: String
        var plugin = "hostile"
        let verdict: Verdict
    }

    private static let failures = [
        Failure(word: "abort", verdict: .crash),
        Failure(word: "exit-0", verdict: .exitedEarly),
        Failure(word: "malloc-forever", verdict: .memoryLimit),
        Failure(word: "raw-fork", verdict: .policyViolation),
        Failure(word: "", plugin: "load-missing-symbol", verdict: .loadError),
        Failure(word: "null-pointer", verdict: .crash),
        Failure(word: "deep-recursion", verdict: .stackOverflow),
        Failure(word: "bad-return", verdict: .badReply),
        Failure(word: "negative-return", verdict: .pluginError),
        Failure(word: "big-file", verdict: .fileLimit),
        Failure(word: "garbage-on-all-descriptors", verdict: .protocolError),
        Failure(word: "close-all-descriptors", verdict: .protocolError),
        Failure(word: "system", verdict: .policyViolation),
        Failure(word: "", plugin: "load-other-major", verdict: .abiMismatch),
        Failure(word: "spin", verdict: .wallTimeout),
    ]

    /// With room for 64 descriptors a single one lost in a run would show, too.
    @Test func threeHundredFailuresInARowLoseNothing() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            try ResourceLimit.openFiles.set(64)
            let crowd = try Crowd()
            var plans: [WorkerPlan] = []
            for failure in Self.failures {
                var plan = try crowd.plan(failure.word, plugin: failure.plugin)
                plan.setup.limits.fileSizeBytes = 65_536
                plan.terms.limits = plan.setup.limits
                plan.wallBudget = failure.verdict == .wallTimeout ? .milliseconds(50) : .seconds(20)
                plan.terms.grace = .milliseconds(50)
                plans.append(plan)
            }
            var before: Footprint?
            for number in 0..<300 {
                let place = number % Self.failures.count
                let failure = Self.failures[place]
                let outcome = try crowd.run(plans[place])
                Self.tell(
                    outcome.verdict == failure.verdict,
                    "\(number) \(failure.word) of \(failure.plugin): \(outcome.detail)")
                if number == 2 * Self.failures.count - 1 { before = try Footprint(crowd) }
            }
            let after = try Footprint(crowd)
            Self.tell(after == before, "\(after), before: \(String(describing: before))")
            Self.tell(after.launchers == 1 && after.workers == 0, "\(after)")
        }
        let told = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(told.isEmpty)
    }

    /// In a process of its own nobody would see a comment.
    private static func tell(_ claim: Bool, _ text: String) {
        if !claim { _ = DescriptorIO.write(STDERR_FILENO, Array("\(text)\n".utf8)[...]) }
    }
}
