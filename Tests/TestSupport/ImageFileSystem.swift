import Foundation
internal import LinuxSystem

/// A real file system in a file, mounted where only the programs started through it see it.
///
/// For root alone, who may use loop devices. It goes with this value, and after a quarter of an hour
/// at the latest.
package final class ImageFileSystem {
    package enum Format: String, CaseIterable, Sendable {
        case ext4
        case btrfs
    }

    /// Where the programs see it.
    package let path: String

    private let scratch: ScratchFolder
    private let holder: ProgramRun

    /// Why there is none on this machine.
    package struct Refused: Error {
        package let reason: String
    }

    /// Makes it, 128 MiB large.
    ///
    /// - Parameter format: What it is.
    /// - Throws: ``Refused`` with what the system said.
    package init(_ format: Format) throws {
        scratch = try ScratchFolder("image")
        path = "\(scratch.path)/disk"
        let script = """
            PATH=$PATH:/usr/sbin:/sbin
            mkdir "$1" && truncate -s 128M "$1.image" && mkfs.\(format) -q "$1.image" >&2 &&
            mount -o loop "$1.image" "$1" && chmod 0777 "$1" && echo ready && exec sleep 900
            """
        holder = try ProgramRun(
            "/usr/bin/unshare",
            ["-m", "--propagation", "private", "/bin/sh", "-c", script, "sh", path],
            workingFolder: "/")
        let isReady = try eventually {
            try holder.outputSoFar == "ready\n" || holder.hasEnded()
        }
        guard isReady, holder.outputSoFar == "ready\n" else {
            throw Refused(reason: holder.errorsSoFar)
        }
    }

    deinit {
        // The mount goes with the last program in its namespace, the device with the mount.
        holder.signal(9)
        _ = try? holder.wait()
    }

    /// Where the tests see it themselves.
    package var outerPath: String { "/proc/\(holder.pid)/root\(path)" }

    /// Runs a line of the shell's in it, to its end.
    package func run(_ line: String) throws -> ProgramResult {
        let spaces = ["-m", "-t", "\(holder.pid)"]
        let script = "cd \"$1\" && eval \"$2\""
        return try runProgram(
            "/usr/bin/nsenter", spaces + ["--", "/bin/sh", "-c", script, "sh", path, line])
    }

    /// A machine where there can be none fails the tests that need one.
    package static let isNeeded =
        ProcessInfo.processInfo.environment["BAHOST_NEEDS_DISKS"] != nil

    /// Why there can be none here; nil when there can be each of them.
    package static let refusal: String? = {
        do {
            for format in Format.allCases { _ = try ImageFileSystem(format) }
            return nil
        } catch let refused as Refused {
            return refused.reason
        } catch {
            return "\(error)"
        }
    }()
}
