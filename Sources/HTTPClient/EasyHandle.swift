internal import CCurl

/// An owned `CURL` with everything libcurl only borrows: header list, error text, gate.
///
/// libcurl-easy(3).
@safe struct EasyHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private let gate: UnsafeMutablePointer<bah_curl_gate>
    private var headers: UnsafeMutablePointer<curl_slist>?

    init() throws(HTTPClientError) {
        try CurlLibrary.load()
        guard let opened = unsafe bah_curl_easy_open() else {
            throw HTTPClientError(code: .outOfMemory, subject: "no memory for a transfer")
        }
        unsafe pointer = opened
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe gate = .allocate(capacity: 1)
        unsafe headers = nil
        unsafe gate.initialize(
            to: bah_curl_gate(
                judge: { _, _, _ in 0 }, opened: { _, _ in }, confirm: { _, _ in 0 }, context: nil))
    }

    deinit {
        // SAFETY: libcurl lets go of the other three when the handle is closed, so it goes first.
        unsafe bah_curl_easy_close(pointer)
        unsafe bah_curl_free_list(headers)
        unsafe errorText.deallocate()
        unsafe gate.deallocate()
    }

    /// What libcurl said about the failure, or its general sentence for `code`.
    func message(for code: CURLcode) -> String {
        let special = unsafe String(cString: errorText)
        return special.isEmpty ? unsafe String(cString: bah_curl_describe_code(code)) : special
    }

    func set(_ option: CURLoption, _ value: Int) throws(HTTPClientError) {
        try check(unsafe bah_curl_set_long(pointer, option, value), option)
    }

    func set(_ option: CURLoption, _ text: String) throws(HTTPClientError) {
        try check(unsafe bah_curl_set_text(pointer, option, text), option)
    }

    /// Adds a line to the headers that ``useHeaders()`` hands over.
    mutating func append(header: String) throws(HTTPClientError) {
        guard let longer = unsafe bah_curl_append_list(headers, header) else {
            throw HTTPClientError(code: .outOfMemory, subject: "no memory for a header")
        }
        unsafe headers = longer
    }

    func useHeaders() throws(HTTPClientError) {
        try check(
            unsafe bah_curl_set_list(pointer, CURLOPT_HTTPHEADER, headers), CURLOPT_HTTPHEADER)
    }

    /// Ending a transfer does not wait for a name lookup, where libcurl can do so.
    func leaveResolver() throws(HTTPClientError) {
        let code = unsafe bah_curl_leave_resolver(pointer)
        guard code != CURLE_OK else { return }
        let reason = unsafe String(cString: bah_curl_describe_code(code))
        throw HTTPClientError(
            code: code == CURLE_OUT_OF_MEMORY ? .outOfMemory : .refusedByLibrary,
            subject: "libcurl refused to leave its resolver alone: \(reason)")
    }

    func useErrorText() throws(HTTPClientError) {
        try check(
            unsafe bah_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText),
            CURLOPT_ERRORBUFFER)
    }

    /// Installs the callbacks; `context` must outlive the handle.
    func connect(
        context: UnsafeMutableRawPointer, header: bah_curl_receive, body: bah_curl_receive,
        judge: bah_curl_judge, opened: bah_curl_opened, confirm: bah_curl_confirm
    ) throws(HTTPClientError) {
        unsafe gate.pointee = unsafe bah_curl_gate(
            judge: judge, opened: opened, confirm: confirm, context: context)
        try check(unsafe bah_curl_set_gate(pointer, gate), CURLOPT_OPENSOCKETFUNCTION)
        try unsafe connect(CURLOPT_HEADERFUNCTION, header, CURLOPT_HEADERDATA, context)
        try unsafe connect(CURLOPT_WRITEFUNCTION, body, CURLOPT_WRITEDATA, context)
    }

    private func connect(
        _ option: CURLoption, _ receive: bah_curl_receive, _ data: CURLoption,
        _ context: UnsafeMutableRawPointer
    ) throws(HTTPClientError) {
        try check(unsafe bah_curl_set_receiver(pointer, option, receive), option)
        try check(unsafe bah_curl_set_pointer(pointer, data, context), data)
    }

    private func check(_ code: CURLcode, _ option: CURLoption) throws(HTTPClientError) {
        guard code != CURLE_OK else { return }
        let reason = unsafe String(cString: bah_curl_describe_code(code))
        throw HTTPClientError(
            code: code == CURLE_OUT_OF_MEMORY ? .outOfMemory : .refusedByLibrary,
            subject: "libcurl refused option \(option.rawValue): \(reason)")
    }
}
