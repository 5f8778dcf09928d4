internal import FoundationEssentials

/// A value of a property list, XML or binary, of bounded size and depth.
package enum PropertyList: Hashable, Sendable {
    case string(String)
    case boolean(Bool)
    case integer(Int64)
    /// An integer past what ``integer`` holds.
    case largeInteger(UInt64)
    case real(Double)
    case date
    case data
    /// Items up to the first that is no string, which is the last one here.
    case array([PropertyList])
    /// The entries that were asked for.
    case dictionary([String: PropertyList])

    /// docs/extension-author.md.
    package static let maximumSize = 16 << 20
    package static let maximumDepth = 64

    /// Values that may be there, keys included: the decoder takes up to 4 µs for each.
    ///
    /// A binary list may repeat one value, and each repeat counts.
    package static let maximumValues = 100_000

    /// Decodes bytes from outside: of each dictionary only the entries in `keys`, since a decoder
    /// that is asked for one type after the other takes 0.1 ms per value.
    ///
    /// The nesting is measured before the decoder runs, because the decoder calls itself once per
    /// level. The old text format (`{ key = value; }`) is refused.
    package init(
        untrusted bytes: [UInt8], keys: Set<String>, path: String
    ) throws(InstalledAppsError) {
        guard bytes.count <= PropertyList.maximumSize else {
            throw InstalledAppsError(
                .tooLarge, path: path, message: "is larger than 16 MiB (\(bytes.count) bytes)")
        }
        do throws(PropertyListScanError) {
            if bytes.starts(with: BinaryPropertyListScan.magic) {
                try BinaryPropertyListScan(bytes).check()
            } else {
                try XMLPropertyListScan(bytes).check()
            }
        } catch {
            throw InstalledAppsError(
                error.isDepth ? .tooDeep : .malformed, path: path, message: error.message)
        }
        let decoder = PropertyListDecoder()
        if let wanted = DecodedValue.wantedKeys { decoder.userInfo[wanted] = keys }
        do {
            self = try decoder.decode(DecodedValue.self, from: Data(bytes)).value
        } catch {
            throw InstalledAppsError(
                .malformed, path: path, message: "is not a property list, or a damaged one")
        }
    }

    /// For messages: what stands there.
    package var typeName: String {
        switch self {
        case .string: "a string"
        case .boolean: "a boolean"
        case .integer, .largeInteger: "an integer"
        case .real: "a real number"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

/// Why a list was refused before it was decoded.
struct PropertyListScanError: Error {
    let isDepth: Bool
    let message: String

    static let tooDeep = PropertyListScanError(
        isDepth: true,
        message: "is nested deeper than \(PropertyList.maximumDepth) levels")

    static let tooManyValues = PropertyListScanError(
        isDepth: true,
        message: "holds more than \(PropertyList.maximumValues) values")

    /// Which of the two values a decoder finds is left to chance.
    static let keyTwice = malformed("has a key twice in one dictionary")

    static func malformed(_ message: String) -> PropertyListScanError {
        PropertyListScanError(isDepth: false, message: message)
    }
}

/// Lets the decoder, which wants to know types beforehand, tell what is there.
private struct DecodedValue: Decodable {
    let value: PropertyList

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    static let wantedKeys = CodingUserInfoKey(rawValue: "bahost.wantedKeys")

    init(from decoder: any Decoder) throws {
        if let keyed = try? decoder.container(keyedBy: Key.self) {
            value = .dictionary(try DecodedValue.entries(keyed, of: decoder))
        } else if var items = try? decoder.unkeyedContainer() {
            value = .array(try DecodedValue.items(&items))
        } else {
            value = try DecodedValue.scalar(decoder.singleValueContainer())
        }
    }

    private static func entries(
        _ keyed: KeyedDecodingContainer<Key>, of decoder: any Decoder
    ) throws -> [String: PropertyList] {
        let wanted = wantedKeys.flatMap { decoder.userInfo[$0] as? Set<String> } ?? []
        var entries: [String: PropertyList] = [:]
        for name in wanted {
            let key = Key(stringValue: name)
            guard keyed.contains(key) else { continue }
            entries[name] = try keyed.decode(DecodedValue.self, forKey: key).value
        }
        return entries
    }

    private static func items(
        _ items: inout any UnkeyedDecodingContainer
    ) throws -> [PropertyList] {
        var list: [PropertyList] = []
        while !items.isAtEnd {
            guard let text = try? items.decode(String.self) else {
                return list + [try items.decode(DecodedValue.self).value]
            }
            list.append(.string(text))
        }
        return list
    }

    private static func scalar(_ single: any SingleValueDecodingContainer) throws -> PropertyList {
        if let flag = try? single.decode(Bool.self) { return .boolean(flag) }
        if let text = try? single.decode(String.self) { return .string(text) }
        if let number = try? single.decode(Int64.self) { return .integer(number) }
        if let number = try? single.decode(UInt64.self) { return .largeInteger(number) }
        if let number = try? single.decode(Double.self) { return .real(number) }
        if (try? single.decode(Date.self)) != nil { return .date }
        if (try? single.decode(Data.self)) != nil { return .data }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: single.codingPath, debugDescription: "no known type"))
    }
}
