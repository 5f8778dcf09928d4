internal import Glibc
internal import HostEngine
internal import LinuxSystem

/// What the meaning of a command line depends on besides its words.
package struct Surroundings: Hashable, Sendable {
    package let environment: [String: String]

    /// The current folder, absolute; ``unknownFolder`` when ``folderFault`` says why.
    package let folder: String

    /// Why the current folder has no path that can be used: it is removed, or not UTF-8.
    package let folderFault: String?

    package init(environment: [String: String], folder: String) {
        self.environment = environment
        self.folder = folder
        folderFault = nil
    }

    /// Of this process.
    init(environment: [String: String]) {
        self.environment = environment
        do throws(SystemError) {
            folder = try Paths.workingFolder()
            folderFault = nil
        } catch {
            folder = Surroundings.unknownFolder
            folderFault = error.code == EILSEQ ? "its path is not UTF-8" : "\(error)"
        }
    }

    /// What relative paths begin with when nobody knows what they are relative to.
    static let unknownFolder = "/proc/self/cwd"
}

extension Surroundings {
    /// Layers to treat as refused by the kernel, so that degraded machines can be tested.
    var absentLayers: [String] {
        (environment["BAHOST_ABSENT_LAYERS"] ?? "")
            .split(separator: ",").prefix(32).map(String.init)
    }

    /// `BAHOST_WORKER`, else beside this program, else in the `libexec` of its prefix.
    func workerPath() throws(RunError) -> String {
        if let named = environment["BAHOST_WORKER"] {
            guard named.hasPrefix("/"), unsafe access(named, X_OK) == 0 else {
                throw RunError(
                    .hostBroken, "BAHOST_WORKER names \(named), which is no program to start")
            }
            return named
        }
        let places = Surroundings.installed("bahost-worker", mode: X_OK)
        if let place = places.found { return place }
        throw RunError(
            .hostBroken, "the program bahost-worker is missing; looked for \(places.first)")
    }

    /// The folder of the conformance suite's plugins: `BAHOST_CONFORMANCE`, else `conformance`
    /// beside this program, else in the `libexec` of its prefix.
    func conformanceFolder() throws(RunError) -> String {
        if let named = environment["BAHOST_CONFORMANCE"] {
            guard named.hasPrefix("/"), unsafe access(named, R_OK | X_OK) == 0 else {
                throw RunError(
                    .hostBroken, "BAHOST_CONFORMANCE names \(named), which is no folder to read")
            }
            return named
        }
        // A program may have the folder's name.
        let places = Surroundings.installed("conformance", holding: "/hostile.so", mode: R_OK)
        if let place = places.found { return place }
        throw RunError(
            .hostBroken,
            "the folder conformance with hostile.so is missing; looked for \(places.first)")
    }

    /// Beside this program, else in the `libexec` of its prefix; `part` must lie below it.
    private static func installed(
        _ name: String, holding part: String = "", mode: Int32
    ) -> (found: String?, first: String) {
        let program = Paths.resolved("/proc/self/exe") ?? "/"
        let folder = Paths.folder(of: program)
        let places = ["\(folder)/\(name)", "\(folder)/../libexec/bahost/\(name)"]
        return (places.first { unsafe access($0 + part, mode) == 0 }, places[0])
    }
}
