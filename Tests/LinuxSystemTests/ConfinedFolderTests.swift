import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Each with openat2(2) and name by name.
@Suite struct ConfinedFolderTests {
    private static let ways = [true, false].map { HostileFolder.Way(canResolve: $0) }

    /// Link targets: absolute, relative, to a folder, dangling, and to what is no place.
    private static let targets = [
        "/etc/passwd", "../outside/secret", "../outside", "../outside/none", "none", "/", "..", ".",
        "/proc/self/cwd", "/proc/self/root", "/proc/self/fd/0",
    ]

    @Test(arguments: HostileFolder.Way.all, targets)
    func linksAreToldAndNeverFollowed(way: HostileFolder.Way, target: String) throws {
        let hostile = try HostileFolder(way)
        hostile.link("link", to: target)
        try hostile.run {
            let draft = try hostile.draft()
            for path in ["link", "link/secret", "link/inner/x"] {
                #expect(hostile.code { _ = try $0.open(path) } == ELOOP)
                #expect(hostile.code { _ = try $0.names(in: path, limit: 9) } == ELOOP)
            }
            for path in ["link/secret", "link/inner", "link/inner/x"] {
                #expect(hostile.code { _ = try $0.status(path) } == ELOOP)
                #expect(hostile.code { try $0.take(draft, as: path) } == ELOOP)
                #expect(hostile.code { try $0.remove(path) } == ELOOP)
                #expect(hostile.code { try $0.removeFolder(path) } == ELOOP)
            }
            #expect(hostile.code { try $0.removeFolder("link") } == ENOTDIR)
            #expect(try hostile.folder.status("link")?.kind == .link)
        }
        #expect(hostile.scratch.contents(of: "in") == ["link"])
        #expect(try hostile.isOutsideUntouched())
    }

    @Test(arguments: HostileFolder.Way.all, targets)
    func linksAreReplacedAndRemovedThemselves(way: HostileFolder.Way, target: String) throws {
        let hostile = try HostileFolder(way)
        try hostile.run {
            hostile.link("name", to: target)
            try hostile.folder.take(try hostile.draft(), as: "name")
            #expect(try hostile.folder.status("name")?.kind == .file)
            hostile.link("third", to: target)
            #expect(try hostile.folder.remove("third"))
        }
        #expect(hostile.scratch.contents(of: "in") == ["name"])
        #expect(try hostile.isOutsideUntouched())
    }

    @Test(arguments: ways)
    func anotherNameOfAReplacedFileKeepsItsContent(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        for name in ["replaced", "removed"] {
            #expect(unsafe link("\(hostile.outside)/secret", "\(hostile.inside)/\(name)") == 0)
        }
        #expect(try hostile.folder.status("replaced")?.links == 3)
        try hostile.folder.take(try hostile.draft(), as: "replaced")
        #expect(try hostile.folder.remove("removed"))
        let file = try hostile.folder.open("replaced")
        #expect(try readText(file.raw) == "host")
        #expect(try hostile.isOutsideUntouched())
    }

    @Test(arguments: ways)
    func whatIsNoFileIsNotOpenedAndNotWaitedFor(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        #expect(unsafe mkfifo("\(hostile.inside)/fifo", 0o600) == 0)
        #expect(unsafe mkdir("\(hostile.inside)/folder", 0o700) == 0)
        let socket = try UnixSocketFile("\(hostile.inside)/socket")
        #expect(try hostile.folder.status("fifo")?.kind == .fifo)
        #expect(try hostile.folder.status("folder")?.kind == .folder)
        #expect(try hostile.folder.status("socket")?.kind == .socket)
        #expect(hostile.code { _ = try $0.open("fifo") } == ENOTSUP)
        #expect(hostile.code { _ = try $0.open("folder") } == EISDIR)
        #expect(hostile.code { _ = try $0.open("socket") } == ENXIO)
        // Only root makes one, and not in every container.
        if unsafe mknod("\(hostile.inside)/device", S_IFCHR | 0o600, 0x103) == 0 {
            #expect(try hostile.folder.status("device")?.kind == .device)
            let code = hostile.code { _ = try $0.open("device") }
            #expect(code == ENOTSUP || code == EACCES)
            #expect(try hostile.folder.remove("device"))
        }
        #expect(try hostile.folder.remove("socket"))
        try hostile.folder.take(try hostile.draft(), as: "fifo")
        #expect(try hostile.folder.status("fifo")?.kind == .file)
        #expect(hostile.code { try $0.take(try hostile.draft(), as: "folder") } == EISDIR)
        #expect(hostile.code { try $0.remove("folder") } == EISDIR)
        #expect(hostile.scratch.contents(of: "private") == ["draft"])
        withExtendedLifetime(socket) {}
    }

