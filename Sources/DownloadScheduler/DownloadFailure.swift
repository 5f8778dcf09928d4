/// Why a download failed, in the form that records and `bahost_error` carry.
package struct DownloadFailure: Hashable, Sendable {
    /// Whose numbers ``DownloadFailure/code`` uses; the raw values are the words of records.
    package enum Domain: String, CaseIterable, Hashable, Sendable {
        case apple, bahost, http, transport, errno
    }

    package var domain: Domain
    package var code: Int32
    /// The status of the last answer, or 0 without one.
    package var httpStatus: Int32
    /// One sentence for people.
    package var message: String

    package init(domain: Domain, code: Int32, httpStatus: Int32 = 0, message: String) {
        self.domain = domain
        self.code = code
        self.httpStatus = httpStatus
        self.message = message
    }
}
