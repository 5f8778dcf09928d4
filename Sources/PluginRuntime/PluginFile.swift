internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import WireProtocol

/// Why a plugin is not loaded, as the host is told.
struct LoadRefusal: Error, Hashable {
    let isMismatch: Bool
    let sentence: String

    init(_ sentence: String, isMismatch: Bool = false) {
        self.sentence = sentence
        self.isMismatch = isMismatch
    }

    init(_ error: PluginImageError) {
        self.init(error.sentence, isMismatch: error.isMismatch)
    }
}

/// A plugin's file, mapped read-only for looking at it without running it.
@safe struct PluginFile: ~Copyable {
    private let map: UnsafeRawBufferPointer

    /// Opens a regular file; whatever else is there is refused without waiting for it.
    init(_ path: String) throws(LoadRefusal) {
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
        let size = Int(status.st_size)
        guard size > 0 else {
            unsafe map = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        let start = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file.raw, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else {
            throw LoadRefusal("the file cannot be mapped: \(SystemError.message(for: errno))")
        }
        unsafe map = UnsafeRawBufferPointer(start: start, count: size)
    }

    deinit {
        guard let start = unsafe map.baseAddress else { return }
        // SAFETY: mapped above, and no view of it outlives this value.
        unsafe munmap(UnsafeMutableRawPointer(mutating: start), map.count)
    }

    /// The file's bytes, while this value lives.
    var bytes: UnsafeRawBufferPointer { unsafe map }

    /// True when `count` bytes of memory equal those of the file from `offset` on.
    func equals(_ memory: UnsafeRawPointer, offset: Int, count: Int) -> Bool {
        guard offset >= 0, count >= 0, unsafe offset <= map.count - count,
            let start = unsafe map.baseAddress
        else { return false }
        return unsafe memcmp(start + offset, memory, count) == 0
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
