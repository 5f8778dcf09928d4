internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import WireProtocol

/// Says where a library that a file needs would be found, without loading it.
///
/// ld.so(8).
struct LibrarySearch {
    /// Those of the file's run path.
    let runFolders: [String]

    /// Of the Swift runtime, if the file needs it.
    let runtimeFolders: [String]

    func origin(of name: String) -> NeedOrigin {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else { return .unknown }
        if isIn(runtimeFolders, name) { return .swiftRuntime }
        if LoadedLibrary.isLoaded(name) || isIn(runFolders, name) || Self.isSystems(name) {
            return .system
        }
        return .missing
    }

    private func isIn(_ folders: [String], _ name: String) -> Bool {
        folders.contains { unsafe access($0 + "/" + name, R_OK) == 0 }
    }

    private static func isSystems(_ name: String) -> Bool {
        let folders = PluginReader.systemFolders.flatMap { [$0, "\($0)/\(triple)"] }
        return folders.contains { unsafe access($0 + "/" + name, R_OK) == 0 } || isCached(name)
    }

    private static var triple: String {
        switch Machine.host {
        case .x86_64: "x86_64-linux-gnu"
        case .aarch64: "aarch64-linux-gnu"
        }
    }

    /// The loader's cache names its libraries as texts that end with a zero.
    ///
    /// ldconfig(8).
    private static func isCached(_ name: String) -> Bool {
        guard let file = try? Descriptor.open("/etc/ld.so.cache", flags: O_RDONLY),
            let bytes = try? DescriptorIO.readAll(
                file.raw, limit: 1 << 20, subject: "/etc/ld.so.cache")
        else { return false }
        let wanted = Array(name.utf8)
        return bytes.split(separator: 0).contains { $0.elementsEqual(wanted) }
    }
}