    @Test(arguments: ways)
    func otherMountsAreRefused(way: HostileFolder.Way) throws {
        let root = try Descriptor.open("/", flags: O_RDONLY | O_DIRECTORY)
        let folder = try ConfinedFolder(root, path: "/", canResolve: way.canResolve)
        for path in ["proc", "proc/self", "proc/self/status", "proc/1/root"] {
            let error = #expect(throws: SystemError.self) { _ = try folder.status(path) }
            #expect(error?.code == EXDEV)
        }
    }

    @Test(arguments: [
        "", ".", "..", "../outside/secret", "a/../b", "/etc/passwd", "a//b", "a/", "/", "a/.",
        "./a", "a\u{0}b",
    ])
    func pathsThatAreNotPlainAreRefused(path: String) throws {
        let hostile = try HostileFolder(.init(canResolve: true))
        let draft = try hostile.draft()
        #expect(hostile.code { _ = try $0.open(path) } == EINVAL)
        #expect(hostile.code { _ = try $0.status(path) } == EINVAL)
        #expect(hostile.code { _ = try $0.names(in: path, limit: 1) } == EINVAL)
        #expect(hostile.code { try $0.take(draft, as: path) } == EINVAL)
        #expect(hostile.code { try $0.remove(path) } == EINVAL)
        #expect(hostile.code { try $0.removeFolder(path) } == EINVAL)
        #expect(hostile.scratch.contents(of: "in") == [])
    }

    @Test(arguments: ways)
    func pathsAndNamesHaveALongestLength(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        let name = String(repeating: "n", count: 255)
        #expect(try hostile.folder.status(name) == nil)
        #expect(hostile.code { _ = try $0.status("\(name)n") } == ENAMETOOLONG)
        #expect(hostile.code { _ = try $0.status("\(name)n/x") } == ENAMETOOLONG)
        let path = Array(repeating: name, count: 4).joined(separator: "/")
        #expect(try hostile.folder.status(path) == nil)
        let longest = String(repeating: "ab/", count: 341) + "c"
        #expect(longest.utf8.count == 1024)
        #expect(try hostile.folder.status(longest) == nil)
        #expect(hostile.code { _ = try $0.status("\(longest)d") } == ENAMETOOLONG)
    }

    @Test(arguments: ways)
    func whatIsInnerIsReached(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        let folder = hostile.folder
        for name in ["a", "a/b"] {
            #expect(unsafe mkdir("\(hostile.inside)/\(name)", 0o700) == 0)
        }
        try folder.take(try hostile.draft("text"), as: "a/b/file")
        try folder.sync()
        let file = try folder.open("a/b/file")
        #expect(try readText(file.raw) == "text")
        let status = try #require(try folder.status("a/b/file"))
        #expect(status.kind == .file && status.size == 4 && status.links == 1)
        #expect(status.identity == FileIdentity("\(hostile.inside)/a/b/file"))
        #expect(hostile.scratch.contents(of: "in") == ["a", "a/b", "a/b/file"])
        #expect(hostile.code { _ = try $0.open("a/b/file/x") } == ENOTDIR)
        #expect(hostile.code { try $0.removeFolder("a/b") } == ENOTEMPTY)
        #expect(try folder.remove("a/b/file"))
        #expect(try folder.removeFolder("a/b"))
        #expect(try !folder.removeFolder("a/b"))
        #expect(try !folder.remove("a/b/none"))
        #expect(!folder.isEmpty)
        try folder.empty()
        #expect(folder.isEmpty)
    }

    @Test(arguments: ways)
    func aNameFromAnotherFolderIsTakenByDescriptor(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        _ = try hostile.draft("text")
        let source = try Descriptor.open(
            "\(hostile.scratch.path)/private", flags: O_RDONLY | O_DIRECTORY)
        try hostile.folder.take("draft", from: source.raw, as: "name")
        let file = try hostile.folder.open("name")
        #expect(try readText(file.raw) == "text")
        #expect(hostile.code { try $0.take("draft", from: source.raw, as: "name") } == ENOENT)
        #expect(hostile.scratch.contents(of: "in") == ["name"])
    }

