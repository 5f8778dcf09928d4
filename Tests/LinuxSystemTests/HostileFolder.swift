import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// A plugin's folder `in/`, a host's `private/`, and `outside/`, which nobody may touch.
final class HostileFolder: Sendable {
    let scratch: ScratchFolder
    let folder: ConfinedFolder
    private let isOrdinary: Bool

    /// How the folder is reached, and with whose rights.
    struct Way: CustomTestStringConvertible, Sendable {
        let canResolve: Bool
        var isOrdinary = false

        static let all = [true, false].flatMap { canResolve in
            [false, true].map { Way(canResolve: canResolve, isOrdinary: $0) }
        }

        var testDescription: String {
            (canResolve ? "openat2" : "name by name") + (isOrdinary ? ", ordinary user" : "")
        }
    }

    private var owner: UInt32 { isOrdinary ? OrdinaryUser.identifier : geteuid() }

    var inside: String { "\(scratch.path)/in" }
    var outside: String { "\(scratch.path)/outside" }
    static let secret = "nobody may touch this\n"

    /// - Parameters:
    ///   - way: How it is reached; everything belongs to the user of that.
    ///   - newOwner: Who owns what the host puts in.
    /// - Throws: What the system said when something could not be made.
    init(_ way: Way, newOwner: UInt32? = nil) throws {
        isOrdinary = way.isOrdinary
        scratch = try ScratchFolder("beneath")
        let path = scratch.path
        #expect(unsafe chmod(path, 0o777) == 0)
        for name in ["in", "private", "outside", "outside/inner"] {
            #expect(unsafe mkdir("\(path)/\(name)", 0o700) == 0)
        }
        try scratch.write("outside/secret", HostileFolder.secret)
        #expect(unsafe chmod("\(path)/outside/secret", 0o640) == 0)
        for name in way.isOrdinary ? ["in", "private", "outside", "outside/secret"] : [] {
            let status = unsafe chown("\(path)/\(name)", OrdinaryUser.identifier, getegid())
            #expect(status == 0)
        }
        let opened = try Descriptor.open("\(path)/in", flags: O_RDONLY | O_DIRECTORY)
        folder = try ConfinedFolder(
            opened, path: "\(path)/in", newOwner: newOwner, canResolve: way.canResolve)
    }

    /// A host's file, ready to be moved in; its path.
    func draft(_ text: String = "host") throws -> String {
        try scratch.write("private/draft", text)
    }

    func link(_ name: String, to target: String) {
        #expect(unsafe symlink(target, "\(inside)/\(name)") == 0)
    }

    /// True when all outside is as it was made.
    func isOutsideUntouched() throws -> Bool {
        var status = stat()
        guard unsafe lstat("\(outside)/secret", &status) == 0 else { return false }
        let text = try String(contentsOfFile: "\(outside)/secret", encoding: .utf8)
        return scratch.contents(of: "outside") == ["inner", "secret"]
            && text == HostileFolder.secret && status.st_mode & 0o7777 == 0o640
            && status.st_uid == owner
    }

    /// Runs a body with the rights of the folder's user.
    func run(_ body: () throws -> Void) throws {
        if isOrdinary { try OrdinaryUser.run(body) } else { try body() }
    }

    /// The kernel's number with which a body fails; nil when it does not, -1 when it is another
    /// error.
    func code(_ body: (ConfinedFolder) throws -> Void) -> Int32? {
        do {
            try body(folder)
            return nil
        } catch {
            return (error as? SystemError)?.code ?? -1
        }
    }
}
