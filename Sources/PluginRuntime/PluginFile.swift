internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import WireProtocol

/// Why a plugin is not loaded, as the host is told.
struct LoadRefusal: Error, Hashable {
    let isMismatch: Bool
    let sentence: String

    /// What kind of fact was found, when reading a file has found it.
    let code: PluginImageError.Code?

    init(_ sentence: String, isMismatch: Bool = false, code: PluginImageError.Code? = nil) {
        self.code = code
        self.sentence = sentence
        self.isMismatch = isMismatch
    }

    init(_ error: PluginImageError) {
        self.init(error.sentence, isMismatch: error.isMismatch, code: error.code)
    }
}

/// A plugin's file, mapped read-only for looking at it without running it.
@safe struct PluginFile: ~Copyable {
    private let map: UnsafeRawBufferPointer

    /// Which file it is, whatever its path.
    let identity: FileIdentity

    /// The largest file that is read: 2 GiB.
    ///
    /// Far more than can be loaded; the rest of a file is what debuggers read.
    static let mostBytes = 1 << 31

    /// Opens a regular file; whatever else is there is refused without waiting for it.
    init(_ path: String) throws(LoadRefusal) {
        let (found, number) = unsafe try PluginFile.map(path)
        unsafe map = found
        identity = number
    }

    private static func map(
        _ path: String
    ) throws(LoadRefusal) -> (UnsafeRawBufferPointer, FileIdentity) {
        let file: OwnedDescriptor
        do { file = try Descriptor.open(path, flags: O_RDONLY | O_NONBLOCK) } catch {
            throw PluginFile.refusal(error)
        }
        var status = stat()
        guard unsafe fstat(file.raw, &status) == 0 else {
            throw LoadRefusal("the file cannot be looked at")
        }
        if let kind = PluginFile.kind(status.st_mode) {
            throw LoadRefusal("the file is \(kind), not a regular file")
        }
        let identity = FileIdentity(status)
        let size = Int(status.st_size)
        guard size <= mostBytes else {
            let (length, most) = (
                ByteCount(bytes: UInt64(size)), ByteCount(bytes: UInt64(mostBytes))
            )
            throw LoadRefusal("the file is \(length) long, at most \(most) is read")
        }
        guard size > 0 else {
            return unsafe (UnsafeRawBufferPointer(start: nil, count: 0), identity)
        }
        let start = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file.raw, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else {
            throw LoadRefusal("the file cannot be mapped: \(SystemError.message(for: errno))")
        }
        return unsafe (UnsafeRawBufferPointer(start: start, count: size), identity)
    }

    deinit {
        guard let start = unsafe map.baseAddress else { return }
        // SAFETY: mapped above, and no view of it outlives this value.
        unsafe munmap(UnsafeMutableRawPointer(mutating: start), map.count)
    }

    /// The file's bytes, while this value lives.
    var bytes: UnsafeRawBufferPointer { unsafe map }

    /// A copy of `count` bytes from `offset` on; empty when they are not all there.
    func copy(offset: Int, count: Int) -> [UInt8] {
        guard offset >= 0, count >= 0, unsafe offset <= map.count - count else { return [] }
        return unsafe [UInt8](map[offset..<offset + count])
    }

    private static func refusal(_ error: SystemError) -> LoadRefusal {
        switch error.code {
        case ENOENT, ENOTDIR: LoadRefusal("no such file")
        case ENXIO: LoadRefusal("the file is a socket or a device, not a regular file")
        case EACCES:
            LoadRefusal(
                "the file may not be read by user \(ProcessConfinement.user), as which plugins run")
        default:
            LoadRefusal("the file cannot be opened: \(SystemError.message(for: error.code))")
        }
    }

    /// What a file is when it is not a regular one.
    private static func kind(_ mode: mode_t) -> String? {
        switch mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a directory"
        case S_IFIFO: "a FIFO"
        case S_IFCHR, S_IFBLK: "a device"
        default: "of a special kind"
        }
    }
}
