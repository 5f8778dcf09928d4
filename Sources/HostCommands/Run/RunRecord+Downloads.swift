extension RunRecord {
    /// What kind of thing was fetched.
    package enum Kind: String, Hashable, Sendable, CaseIterable, Encodable {
        case url, manifest, pack
    }

    /// Where a download stood at the end; the words of the store.
    package enum State: String, Hashable, Sendable, CaseIterable, Encodable {
        case created, waiting, downloading, paused, finished, failed, cancelled
    }

    /// Whose number an error carries.
    package enum Domain: String, Hashable, Sendable, CaseIterable, Encodable {
        case apple, bahost, http, transport, errno
    }

    package struct Download: Hashable, Sendable, Encodable {
        package var identifier: String
        package var kind: Kind
        package var url: String
        package var state: State
        package var essential: Bool
        /// Received so far; the size when finished.
        package var bytes: Int64
        /// 64 lower-case hexadecimal digits, once finished.
        @Nullable package var sha256: String?
        /// Where the file is, once finished.
        @Nullable package var path: String?
        @Nullable package var error: Failure?

        package init(
            identifier: String, kind: Kind, url: String, state: State, essential: Bool,
            bytes: Int64, sha256: String? = nil, path: String? = nil, error: Failure? = nil
        ) {
            self.identifier = identifier
            self.kind = kind
            self.url = url
            self.state = state
            self.essential = essential
            self.bytes = bytes
            self.sha256 = sha256
            self.path = path
            self.error = error
        }
    }

    package struct Failure: Hashable, Sendable, Encodable {
        package var domain: Domain
        package var code: Int32
        package var name: String
        package var message: String

        package init(domain: Domain, code: Int32, name: String, message: String) {
            self.domain = domain
            self.code = code
            self.name = name
            self.message = message
        }
    }

    /// A wish that was not admitted.
    package struct Refusal: Hashable, Sendable, Encodable {
        package var identifier: String
        package var domain: Domain
        package var code: Int32
        package var name: String
        package var message: String

        package init(
            identifier: String, domain: Domain, code: Int32, name: String, message: String
        ) {
            self.identifier = identifier
            self.domain = domain
            self.code = code
            self.name = name
            self.message = message
        }
    }

    /// An answer of `bahost_should_download`; the default, yes, where the plugin has none.
    package struct Pack: Hashable, Sendable, Encodable {
        package var identifier: String
        /// Nil when there is no answer, or one that is neither yes nor no.
        @Nullable package var shouldDownload: Bool?
        /// What the entry point returned; nil when it was not called.
        @Nullable package var code: Int32?

        package init(identifier: String, shouldDownload: Bool? = nil, code: Int32? = nil) {
            self.identifier = identifier
            self.shouldDownload = shouldDownload
            self.code = code
        }
    }
}
