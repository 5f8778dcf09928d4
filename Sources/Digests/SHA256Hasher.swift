internal import CCrypto

/// A SHA-256 computation in progress: bytes in, in any portions, one digest out.
///
/// The state has a constant size (under 1 KiB, kept by libcrypto) however much is hashed. Algorithm:
/// FIPS 180-4; interface: `EVP_DigestInit(3ssl)`.
@safe package struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    /// Starts a hash of nothing.
    ///
    /// - Throws: ``DigestsError`` with `outOfMemory`, or `refused` when libcrypto has no SHA-256.
    package init() throws(DigestsError) {
        guard let context = unsafe EVP_MD_CTX_new() else {
            throw DigestsError(code: .outOfMemory, subject: "EVP_MD_CTX_new")
        }
        guard unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw DigestsError(code: .refused, subject: "EVP_DigestInit_ex")
        }
        unsafe self.context = context
    }

    /// Appends `bytes`; an empty span changes nothing.
    ///
    /// - Throws: ``DigestsError`` with `refused`; the digest is then lost.
    package mutating func update(_ bytes: RawSpan) throws(DigestsError) {
        let context = unsafe self.context
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe EVP_DigestUpdate(context, buffer.baseAddress, buffer.count)
        }
        guard status == 1 else { throw DigestsError(code: .refused, subject: "EVP_DigestUpdate") }
    }

    /// Appends the bytes of a buffer that C code owns, as libcurl's write callback hands it over.
    ///
    /// - Throws: ``DigestsError`` with `refused`; the digest is then lost.
    @unsafe package mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DigestsError) {
        // SAFETY: the caller vouches for the buffer; the span ends with this call.
        try update(unsafe bytes.bytes)
    }

    /// Appends the bytes of an array.
    ///
    /// - Throws: ``DigestsError`` with `refused`; the digest is then lost.
    package mutating func update(_ bytes: [UInt8]) throws(DigestsError) {
        // SAFETY: bytes have no padding, so each is initialised.
        try update(unsafe bytes.span.bytes)
    }

    /// Ends the computation and gives the 32 bytes of the digest.
    ///
    /// - Throws: ``DigestsError`` with `refused`.
    package consuming func finalize() throws(DigestsError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
        // SAFETY: SHA-256 writes exactly 32 bytes (FIPS 180-4), the size of `digest`.
        let status = unsafe EVP_DigestFinal_ex(context, &digest, nil)
        guard status == 1 else { throw DigestsError(code: .refused, subject: "EVP_DigestFinal_ex") }
        return digest
    }

    deinit {
        // SAFETY: `context` came from EVP_MD_CTX_new and never left this value.
        unsafe EVP_MD_CTX_free(context)
    }
}
