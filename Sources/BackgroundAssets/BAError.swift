public import Foundation

/// Why a call or a download failed, by ``BAErrorCode``.
///
/// Seen as an `NSError` its domain is ``BAErrorDomain`` and its code the number of ``code``.
public struct BAError: Error, Hashable, Sendable {
    /// The number to switch on.
    public let code: BAErrorCode
    /// One sentence in English, for a log: what was refused and why.
    ///
    /// May be empty.
    public let message: String

    /// Makes an error; the message may be left out.
    public init(_ code: BAErrorCode, message: String = "") {
        self.code = code
        self.message = message
    }
}

extension BAError: CustomNSError, LocalizedError, CustomStringConvertible {
    /// ``BAErrorDomain``.
    public static var errorDomain: String { BAErrorDomain }
    /// The number of ``code``.
    public var errorCode: Int { code.rawValue }
    /// The description, under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
    /// The same as ``description``.
    public var errorDescription: String? { description }
    /// Number, name and message.
    public var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }
}

/// Lets `catch BAErrorCode.downloadNotScheduled` match a thrown ``BAError``.
public func ~= (code: BAErrorCode, error: any Error) -> Bool {
    (error as? BAError)?.code == code
}

/// Why the transfer of a download failed: an HTTP status, a connection fault, a system error.
///
/// Handed to `backgroundDownload(_:failedWithError:)`. Seen as an `NSError` its domain is
/// `org.bahost.transfer` and its code is ``number``.
///
/// Source: `bahost_error` in `bahost/types.h` of the SDK.
public struct BATransferError: Error, Hashable, Sendable {
    /// What ``BATransferError/number`` counts.
    public enum Kind: String, Hashable, Sendable {
        /// An HTTP status, such as 404.
        case http
        /// A libcurl code (`CURLcode`): name not found, no connection, TLS, stalled.
        case transport
        /// An `errno` value.
        case system
    }

    /// What ``number`` is.
    public let kind: Kind
    /// The number, of the kind given.
    public let number: Int
    /// The status of the server's last answer; nil without an answer.
    public let httpStatus: Int?
    /// One sentence in English, for a log.
    ///
    /// May be empty.
    public let message: String

    /// Makes an error; mostly for tests of an extension.
    public init(kind: Kind, number: Int, httpStatus: Int? = nil, message: String = "") {
        self.kind = kind
        self.number = number
        self.httpStatus = httpStatus
        self.message = message
    }
}

extension BATransferError: CustomNSError, LocalizedError, CustomStringConvertible {
    /// `org.bahost.transfer`.
    public static var errorDomain: String { "org.bahost.transfer" }
    /// The same as ``number``.
    public var errorCode: Int { number }
    /// The description, under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
    /// The same as ``description``.
    public var errorDescription: String? { description }
    /// Kind, number and message.
    public var description: String {
        message.isEmpty ? "\(kind.rawValue) \(number)" : "\(kind.rawValue) \(number): \(message)"
    }
}
