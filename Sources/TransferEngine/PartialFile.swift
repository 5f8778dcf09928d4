/// The file that grows while a transfer runs, with its hash following behind.
///
/// Only ever appended to, so its length never runs ahead of its bytes, not even over a power cut.
struct PartialFile: ~Copyable {
    /// What gathers before it is written: libcurl hands out 16 KiB at a time.
    private static let gathered = 64 << 10
    /// How much is written before the disk is told to begin.
    private static let writeBack: UInt64 = 8 << 20
    /// A smaller file does not say which version it is of.
    private static let saysVersion: UInt64 = 256 << 10

    let file: DataFile
    private(set) var hash: FollowingHash
    private let threads: DiskThreads
    private var waiting: [UInt8] = []
    private var written: UInt64 = 0
    /// Bytes in the file, those that are of no use included.
    private var inFile: UInt64
    private var givenToHash: UInt64 = 0
    private var givenToDisk: UInt64 = 0
    /// What the bytes are of, as long as the file has not been made to say it.
    private var unsaid: PartialVersion?
    private var maySayVersion: Bool
    private var hasDigest = false

    /// Bytes received, those not written yet included.
    var length: UInt64 { written + UInt64(waiting.count) }

    /// Opens or creates the file; a link or anything but a regular file is refused.
    init(path: String, threads: DiskThreads) throws(TransferFailure) {
        let file = try DataFile(path: path)
        let hash = try FollowingHash(of: file)
        self.file = file
        self.hash = hash
        self.threads = threads
        inFile = file.foundLength
        maySayVersion = inFile > 0
    }

    /// Which version the bytes are of, those to come included.
    ///
    /// Once there are some the file says it itself, so that a host that ends without a word can go on
    /// from all of them.
    mutating func setVersion(_ version: PartialVersion?) {
        unsaid = version
        guard version == nil, maySayVersion else { return }
        file.forgetVersion()
        maySayVersion = false
    }

    /// Takes over what was found in it, up to `length`.
    mutating func keep(_ length: UInt64) throws(TransferFailure) {
        if inFile != length { try file.truncate(to: length) }
        inFile = length
        written = length
        givenToDisk = length
        advanceHash()
    }

    mutating func append(_ bytes: RawSpan) throws(TransferFailure) {
        if waiting.count + bytes.byteCount > Self.gathered { try flush() }
        if waiting.isEmpty { waiting.reserveCapacity(Self.gathered) }
        unsafe bytes.withUnsafeBytes { unsafe waiting.append(contentsOf: $0) }
    }

    /// Writes what has gathered; nothing is kept of it when it cannot be written whole.
    mutating func flush() throws(TransferFailure) {
        guard !waiting.isEmpty else { return }
        defer { waiting.removeAll(keepingCapacity: true) }
        do throws(TransferFailure) {
            // SAFETY: bytes have no padding, so each is initialised.
            try file.write(unsafe waiting.span.bytes, at: written)
        } catch {
            try? file.truncate(to: written)
            throw error
        }
        written += UInt64(waiting.count)
        inFile = written
        if let version = unsaid, written >= Self.saysVersion {
            unsaid = nil
            if file.say(version) { maySayVersion = true }
        }
        if written - givenToHash >= FollowingHash.smallRest { advanceHash() }
        if written - givenToDisk >= Self.writeBack {
            threads.sync(.start(file, from: givenToDisk, count: written - givenToDisk))
            givenToDisk = written
        }
    }

    /// Back to nothing.
    mutating func restart() throws(TransferFailure) {
        waiting.removeAll(keepingCapacity: true)
        unsaid = nil
        // A file that was never written to has a hash that was never used.
        guard inFile > 0 || hasDigest else { return }
        hash.abandon()
        // In this order: a host that ends in between leaves no word without its bytes.
        if maySayVersion { file.forgetVersion() }
        try file.truncate(to: 0)
        (maySayVersion, hasDigest) = (false, false)
        (written, inFile, givenToHash, givenToDisk) = (0, 0, 0, 0)
        hash = try FollowingHash(of: file)
    }

    /// The digest of everything in it; nil when the hash is far behind, which ``advanceHash()`` mends.
    ///
    /// Only `restart` may follow a digest.
    mutating func digest() throws(TransferFailure) -> [UInt8]? {
        let digest = try hash.digest(of: written)
        hasDigest = digest != nil
        return digest
    }

    /// Lets the hash catch up with what is written.
    mutating func advanceHash() {
        givenToHash = written
        threads.follow(hash, to: written)
    }

    /// Has the bytes made durable soon, without waiting.
    func syncSoon() {
        threads.sync(.finish(file))
    }
}
