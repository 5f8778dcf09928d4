internal import CPluginSDK
internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import WireProtocol

/// The plugin in this process: never unloaded.
///
/// dlopen(3).
@safe struct LoadedLibrary {
    let image: PluginImage
    private let handle: UnsafeMutableRawPointer

    /// Loads the file that `plugin` was read from; its constructors run here.
    init(_ path: String, _ plugin: InspectedPlugin) throws(LoadRefusal) {
        guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw LoadRefusal("the loader says: \(LoadedLibrary.loaderMessage())")
        }
        image = plugin.image
        unsafe self.handle = handle
        let expected = plugin.tagBytes
        guard let tag = unsafe dlsym(handle, PluginTag.symbolName), !expected.isEmpty,
            unsafe memcmp(tag, expected, expected.count) == 0
        else {
            throw LoadRefusal("the file's tag has changed while the file was loaded")
        }
    }

    /// The function of an entry point that the file itself exports, or nil.
    func function(_ entry: EntryPoint) -> UnsafeMutableRawPointer? {
        guard image.entryPoints.contains(entry.symbol) else { return nil }
        return unsafe dlsym(handle, entry.symbol)
    }

    /// Calls the plugin's `main` when its tag says so.
    ///
    /// SDK/ABI.md.
    func callMain(path: String, _ arena: CallArena) throws(LoadRefusal) {
        guard image.tag.registersByMain else { return }
        guard let symbol = unsafe dlsym(handle, "main") else {
            throw LoadRefusal("the file has no main, by which its tag says it registers")
        }
        typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        typealias Main = @convention(c) (Int32, Arguments?) -> Int32
        // SAFETY: a program's main by name; the file exports it as a function.
        let main = unsafe unsafeBitCast(symbol, to: Main.self)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [
            UnsafeMutablePointer(mutating: arena.text(path)), nil,
        ]
        let status = unsafe main(1, &arguments)
        guard status == 0 else {
            throw LoadRefusal("the file's main returned \(status)")
        }
    }

    /// Loads libraries of the host's runtime that the file needs, for everyone to see.
    ///
    /// They belong to the worker, not to the plugin: the limit counts from after them.
    static func preload(_ names: [String], from folders: [String]) throws(LoadRefusal) {
        for name in names {
            for path in folders.map({ $0 + "/" + name }) where unsafe access(path, F_OK) == 0 {
                guard unsafe dlopen(path, RTLD_NOW | RTLD_GLOBAL) != nil else {
                    throw LoadRefusal("the runtime cannot be loaded: \(loaderMessage())")
                }
                break
            }
        }
    }

    /// True when a library of this name, or this path's file, is loaded already.
    static func isLoaded(_ name: String) -> Bool {
        unsafe dlopen(name, RTLD_NOW | RTLD_NOLOAD) != nil
    }

    /// Loads a library of the system's, by path or name, for the plugin that needs it.
    ///
    /// What it may write is paid from the memory limit, which is in force.
    static func loadNeeded(_ library: String) throws(LoadRefusal) {
        guard unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL) == nil else { return }
        let message = loaderMessage()
        let isMemory = ["cannot map zero-fill", "failed to map segment", "Cannot allocate memory"]
            .contains { message.contains($0) }
        guard isMemory else { throw LoadRefusal("the loader says: \(message)") }
        // The loader's sentence begins with the path of the library that it could not load.
        let path = message.prefix { $0 != ":" }
        throw LoadRefusal("\(tooLarge(path)); the loader says: \(message)")
    }

    /// The sentence for a library, by its path or name.
    static func tooLarge(_ path: Substring) -> String {
        let name = path.split(separator: "/").last ?? path
        return "\(name) needs more writable memory than the limit leaves"
    }

    private static func loaderMessage() -> String {
        guard let message = unsafe dlerror() else { return "nothing" }
        let length = unsafe strnlen(message, 2048)
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: message, count: length))
        return LogText.make(bytes)
    }
}
