internal import ExtensionHost
internal import Sandbox
internal import WireProtocol

/// Every technique of the suite, with what must come of it.
///
/// Pure data, made for one set of limits. Numbers are given in the order of each list: a new
/// technique goes to the end of its group, and one that is gone leaves its number unused.
package enum Catalogue {
    /// All cases, in the order they are run.
    ///
    /// - Parameters:
    ///   - memoryBytes: The limit of all cases.
    ///   - isWide: Whether some are tried under a smaller and a larger limit too.
    /// - Returns: Those of one number one after the other.
    package static func cases(memoryBytes: UInt64, isWide: Bool) -> [ConformanceCase] {
        var list = CaseList(limits: CaseLimits(memoryBytes: memoryBytes))
        addMemory(to: &list, isWide: isWide)
        addShapes(to: &list)
        addMemoryLimits(to: &list)
        addTime(to: &list)
        addProcessor(to: &list)
        addDescriptors(to: &list)
        addFiles(to: &list)
        addWritten(to: &list)
        addProcesses(to: &list)
        addThreads(to: &list)
        addNetwork(to: &list)
        addFileSystem(to: &list)
        addSignals(to: &list)
        addOtherProcesses(to: &list)
        addKernel(to: &list)
        addProtocol(to: &list)
        addFloods(to: &list)
        addExits(to: &list)
        addReplies(to: &list)
        addLoading(to: &list)
        return list.cases
    }

    /// The plugin that does no wrong: shows what the machine gives.
    static func hello(memoryBytes: UInt64) -> ConformanceCase {
        ConformanceCase(
            number: "", group: .memory, word: "hello",
            limits: CaseLimits(memoryBytes: memoryBytes), expectation: Expectation(.ok))
    }
}

/// A list of cases that gives them their numbers.
struct CaseList {
    let limits: CaseLimits
    private(set) var cases: [ConformanceCase] = []
    private var counts: [ConformanceGroup: Int] = [:]

    init(limits: CaseLimits) {
        self.limits = limits
    }

    /// The list's limits with a wall budget that is soon used up.
    var limitsInHaste: CaseLimits {
        var short = limits
        short.wall = .milliseconds(600)
        return short
    }

    /// The next number of a group.
    mutating func number(_ group: ConformanceGroup) -> String {
        counts[group, default: 0] += 1
        return "\(group.letter)\(counts[group] ?? 0)"
    }

    mutating func append(_ testCase: ConformanceCase) { cases.append(testCase) }

    /// Adds one technique.
    ///
    /// - Parameters:
    ///   - group: What it is aimed at.
    ///   - word: The hostile library's word.
    ///   - argument: What is said besides.
    ///   - expectation: What must come of it.
    ///   - walls: What stops it, each a list of layers any of which is enough.
    ///   - harm: The layer without which it is not tried.
    ///   - places: Where it is tried.
    ///   - limits: Those of the case; the list's when nil.
    mutating func add(
        _ group: ConformanceGroup, _ word: String, _ argument: CaseArgument,
        _ expectation: Expectation, by walls: [[SandboxLayer]] = [], harm: SandboxLayer? = nil,
        in places: [CasePlace] = [.entry], limits: CaseLimits? = nil
    ) {
        let number = number(group)
        for place in places {
            var testCase = ConformanceCase(
                number: number, group: group, word: word, limits: limits ?? self.limits,
                expectation: expectation, walls: walls)
            testCase.argument = argument
            testCase.place = place
            testCase.harmsWithout = harm
            append(testCase)
        }
    }

    /// Adds techniques that differ in their word only.
    mutating func add(
        _ group: ConformanceGroup, _ words: [String], _ expectation: Expectation,
        by walls: [[SandboxLayer]] = [], argument: CaseArgument = .none,
        in places: [CasePlace] = [.entry]
    ) {
        for word in words {
            add(group, word, argument, expectation, by: walls, in: places)
        }
    }
}
