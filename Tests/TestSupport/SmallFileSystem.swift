internal import LinuxSystem

/// A small file system in memory that only the programs started through it see.
///
/// An ordinary user has one as well: in a user namespace, as `unshare(1)` makes it. It goes with this
/// value, and after a quarter of an hour at the latest.
package final class SmallFileSystem {
    /// Where the programs see it.
    package let path: String

    private let scratch: ScratchFolder
    private let holder: ProgramRun
    private let hasUserNamespace: Bool

    /// Why there is none on this machine.
    package struct Refused: Error {
        package let reason: String
    }

    /// - Parameters:
    ///   - mebibytes: Its size.
    ///   - user: Who has it; nil for the tests' own user. Only root can choose.
    /// - Throws: ``Refused`` with what the kernel said.
    package init(mebibytes: Int, user: UInt32? = nil) throws {
        scratch = try ScratchFolder("small")
        path = "\(scratch.path)/disk"
        let isRoot = OrdinaryUser.isRoot && (user ?? 0) == 0
        hasUserNamespace = !isRoot
        let made = try runProgram("/bin/mkdir", ["-m", "0777", path])
        guard made.status == 0 else { throw Refused(reason: made.errors) }
        let other =
            user.map { ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] }
            ?? ["/usr/bin/env"]
        let options = isRoot ? ["-m"] : ["-r", "-m"]
        let script = """
            mount -t tmpfs -o size=\(mebibytes)m,mode=0777 none "$1" && echo ready && exec sleep 900
            """
        holder = try ProgramRun(
            other[0],
            other.dropFirst() + ["/usr/bin/unshare"] + options
                + ["--propagation", "private", "/bin/sh", "-c", script, "sh", path],
            workingFolder: "/")
        let isReady = try eventually {
            try holder.outputSoFar == "ready\n" || holder.hasEnded()
        }
        guard isReady, holder.outputSoFar == "ready\n" else {
            throw Refused(reason: holder.errorsSoFar)
        }
    }

    /// Where the tests see it themselves.
    package var outerPath: String { "/proc/\(holder.pid)/root\(path)" }

    /// Starts a program that sees it.
    ///
    /// - Parameters:
    ///   - program: Absolute.
    ///   - arguments: Without the program's name.
    ///   - environment: Added to a small clean one.
    /// - Returns: The program, running.
    /// - Throws: What the system said when it could not be started.
    package func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> ProgramRun {
        // Who is no root may not set groups, and is the right user as it is.
        let identity = OrdinaryUser.isRoot ? ["-U"] : ["-U", "--preserve-credentials"]
        let spaces = (hasUserNamespace ? identity : []) + ["-m", "-t", "\(holder.pid)"]
        return try ProgramRun(
            "/usr/bin/nsenter", spaces + ["--", program] + arguments, environment: environment)
    }

    /// Why there can be none here; nil when there can.
    package static let refusal: String? = {
        do {
            _ = try SmallFileSystem(mebibytes: 1)
            return nil
        } catch let refused as Refused {
            return refused.reason
        } catch {
            return "\(error)"
        }
    }()
}
