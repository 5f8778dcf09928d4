import Foundation
import Testing
import TestSupport

/// A plugin comes to the same end, in the same words, in every isolation mode and for every user.
@Suite struct SameVerdictTests {
    struct End: CustomTestStringConvertible, Sendable {
        let plugin: String
        let word: String
        let verdict: String
        let says: String
        let options: [String]

        init(
            _ word: String, _ verdict: String, _ says: String, of plugin: String = "hostile",
            options: [String] = []
        ) {
            self.plugin = plugin
            self.word = word
            self.verdict = verdict
            self.says = says
            self.options = options
        }

        var testDescription: String { "\(plugin) \(word)" }
    }

    private static let call = "in bahost_install"
    private static let torn = "the level list is torn"

    static let ends = [
        End("hello", "ok", ""),
        End("abort", "crash", "called abort \(call)"),
        End("raise 1", "crash", "sent itself SIGHUP \(call)"),
        End("raise 2", "crash", "sent itself SIGINT \(call)"),
        End("raise 5", "crash", "sent itself SIGTRAP \(call)"),
        End("raise 10", "crash", "sent itself SIGUSR1 \(call)"),
        End("raise 11", "crash", "sent itself SIGSEGV \(call)"),
        End("raise 14", "crash", "sent itself SIGALRM \(call)"),
        End("raise 15", "crash", "sent itself SIGTERM \(call)"),
        End("full-queue-raise 6", "crash", "called abort \(call)"),
        End("full-queue-raise 11", "crash", "sent itself SIGSEGV \(call)"),
        End("full-queue-raise 15", "crash", "sent itself SIGTERM \(call)"),
        End("raise 0", "crash", "sent itself signal 64 \(call)"),
        End("big-file", "file_limit", "wrote past 65,536 bytes", options: ["--file-size", "64K"]),
        End(
            "spin", "cpu_limit", "used up its CPU time of 1 s",
            options: ["--cpu-time", "1s", "--wall-time", "60s"]),
        End("trap", "crash", "SIGILL at address"),
        End("null-pointer", "crash", "SIGSEGV at address 0x0 \(call)"),
        End("wild-pointer", "crash", "SIGSEGV at address 0x10000 \(call)"),
        End("deep-recursion", "stack_overflow", "used up its stack"),
        End("deep-recursion-in-thread", "stack_overflow", "used up its stack"),
        End("exit-137", "exited_early", "called exit with status 137 before bahost_install"),
        End("exit-0", "exited_early", "called exit with status 0 before bahost_install"),
        End("_exit-0", "exited_early", "called exit with status 0 before bahost_install"),
        End("fork", "policy_violation", "called fork"),
        End("raw-fork", "policy_violation", "called clone: plugins may not start processes"),
        End("system", "policy_violation", "called system: plugins may not start processes"),
        End("ptrace", "policy_violation", "called ptrace: plugins may not look into processes"),
        End("mount", "policy_violation", "called mount: plugins may not make this call"),
        End("c9-bpf", "policy_violation", "called bpf: plugins may not make this call"),
        End("malloc-forever", "memory_limit", "asked for"),
        End("uncaught", "crash", torn, of: "legitimate-cxx"),
        End("trap", "crash", torn, of: "legitimate-swift"),
    ]

    static let inRust = End("panic", "crash", torn, of: "legitimate-rust")
    static let hasRust = FileManager.default.fileExists(
        atPath: Products.plugin("legitimate-rust"))

    @Test(arguments: ends)
    func everyMachineSaysTheSame(end: End) throws { try expectTheSame(end) }

    @Test(.enabled(if: hasRust, "there is no rustc"))
    func everyMachineSaysTheSameOfRust() throws { try expectTheSame(Self.inRust) }

    /// Full isolation is among the modes above only where it can be had.
    @Test(.enabled(if: Machine.hasFull, "this kernel does not give every layer"))
    func fullIsolationIsAmongThem() {
        #expect(Machine.modes.filter { $0.isolation == "full" }.count == users.count)
    }

    private func expectTheSame(_ end: End) throws {
        var first: String?
        for machine in Machine.modes {
            let fixture = try machine.fixture()
            let result = try machine.start(
                end.word, of: end.plugin, ["--json"] + end.options, in: fixture
            ).wait()
            fixture.audit()
            let record = try Record(of: result)
            let detail = record.detail ?? ""
            let told = Comment(rawValue: "\(machine.testDescription): \(detail) \(result.errors)")
            #expect(record.result == end.verdict, told)
            #expect(end.says.isEmpty ? detail.isEmpty : detail.contains(end.says), told)
            let sentence = Self.masked(detail)
            #expect(sentence == first ?? sentence, told)
            first = first ?? sentence
        }
    }

    /// Without what differs from run to run: addresses, numbers of threads, what was left of a limit,
    /// and how much of the first thread's stack lies below what the kernel has put there.
    private static func masked(_ sentence: String) -> String {
        sentence.replacing(/0x[0-9a-f]{5,}/, with: "ADDRESS")
            .replacing(/with [0-9,]+ of/, with: "with SOME of")
            .replacing(/stack of 1,0[0-9]{2},[0-9]{3} bytes/, with: "stack of ABOUT 1 MiB")
            .replacing(/\([0-9]+\)/, with: "(THREAD)")
    }
}
