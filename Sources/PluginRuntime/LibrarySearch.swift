internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import WireProtocol

/// Says where a library that a file needs would be found, without loading it.
///
/// ld.so(8).
struct LibrarySearch {
    private let runtimeFolders: [String]

    /// Of the run path, then the system's.
    private let folders: [String]

    /// The loader's cache names its libraries as texts that end with a zero.
    ///
    /// ldconfig(8).
    private lazy var cached = Self.cachedTexts()

    /// - Parameters:
    ///   - runFolders: Of the file's run path.
    ///   - runtimeFolders: Of the Swift runtime, if the file needs it.
    init(runFolders: [String], runtimeFolders: [String]) {
        self.runtimeFolders = runtimeFolders
        folders =
            runFolders + PluginReader.systemFolders.flatMap { [$0, "\($0)/\(Self.triple)"] }
    }

    mutating func origin(of name: String) -> NeedOrigin {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else { return .unknown }
        if isIn(runtimeFolders, name) { return .swiftRuntime }
        if LoadedLibrary.isLoaded(name) || isIn(folders, name) || isCached(name) {
            return .system
        }
        return .missing
    }

    private func isIn(_ folders: [String], _ name: String) -> Bool {
        folders.contains { unsafe access($0 + "/" + name, R_OK) == 0 }
    }

    private static var triple: String {
        switch Machine.host {
        case .x86_64: "x86_64-linux-gnu"
        case .aarch64: "aarch64-linux-gnu"
        }
    }

    private mutating func isCached(_ name: String) -> Bool {
        let wanted = Array(name.utf8)
        return cached.contains { $0.elementsEqual(wanted) }
    }

    private static func cachedTexts() -> [ArraySlice<UInt8>] {
        guard let file = try? Descriptor.open("/etc/ld.so.cache", flags: O_RDONLY),
            let bytes = try? DescriptorIO.readAll(
                file.raw, limit: 1 << 20, subject: "/etc/ld.so.cache")
        else { return [] }
        return bytes.split(separator: 0)
    }
}
