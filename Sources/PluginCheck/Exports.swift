package import WireProtocol

/// What a plugin shows to others that is neither the tag, nor an entry point, nor a `main` that the
/// tag asks for.
package struct Exports: Hashable, Sendable {
    /// The first of them.
    package let names: [String]

    /// All of them; more than ``names`` of a file that has very many.
    package let count: Int

    package init(names: [String], count: Int) {
        self.names = names
        self.count = count
    }

    /// A Swift plugin's are its types', and cannot be hidden.
    package init(_ facts: PluginFacts) {
        guard let tag = facts.tag, !tag.usesSwift else {
            self.init(names: [], count: 0)
            return
        }
        var known = Set(EntryPoint.symbols + ["bahost_plugin"])
        if tag.registersByMain { known.insert("main") }
        let names = facts.exports.map(\.name).filter { !known.contains($0) }
        let untold = max(0, Int(facts.exportCount) - facts.exports.count)
        self.init(names: names, count: names.count + untold)
    }
}
