internal import Glibc
internal import LinuxSystem

/// Small texts of the kernel's.
///
/// `proc(5)`, `sysfs(5)`.
enum SystemText {
    /// The first 64 KiB at most; nil when there is nothing to read.
    static func read(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path, flags: O_RDONLY | O_NONBLOCK) else {
            return nil
        }
        var room = [UInt8](repeating: 0, count: 65_536)
        guard case .moved(let count) = DescriptorIO.read(file.raw, into: &room) else { return nil }
        return String(decoding: room[..<count], as: UTF8.self)
    }

    /// The first line, without its end.
    static func line(_ path: String) -> String? {
        read(path).map { $0.split(separator: "\n").first.map(String.init) ?? "" }
    }

    static func number(_ path: String) -> Int64? {
        line(path).flatMap { Int64($0) }
    }
}

/// A folder of a Swift runtime.
enum SwiftFolder {
    /// What the textual interface of the standard library there says of its compiler.
    ///
    /// Nil in an installation without it, which is enough to run plugins.
    static func version(_ folder: String, _ architecture: String) -> String? {
        let path = "\(folder)/Swift.swiftmodule/\(architecture)-unknown-linux-gnu.swiftinterface"
        guard let text = SystemText.read(path) else { return nil }
        let mark = "swift-compiler-version: Swift version "
        let line = text.split(separator: "\n").prefix(8).first { $0.contains(mark) }
        guard let start = line?.firstRange(of: mark)?.upperBound, let line else { return nil }
        let version = line[start...].prefix { $0.isNumber || $0 == "." }
        return version.isEmpty || version.utf8.count > 16 ? nil : String(version)
    }
}

/// A library of the system's.
enum SystemLibrary {
    /// Why the loader does not load it; nil when it does.
    ///
    /// `dlopen(3)`. It stays loaded.
    static func fault(_ name: String) -> String? {
        guard unsafe dlopen(name, RTLD_LAZY | RTLD_LOCAL) == nil else { return nil }
        guard let text = unsafe dlerror() else { return "cannot be loaded" }
        return unsafe String(cString: text)
    }
}

/// A folder that is to be written, or to be made.
enum WritableFolder {
    /// Looks at the deepest folder on the way that is there; makes nothing.
    ///
    /// `access(2)`, `statvfs(3)`.
    static func look(at path: String?, for purpose: String) -> DoctorFacts.Folder {
        guard let path else {
            return DoctorFacts.Folder(
                purpose, path: nil, fault: "neither XDG_STATE_HOME nor HOME is a folder",
                freeBytes: 0)
        }
        var place = path
        while unsafe access(place, F_OK) != 0, place != "/", place != "." {
            place = Paths.folder(of: place)
        }
        var fault: String?
        if unsafe access(place, W_OK | X_OK) != 0 { fault = SystemError.message(for: errno) }
        var status = statvfs()
        guard unsafe statvfs(place, &status) == 0 else {
            return DoctorFacts.Folder(purpose, path: place, fault: fault, freeBytes: 0)
        }
        let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return DoctorFacts.Folder(
            purpose, path: place, fault: fault, freeBytes: free.overflow ? .max : free.partialValue)
    }
}
