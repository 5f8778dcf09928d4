import Containers
import LinuxSystem
import TestSupport
import Testing

@Suite struct PurgePlanTests {
    private static func candidate(
        _ rowID: Int64, bytes: UInt64, lastUsed: Int64
    ) -> PurgeCandidate {
        PurgeCandidate(
            rowID: rowID, uniqueIdentifier: "\(rowID)", path: "Downloads/\(rowID)",
            stamp: FileStamp(
                device: 1, inode: UInt64(rowID), sizeBytes: bytes, modifiedNanoseconds: 0),
            lastUsed: lastUsed)
    }

    private func rows(
        _ files: [(bytes: UInt64, lastUsed: Int64)], need: UInt64
    ) -> [Int64] {
        let candidates = files.enumerated().map {
            Self.candidate(Int64($0), bytes: $1.bytes, lastUsed: $1.lastUsed)
        }
        return PurgePlan.choose(candidates.reversed(), needBytes: need).map(\.rowID)
    }

    @Test func theLongestUnusedGoesFirstAndOfThoseAlikeTheOlderRow() {
        #expect(rows([(5, 30), (5, 10), (5, 20), (5, 10)], need: 12) == [1, 3, 2])
    }

    @Test func noMoreThanNeededGoes() {
        #expect(rows([(5, 1), (5, 2)], need: 0) == [])
        #expect(rows([(5, 1), (5, 2)], need: 5) == [0])
        #expect(rows([(5, 1), (5, 2)], need: 6) == [0, 1])
        // What the big one brings too much spares the small ones, the last used first.
        #expect(rows([(2, 1), (3, 2), (4, 3), (100, 4)], need: 103) == [1, 3])
        #expect(rows([(2, 1), (3, 2), (4, 3), (100, 4)], need: 104) == [0, 1, 3])
        #expect(rows([(0, 1), (5, 2)], need: 5) == [1])
    }

    @Test func allGoesWhenThatIsTooLittleOrWanted() {
        #expect(rows([(5, 1), (0, 2), (5, 3)], need: 11) == [0, 1, 2])
        #expect(rows([(.max, 1), (.max, 2), (1, 3)], need: .max) == [0])
        #expect(rows([(5, 1), (5, 2)], need: .max) == [0, 1])
        #expect(rows([], need: 1) == [])
    }

    /// Against every subset of what has to be looked at.
    @Test func noOtherChoiceIsBetter() {
        var random = SeededGenerator(seed: 7)
        for round in 0..<2_000 {
            let files = (0..<Int.random(in: 0...8, using: &random)).map { number in
                Self.candidate(
                    Int64(number), bytes: UInt64.random(in: 0...6, using: &random),
                    lastUsed: Int64.random(in: 0...4, using: &random))
            }
            let need = UInt64.random(in: 0...30, using: &random)
            let chosen = PurgePlan.choose(files.shuffled(using: &random), needBytes: need)
            #expect(chosen == best(files, need: need), "round \(round)")
        }
    }

    /// Of the fewest longest unused that are enough, the subset that is enough and spares the last
    /// used one, then the one used before that, and so on.
    private func best(_ files: [PurgeCandidate], need: UInt64) -> [PurgeCandidate] {
        let sorted = files.sorted { ($0.lastUsed, $0.rowID) < ($1.lastUsed, $1.rowID) }
        func sum(_ some: some Sequence<PurgeCandidate>) -> UInt64 {
            some.reduce(0) { $0 + $1.stamp.sizeBytes }
        }
        guard let count = (0...sorted.count).first(where: { sum(sorted.prefix($0)) >= need })
        else { return sorted }
        let prefix = Array(sorted.prefix(count))
        // As a number, with the last used one as its highest digit, the least is the best.
        for bits in 0..<(1 << count) {
            let subset = prefix.indices.filter { bits >> $0 & 1 == 1 }.map { prefix[$0] }
            if sum(subset) >= need { return subset }
        }
        return prefix
    }
}

@Suite struct PurgeRecoveryTests {
    @Test(arguments: [true, false], [true, false])
    func whatIsThereKeepsItsRow(isHeld: Bool, isComplete: Bool) {
        let action = PurgeRecovery.action(isHeld: isHeld, isFound: true, isComplete: isComplete)
        #expect(action == .putBack)
    }

    @Test func whatIsGoneIsForgottenAndWhatMayBeThereIsNot() {
        #expect(PurgeRecovery.action(isHeld: true, isFound: false, isComplete: true) == .forget)
        #expect(PurgeRecovery.action(isHeld: true, isFound: false, isComplete: false) == .forget)
        #expect(PurgeRecovery.action(isHeld: false, isFound: false, isComplete: true) == .forget)
        #expect(PurgeRecovery.action(isHeld: false, isFound: false, isComplete: false) == .putBack)
    }
}