    @Test(arguments: ways)
    func namesAreListedUpToABound(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        for name in ["a", "b", "c"] { try hostile.scratch.write("in/\(name)", "x") }
        #expect(try hostile.folder.names(limit: 3).sorted() == ["a", "b", "c"])
        #expect(hostile.code { _ = try $0.names(limit: 2) } == E2BIG)
        // One that is no text counts and is left out.
        let bad: [CChar] = Array("\(hostile.inside)/".utf8.map { CChar($0) }) + [-1, 0]
        let made = unsafe Glibc.open(bad, O_WRONLY | O_CREAT, 0o600)
        #expect(close(made) == 0)
        #expect(try hostile.folder.names(limit: 4).sorted() == ["a", "b", "c"])
        #expect(hostile.code { _ = try $0.names(limit: 3) } == E2BIG)
    }

    /// Its owner can take any right of the folder.
    @Test(arguments: ways, [0, 0o100, 0o200, 0o400, 0o500, 0o600])
    func rightsThatWereTakenAreGivenBack(way: HostileFolder.Way, mode: mode_t) throws {
        let hostile = try HostileFolder(.init(canResolve: way.canResolve, isOrdinary: true))
        try hostile.run {
            let works: [(ConfinedFolder) throws -> Void] = [
                { try $0.take(try hostile.draft(), as: "name") },
                { _ = try $0.status("name") },
                { _ = try $0.open("name") },
                { _ = try $0.names(limit: 1) },
                { try $0.remove("name") },
            ]
            for work in works {
                #expect(unsafe chmod(hostile.inside, mode) == 0)
                try work(hostile.folder)
            }
        }
        #expect(hostile.scratch.contents(of: "in") == [])
    }

    /// tmpfs has such attributes since Linux 6.6; without them there is no mark, and no failure.
    @Test(arguments: ways)
    func aFileIsMarkedAndTheMarkMovesWithIt(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        let longest = String(repeating: "m", count: DownloadMark.longestBytes)
        for mark in ["6f1c", longest] {
            try hostile.folder.take(try hostile.draft(), as: "name", mark: mark)
            let (name, moved) = ("\(hostile.inside)/name", "\(hostile.inside)/moved")
            #expect(unsafe rename(name, moved) == 0)
            let found = try hostile.folder.mark(of: "moved")
            #expect(found == mark || found == nil)
            let file = try hostile.folder.open("moved")
            #expect(try readText(file.raw) == "host")
        }
        try hostile.folder.take(try hostile.draft(), as: "long", mark: longest + "m")
        #expect(try hostile.folder.mark(of: "long") == nil)
        try hostile.folder.take(try hostile.draft(), as: "plain")
        #expect(try hostile.folder.mark(of: "plain") == nil)
        hostile.link("link", to: "moved")
        #expect(hostile.code { _ = try $0.mark(of: "link") } == ELOOP)
    }

    @Test func freeSpaceIsThatOfOrdinaryUsers() throws {
        let hostile = try HostileFolder(.init(canResolve: true))
        let free = try hostile.folder.freeBytes()
        var status = statvfs()
        #expect(unsafe statvfs(hostile.inside, &status) == 0)
        let blocks = UInt64(status.f_blocks) * UInt64(status.f_frsize)
        #expect(free > 0 && free <= blocks)
    }

    /// Only root can give a file away.
    @Test(.enabled(if: geteuid() == 0), arguments: ways)
    func whatIsPutInBelongsToTheNewOwner(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way, newOwner: 65_534)
        #expect(unsafe link("\(hostile.outside)/secret", "\(hostile.inside)/name") == 0)
        try hostile.folder.take(try hostile.draft(), as: "name")
        var status = stat()
        #expect(unsafe lstat("\(hostile.inside)/name", &status) == 0)
        #expect(status.st_uid == 65_534)
        #expect(try hostile.isOutsideUntouched())
    }
}

/// A socket with a name, which goes with its folder.
private struct UnixSocketFile: ~Copyable {
    let socket: OwnedDescriptor

    init(_ path: String) throws {
        socket = OwnedDescriptor(
            adopting: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            for (place, byte) in path.utf8.prefix(room.count - 1).enumerated() {
                unsafe room[place] = byte
            }
        }
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                unsafe bind(socket.raw, general, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
    }
}
