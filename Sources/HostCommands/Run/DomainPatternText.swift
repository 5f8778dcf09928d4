internal import CommandLineOptions

extension OptionValue {
    /// A host name, `*.` and a host name, an IPv4 address, or an IPv6 address in brackets.
    ///
    /// Lower case. Only the form is checked here; what it matches is the policy's business.
    func domainPattern() throws(CommandLineOptionsError) -> String {
        let pattern = (text.hasSuffix(".") ? text.dropLast() : text[...]).lowercased()
        if pattern.contains("://") || pattern.contains("/") {
            throw bad("is an address; give its host alone, such as cdn.example.com")
        }
        guard pattern.unicodeScalars.allSatisfy(\.isASCII) else {
            throw bad("is not ASCII; give the host in its xn-- form")
        }
        if pattern.hasPrefix("[") {
            guard DomainPatternText.isBracketedIPv6(pattern) else {
                throw bad("is not an IPv6 address in brackets, such as [2001:db8::1]")
            }
            return pattern
        }
        if pattern.contains(":") {
            throw bad(
                "holds a colon: every port of an allowed host is allowed, "
                    + "and an IPv6 address stands in brackets")
        }
        guard DomainPatternText.isName(pattern) else {
            throw bad("is not a host, such as cdn.example.com or *.example.com")
        }
        return pattern
    }
}

/// The form of host patterns.
///
/// RFC 1123 §2.1, RFC 4291 §2.2.
private enum DomainPatternText {
    /// Labels of letters, digits, `-` and `_`, the first of which may be `*`; or four numbers.
    static func isName(_ pattern: String) -> Bool {
        let name = pattern.hasPrefix("*.") ? pattern.dropFirst(2) : pattern[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...253).contains(name.utf8.count), labels.allSatisfy(isLabel) else { return false }
        guard labels.last?.allSatisfy(\.isNumber) == true else { return true }
        return !pattern.hasPrefix("*.") && labels.count == 4
            && labels.allSatisfy { $0.allSatisfy(\.isNumber) && UInt8($0) != nil }
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy { byte in
                (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 95
            }
    }

    /// Groups of one to four hexadecimal digits, eight of them, or fewer around one `::`.
    static func isBracketedIPv6(_ pattern: String) -> Bool {
        guard pattern.hasPrefix("["), pattern.hasSuffix("]") else { return false }
        let halves = splitAtDoubleColon(pattern.dropFirst().dropLast())
        let groups = halves.flatMap { half in
            half.isEmpty ? [] : half.split(separator: ":", omittingEmptySubsequences: false)
        }
        guard groups.allSatisfy(isGroup) else { return false }
        return halves.count == 1 ? groups.count == 8 : halves.count == 2 && groups.count <= 7
    }

    private static func splitAtDoubleColon(_ text: Substring) -> [Substring] {
        var halves: [Substring] = []
        var rest = text
        var index = rest.startIndex
        while index < rest.endIndex {
            if rest[index...].hasPrefix("::") {
                halves.append(rest[..<index])
                rest = rest[rest.index(index, offsetBy: 2)...]
                index = rest.startIndex
            } else {
                index = rest.index(after: index)
            }
        }
        return halves + [rest]
    }

    private static func isGroup(_ group: Substring) -> Bool {
        (1...4).contains(group.utf8.count) && group.allSatisfy(\.isHexDigit)
    }
}
