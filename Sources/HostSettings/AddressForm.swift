/// The form of an address that is set, before anything dials it.
///
/// Narrower than RFC 3986: what is refused here is nothing that a setting needs.
enum AddressForm {
    /// Whether a text is one of the schemes, a host, and what may follow, in printable ASCII.
    static func isAddress(_ text: String, schemes: [String]) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        guard isPlain,
            let scheme = schemes.first(where: { text.lowercased().hasPrefix("\($0)://") })
        else { return false }
        let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let place = parts.last else { return false }
        return isPlace(place)
    }

    /// A host with or without a port.
    private static func isPlace(_ text: Substring) -> Bool {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return false }
            return isNumeric(text[..<end].dropFirst()) && isPortPart(text[end...].dropFirst())
        }
        let host = text.prefix { $0 != ":" }
        return isName(host) && isPortPart(text[host.endIndex...])
    }

    /// The characters of an IPv6 address; which of them are one is told when it is dialled.
    private static func isNumeric(_ text: Substring) -> Bool {
        text.contains(":") && text.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }

    /// A host name or an IPv4 address.
    private static func isName(_ text: Substring) -> Bool {
        let isHost = text.allSatisfy { character in
            character.isLetter || character.isNumber || "-._".contains(character)
        }
        return isHost && text.contains { $0 != "." && $0 != "-" }
    }

    /// Nothing, or a colon and 1 to 65535.
    private static func isPortPart(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.dropFirst()
        return text.first == ":" && digits.allSatisfy(\.isNumber)
            && UInt16(digits).map { $0 > 0 } == true
    }
}
