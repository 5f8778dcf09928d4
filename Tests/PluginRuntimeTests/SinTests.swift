import Foundation
import LinuxSystem
import Sandbox
import Testing
import WireProtocol

/// What a plugin does wrong and what is left of it.
@Suite struct SinTests {
    private let workshop: PluginWorkshop
    private let plugin: String

    private static let library = Result {
        try PluginWorkshop.build(
            sinSource, in: PluginWorkshop.buildFolder, name: "sins", ["-pthread"])
    }

    init() throws {
        workshop = try PluginWorkshop()
        plugin = try workshop.copy(of: SinTests.library.get())
    }

    private func commit(
        _ sin: String, _ change: (inout WorkerHarness) -> Void = { _ in }
    ) throws -> WorkerOutcome {
        var harness = workshop.harness(plugin, [install(sin)])
        change(&harness)
        return try harness.run()
    }

    @Test(arguments: ["malloc", "mmap"])
    func allocatingWithoutEndIsNamed(sin: String) throws {
        let outcome = try commit(sin)
        let evidence = try #require(outcome.evidence.first)
        #expect(evidence.kind == .memoryRefused)
        #expect(evidence.leftBytes < 6 << 20)
        #expect(outcome.returns == [])
        #expect(outcome.end?.exitCode == 70)
        let baseline = try #require(outcome.ready).heldBytes
        #expect(outcome.peakHeldBytes < baseline + 6_707 << 10)
    }

    @Test(arguments: ["huge malloc", "huge realloc", "huge memalign"])
    func oneLargeAllocationIsNamedWithItsSize(sin: String) throws {
        let evidence = try #require(try commit(sin).evidence.first)
        #expect(evidence.kind == .memoryRefused)
        #expect(evidence.askedBytes == 64 << 20)
        #expect(evidence.leftBytes > 5 << 20)
        #expect(evidence.leftBytes <= 6 << 20)
    }

    @Test func anImpossibleCallocIsNamed() throws {
        let evidence = try #require(try commit("huge calloc").evidence.first)
        #expect(evidence.kind == .memoryRefused)
        #expect(evidence.askedBytes == .max)
    }

    @Test(arguments: [("huge malloc", -1), ("huge realloc", -1), ("huge memalign", -12)])
    func aRefusalIsHandedOnWhenAskedSo(sin: String, status: Int32) throws {
        let outcome = try commit(sin) { $0.setup.memoryLimitAction = .fail }
        #expect(outcome.returns.map(\.status) == [status])
        #expect(outcome.evidence == [])
    }

    @Test func fiveOfSixMebibytesCanBeHeld() throws {
        let outcome = try commit("five of six")
        #expect(outcome.returns.map(\.status) == [0])
        #expect(outcome.evidence == [])
        let baseline = try #require(outcome.ready).heldBytes
        #expect((outcome.returns.first?.heldBytes ?? 0) > baseline + 4_900_000)
    }

    @Test(arguments: ["fork", "vfork", "execl", "execvp", "system", "posix_spawn"])
    func startingAProgramIsNamed(sin: String) throws {
        let outcome = try commit(sin)
        let evidence = try #require(outcome.evidence.first)
        #expect(evidence.kind == .processRefused)
        #expect(evidence.text == sin)
        #expect(outcome.returns == [])
        #expect(outcome.end?.exitCode == 70 || outcome.end?.signal == SIGSYS)
    }

    @Test(arguments: [
        ("fork", "clone"), ("raw clone", "clone"), ("ptrace", "ptrace"), ("mount", "mount"),
        ("execl", "execve"),
    ])
    func aTrappedCallLeavesItsNumber(sin: String, name: String) throws {
        let outcome = try commit(sin)
        let evidence = try #require(outcome.evidence.last)
        #expect(evidence.kind == .signal)
        #expect(evidence.signal == SIGSYS)
        #expect(Sandbox.systemCallName(evidence.systemCall) == name)
        #expect(outcome.end?.exitCode == 70)
    }

