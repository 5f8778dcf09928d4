internal import CommandLineOptions
internal import URLPolicy

extension OptionValue {
    /// A host name, `*.` and a host name, an IPv4 address, or an IPv6 address in brackets.
    ///
    /// The policy reads it; here are the words for what people write in its place.
    func domainPattern() throws(CommandLineOptionsError) -> DomainPattern {
        if let pattern = DomainPattern(untrusted: text) { return pattern }
        if text.contains("/") {
            throw bad("is an address; give its host alone, such as cdn.example.com")
        }
        guard text.unicodeScalars.allSatisfy(\.isASCII) else {
            throw bad("is not ASCII; give the host in its xn-- form")
        }
        if text.hasPrefix("[") {
            throw bad("is not an IPv6 address in brackets, such as [2001:db8::1]")
        }
        if text.contains(":") {
            throw bad(
                "holds a colon: every port of an allowed host is allowed, "
                    + "and an IPv6 address stands in brackets")
        }
        throw bad("is not a host, such as cdn.example.com or *.example.com")
    }
}
