import Foundation
import Testing

/// Walks a value and its schema together: the keys of every object must be exactly the schema's.
struct SchemaWalk {
    private let definitions: [String: Any]

    init(_ definitions: [String: Any]) {
        self.definitions = definitions
    }

    /// - Returns: How many objects were compared.
    func compare(_ value: Any, _ schema: [String: Any]) throws -> Int {
        if let reference = schema["$ref"] as? String {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            return try compare(value, try #require(definitions[name] as? [String: Any]))
        }
        if let options = schema["anyOf"] as? [[String: Any]], !(value is NSNull) {
            return try compare(value, try #require(options.last))
        }
        if let words = schema["enum"] as? [String] {
            #expect(words.contains(try #require(value as? String)))
        }
        if let items = value as? [Any], let inner = schema["items"] as? [String: Any] {
            return try items.reduce(0) { try $0 + compare($1, inner) }
        }
        guard let entries = value as? [String: Any] else { return 0 }
        #expect(schema["additionalProperties"] as? Bool == false)
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect((schema["required"] as? [String])?.sorted() == entries.keys.sorted())
        #expect(properties.keys.sorted() == entries.keys.sorted())
        return try entries.reduce(1) { sum, entry in
            try sum + compare(entry.value, properties[entry.key] ?? [:])
        }
    }
}
