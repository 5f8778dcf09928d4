import Conformance
import ExtensionHost
import Foundation
import Sandbox
import TestSupport
import Testing
import WireProtocol

/// The list of techniques.
@Suite struct CatalogueTests {
    private static let cases = Catalogue.cases(memoryBytes: 6 << 20, isWide: true)

    /// The words that a header of the hostile library lists.
    private static func words(_ header: String) throws -> [String] {
        let path = "\(Products.root)/Sources/HostilePlugin/\(header)"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.matches(of: /\bT\("([^"]+)"/).map { String($0.output.1) }
    }

    @Test func everyTechniqueOfTheLibraryIsThere() throws {
        let wellBehaved: Set = ["hello", "schedule-lines", "steady"]
        // The same as another word: a number past all, and the flood that has no number.
        let doubles: Set = ["bad-return", "request-flood"]
        let known = try Set(Self.words("holding.h") + Self.words("techniques.h"))
        let tried = Set(Self.cases.filter { $0.fileSin == nil }.map(\.word))
        #expect(known.subtracting(tried) == wellBehaved.union(doubles))
        #expect(tried.subtracting(known).isEmpty)
    }

    @Test func noTwoTechniquesHaveOneWord() throws {
        let words = try Self.words("techniques.h") + Self.words("holding.h")
        #expect(words.count > 150)
        #expect(Set(words).count == words.count)
    }

    @Test func holdingWordsAreInTheLibrarysOrder() throws {
        #expect(try Set(Catalogue.holdingWords.map(\.word)) == Set(Self.words("holding.h")))
    }

    @Test func aNumberStandsForOneTechnique() {
        var techniques: [String: String] = [:]
        for testCase in Self.cases {
            let known = techniques[testCase.number] ?? testCase.technique
            #expect(known == testCase.technique, "\(testCase.number)")
            techniques[testCase.number] = testCase.technique
            #expect(testCase.number.first == testCase.group.letter)
        }
        #expect(techniques.count >= 80)
    }

    /// A number of a list that others cite does not move.
    @Test(arguments: [
        ("M1", "a0-nothing"), ("M14", "a2-munmap-flip"), ("M68", "c12-missing-names"),
        ("P1", "fork"), ("N1", "socket"), ("S1", "write-outside"), ("E1", "not-elf"),
    ])
    func numbersAreStable(number: String, word: String) {
        #expect(Self.cases.first { $0.number == number }?.word == word)
    }

    /// A wall that does not stand is seen: no row passes by whatever the kernel alone would say.
    @Test func whatTheFilterStopsNamesItsCallOrItsError() {
        let groups: Set<ConformanceGroup> = [.processes, .network, .otherProcesses, .kernel]
        let vague = Self.cases.filter { testCase in
            guard groups.contains(testCase.group), testCase.walls == [[.seccomp]] else {
                return false
            }
            switch testCase.expectation.attempts {
            case .refused(let code): return code == nil
            default: return testCase.expectation.says.isEmpty
            }
        }
        #expect(vague.isEmpty, "\(vague.map(\.technique))")
    }

    @Test func noCaseIsThereTwice() {
        #expect(Set(Self.cases).count == Self.cases.count)
        #expect(
            Set(ConformanceGroup.allCases.map(\.letter)).count == ConformanceGroup.allCases.count)
    }

    @Test func everyGroupHasTechniques() {
        #expect(Set(Self.cases.map(\.group)) == Set(ConformanceGroup.allCases))
    }

    @Test func aLimitIsTriedAtItsNumberAndOnePastIt() {
        func numbers(_ word: String) -> [String] {
            Self.cases.filter { $0.word == word }.map(\.technique)
        }
        #expect(numbers("open-files") == ["open-files 32", "open-files 33"])
        #expect(numbers("new-files") == ["new-files 1024", "new-files 1025"])
        #expect(numbers("identifier-bytes") == ["identifier-bytes 255", "identifier-bytes 256"])
    }

    @Test func theMemoryLimitIsHonoured() {
        let narrow = Catalogue.cases(memoryBytes: 9 << 20, isWide: false)
        let limits = Set(narrow.filter { $0.group == .memory }.map(\.limits.worker.memoryBytes))
        #expect(limits == [9 << 20])
        let heap = narrow.filter { $0.word == "heap-bytes" }.map(\.technique)
        #expect(heap.last == "heap-bytes \(9 << 20 + 4096)")
    }

    @Test func aFilterLooksAtWhatPeopleSee() throws {
        let fork = try #require(Self.cases.first { $0.word == "fork" })
        for text in ["fork", "P1", "processes", "entry", "bare", "or"] {
            #expect(fork.matches(text))
        }
        #expect(!fork.matches("swift"))
    }
}
