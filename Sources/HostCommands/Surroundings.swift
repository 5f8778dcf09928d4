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

    /// `TMPDIR` if that is absolute, else `/tmp`.
    var temporaryFolder: String {
        guard let named = environment["TMPDIR"], Paths.isAbsolute(named) else { return "/tmp" }
        return named
    }

    /// `BAHOST_WORKER`, else beside this program, else in the `libexec` of its prefix.
    func workerPath() throws(RunError) -> String {
        if let named = try named("BAHOST_WORKER", mode: X_OK, else: "no program to start") {
            return named
        }
        return try Surroundings.installed(
            "bahost-worker", mode: X_OK, else: "the program bahost-worker is missing")
    }

    /// The folder of the conformance suite's plugins: `BAHOST_CONFORMANCE`, else `conformance`
    /// beside this program, else in the `libexec` of its prefix.
    func conformanceFolder() throws(RunError) -> String {
        let mode = R_OK | X_OK
        if let named = try named("BAHOST_CONFORMANCE", mode: mode, else: "no folder to read") {
            return named
        }
        // A program may have the folder's name.
        return try Surroundings.installed(
            "conformance", holding: "/hostile.so", mode: R_OK,
            else: "the folder conformance with hostile.so is missing")
    }

    /// The place that a variable names; nil when it is not set.
    private func named(
        _ variable: String, mode: Int32, else fault: String
    ) throws(RunError) -> String? {
        guard let path = environment[variable] else { return nil }
        guard Paths.isAbsolute(path), unsafe access(path, mode) == 0 else {
            throw RunError(.hostBroken, "\(variable) names \(path), which is \(fault)")
        }
        return path
    }

    /// Beside this program, else in the `libexec` of its prefix; `part` must lie below it.
    private static func installed(
        _ name: String, holding part: String = "", mode: Int32, else fault: String
    ) throws(RunError) -> String {
        let program = Paths.resolved("/proc/self/exe") ?? "/"
        let folder = Paths.folder(of: program)
        let places = ["\(folder)/\(name)", "\(folder)/../libexec/bahost/\(name)"]
        guard let place = places.first(where: { unsafe access($0 + part, mode) == 0 }) else {
            throw RunError(.hostBroken, "\(fault); looked for \(places[0])")
        }
        return place
    }
}