    /// popen(3) asks for a pipe first, which is refused and not trapped.
    @Test func popenIsNamedAndFails() throws {
        let outcome = try commit("popen")
        #expect(outcome.evidence.map(\.text) == ["popen"])
        #expect(outcome.returns.map(\.status) == [0])
    }

    @Test func aTrappedCallWithSignalsBlockedIsTheKernelsKill() throws {
        let outcome = try commit("blocked raw fork")
        #expect(outcome.evidence == [])
        #expect(outcome.end?.signal == SIGSYS)
    }

    @Test(arguments: [
        ("abort", SIGABRT), ("segv", SIGSEGV), ("bus", SIGBUS), ("ill", SIGILL), ("fpe", SIGFPE),
        ("term", SIGTERM),
    ])
    func aSignalLeavesEvidence(sin: String, signal: Int32) throws {
        let outcome = try commit(sin)
        let evidence = try #require(outcome.evidence.first)
        #expect(evidence.kind == .signal)
        #expect(evidence.signal == signal)
        #expect(outcome.end?.exitCode == 70)
        if sin == "segv" { #expect(evidence.faultAddress == 16) }
    }

    @Test(arguments: ["overflow", "thread overflow"])
    func aStackOverflowIsNextToTheStacksEnd(sin: String) throws {
        let outcome = try commit(sin)
        let evidence = try #require(outcome.evidence.first)
        #expect(evidence.signal == SIGSEGV)
        #expect(evidence.stackHigh > evidence.stackLow)
        #expect(evidence.faultAddress < evidence.stackLow + 4096)
        #expect(evidence.faultAddress + 65_536 > evidence.stackLow)
    }

    @Test(arguments: ["30 threads", "30 C11 threads"])
    func threadsUpToTheLimitStart(sin: String) throws {
        let outcome = try commit(sin) { $0.setup.limits.memoryBytes = 16 << 20 }
        #expect(outcome.returns.map(\.status) == [0])
    }

    @Test(arguments: ["31 threads", "31 C11 threads"])
    func oneThreadTooManyIsNamed(sin: String) throws {
        let outcome = try commit(sin) { $0.setup.limits.memoryBytes = 16 << 20 }
        #expect(outcome.evidence.first?.kind == .threadRefused)
        #expect(outcome.end?.exitCode == 70)
    }

    @Test func threadsThatEndedDoNotCount() throws {
        #expect(try commit("threads in a row").returns.map(\.status) == [0])
    }

    @Test func aThreadWithoutRoomForItsStackIsAMemoryRefusal() throws {
        let evidence = try #require(try commit("big thread").evidence.first)
        #expect(evidence.kind == .memoryRefused)
        #expect(evidence.askedBytes == 64 << 20)
    }

    @Test(arguments: [("exit 0", 0), ("exit 137", 137)])
    func exitingLeavesNoReply(sin: String, code: Int32) throws {
        let outcome = try commit(sin)
        #expect(outcome.end?.exitCode == code)
        #expect(outcome.returns == [])
        #expect(outcome.evidence == [])
    }

    @Test func spinningReachesTheProcessorLimit() throws {
        let outcome = try commit("spin") { $0.setup.limits.cpuSeconds = 1 }
        #expect(outcome.evidence.first?.signal == SIGXCPU)
        #expect((outcome.end?.cpuTime ?? .zero) < .seconds(2))
    }

    @Test func aFileOverItsLimitIsNamed() throws {
        #expect(try commit("write").evidence.first?.signal == SIGXFSZ)
    }

    @Test(arguments: ["files", "calls", "modes", "limits", "rights"])
    func onlyWhatIsAllowedWorks(check: String) throws {
        let outcome = try commit(check)
        #expect(outcome.returns.map(\.status) == [0], "\(outcome.evidence)")
    }

    @Test func endsWhenTheHostCloses() throws {
        let outcome = try commit("wait") { $0.closesControlWhenLoaded = true }
        #expect(outcome.end?.exitCode == 72)
    }
}
