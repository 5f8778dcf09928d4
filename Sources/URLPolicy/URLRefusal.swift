/// Why a URL may not be fetched: a number of SDK/ABI.md and one sentence.
///
/// A refusal is final; nothing about it changes by trying again.
package struct URLRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// Scheme or form; bahost 1003.
        case form
        /// The host is not on the domain list; Apple's 202.
        case domain
        /// The address is not one that may be connected to; bahost 1010.
        case address
        /// Redirected too often; no number in SDK/ABI.md, curl's is 47.
        case tooManyRedirects
    }

    package enum Domain: Hashable, Sendable {
        case apple
        case bahost
        case transport
    }

    package let reason: Reason
    /// One sentence without a full stop, naming what was refused.
    package let message: String

    package init(reason: Reason, message: String) {
        self.reason = reason
        self.message = message
    }

    package var domain: Domain {
        switch reason {
        case .form, .address: .bahost
        case .domain: .apple
        case .tooManyRedirects: .transport
        }
    }

    package var code: Int32 {
        switch reason {
        case .form: 1003
        case .domain: 202
        case .address: 1010
        case .tooManyRedirects: 47
        }
    }

    package var description: String { message }
}

extension URLRefusal {
    package static func form(_ message: String) -> URLRefusal {
        URLRefusal(reason: .form, message: message)
    }

    package static func address(_ message: String) -> URLRefusal {
        URLRefusal(reason: .address, message: message)
    }

    /// Outside text made safe to print: at most 80 characters, visible ASCII only.
    package static func quote(_ text: some StringProtocol) -> String {
        let shown = text.unicodeScalars.prefix(80).map { scalar in
            (0x20...0x7E).contains(scalar.value) ? Character(scalar) : "?"
        }
        return "'\(String(shown))'"
    }
}
