package import WireProtocol

/// What a plugin shows to others.
package enum Exports {
    /// The data symbol of every plugin.
    private static let tag = "bahost_plugin"

    /// Names that are neither the tag, nor an entry point, nor a `main` that the tag asks for.
    ///
    /// A Swift plugin's are its types', and cannot be hidden.
    package static func others(_ facts: PluginFacts) -> [String] {
        guard let tag = facts.tag, !tag.usesSwift else { return [] }
        var known = Set(EntryPoint.allCases.map(\.symbol) + [Exports.tag])
        if tag.registersByMain { known.insert("main") }
        return facts.exports.map(\.name).filter { !known.contains($0) }
    }
}
