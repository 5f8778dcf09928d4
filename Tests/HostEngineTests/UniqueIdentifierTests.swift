import Testing

@testable import HostEngine

@Suite struct UniqueIdentifierTests {
    /// Version 4 and variant 2 of RFC 9562 §4.
    @Test func areVersionFourAndDiffer() {
        let texts = (0..<1000).map { _ in UniqueIdentifier.random() }
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(texts.allSatisfy { $0.wholeMatch(of: form) != nil })
        #expect(Set(texts).count == texts.count)
        // Every digit that is free takes every value.
        for place in 0..<36 where ![8, 13, 14, 18, 19, 23].contains(place) {
            let digits = Set(texts.map { Array($0.utf8)[place] })
            #expect(digits.count == 16, "place \(place)")
        }
    }
}
