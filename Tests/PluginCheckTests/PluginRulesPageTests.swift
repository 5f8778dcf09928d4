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
        for word in ["What", "hy", "ow", "Mend"] { #expect(section.contains(word)) }
    }
}
