import BackgroundAssets

/// Formats that extensions read and write.
enum DataActivities {
    private struct Level: Codable, Equatable {
        let name: String
        let size: Int
        let published: Date
        let tags: [String]
    }

    private static let levels = (1...50).map {
        Level(
            name: "level \($0)", size: $0 * 1000, published: Date(timeIntervalSince1970: 1.75e9),
            tags: ["day", "night"])
    }

    static func json() -> String {
        let encoder = JSONEncoder()
        let decoder = JSONDecoder()
        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
        let data = attempt { try encoder.encode(levels) }
        precondition(attempt { try decoder.decode([Level].self, from: data) } == levels)
        precondition((try? decoder.decode([Level].self, from: data.dropLast())) == nil)
        return "\(levels.count) levels through JSON"
    }

    static func propertyList() -> String {
        let encoder = PropertyListEncoder()
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            encoder.outputFormat = format
            let data = attempt { try encoder.encode(levels) }
            let read = attempt { try PropertyListDecoder().decode([Level].self, from: data) }
            precondition(read == levels)
        }
        return "\(levels.count) levels through property lists"
    }

    static func dateFormatter() -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "Europe/Berlin")
        formatter.dateFormat = "yyyy-MM-dd HH:mm"
        let text = formatter.string(from: Date(timeIntervalSince1970: 1_751_371_200))
        precondition(text == "2025-07-01 14:00", text)
        precondition(formatter.date(from: text)?.timeIntervalSince1970 == 1_751_371_200)
        return text
    }

    static func regex() -> String {
        let names = ["level-1.bin", "level-x.bin", "level-42.bin"]
        let numbers = names.compactMap { name in
            attempt { try Regex("level-([0-9]+)\\.bin").wholeMatch(in: name) }
                .flatMap { $0[1].substring.map(String.init) }
        }
        precondition(numbers == ["1", "42"], "\(numbers)")
        let foundation = attempt { try NSRegularExpression(pattern: "l[aeiou]v") }
        let whole = NSRange(names[0].startIndex..., in: names[0])
        precondition(foundation.numberOfMatches(in: names[0], range: whole) == 1)
        return "matched \(numbers.joined(separator: " and "))"
    }
}

/// What may throw and must not.
func attempt<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { preconditionFailure("\(error)") }
}
