import Foundation
import PluginCheck
import Testing
import TestSupport

@Suite struct PluginRulesPageTests {
    @Test(arguments: ContractRule.allCases)
    func everyRuleHasItsSection(rule: ContractRule) throws {
        let page = try String(
            contentsOfFile: "\(Products.root)/docs/plugin-rules.md", encoding: .utf8)
        let parts = page.components(separatedBy: "<a id=\"r\(rule.rawValue)\"></a>")
        #expect(parts.count == 2)
        let section = parts.last?.components(separatedBy: "<a id=").first ?? ""
        let title = rule.title.prefix(1).uppercased() + rule.title.dropFirst()
        #expect(section.contains("\n## \(rule.name) \(title)\n"))
        let text = section.replacingOccurrences(of: "**What, why, how.**", with: Self.together)
        var places: [String.Index] = []
        for part in Self.parts {
            let pieces = text.components(separatedBy: "**\(part).**")
            #expect(pieces.count == 2, "\(part)")
            // As much as a sentence, up to the next part.
            let own = pieces.last?.components(separatedBy: "**").first ?? ""
            #expect(own.filter(\.isLetter).count > 4, "\(part): \(own)")
            if let place = text.range(of: "**\(part).**") { places.append(place.lowerBound) }
        }
        #expect(places == places.sorted())
    }

    private static let parts = ["What", "Why", "How", "Mend"]

    /// A rule that is another's neighbour says the first three at once.
    private static let together = "**What.** The same. **Why.** The same. **How.** The same."
}
