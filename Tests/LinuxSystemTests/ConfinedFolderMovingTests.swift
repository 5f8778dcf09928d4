import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Each with the flag of renameat2(2) and without.
@Suite struct ConfinedFolderMovingTests {
    private static let isOrdinary = [false, true]

    private struct Pair {
        let hostile: HostileFolder
        let inside: ConfinedFolder
        let host: ConfinedFolder

        init(hasFlags: Bool, isOrdinary: Bool = false) throws {
            hostile = try HostileFolder(.init(canResolve: true, isOrdinary: isOrdinary))
            let flags = O_RDONLY | O_DIRECTORY
            let path = hostile.scratch.path
            inside = try ConfinedFolder(
                try Descriptor.open("\(path)/in", flags: flags), path: "\(path)/in",
                hasRenameFlags: hasFlags)
            host = try ConfinedFolder(
                try Descriptor.open("\(path)/private", flags: flags), path: "\(path)/private",
                hasRenameFlags: hasFlags)
        }

        func names(_ folder: String) -> [String] { hostile.scratch.contents(of: folder) }
    }

    private func code(_ body: () throws -> Void) -> Int32? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SystemError)?.code ?? -1
        }
    }

    @Test(arguments: [true, false])
    func aFileGoesOutAndComesBackAsItIs(hasFlags: Bool) throws {
        let pair = try Pair(hasFlags: hasFlags)
        #expect(unsafe mkdir("\(pair.hostile.inside)/sub", 0o700) == 0)
        try pair.hostile.scratch.write("in/sub/file", "text")
        let stamp = try #require(try pair.inside.status("sub/file")).stamp
        try pair.inside.give("sub/file", to: pair.host, as: "held")
        #expect(pair.names("in") == ["sub"])
        #expect(try pair.host.status("held")?.stamp == stamp)
        try pair.inside.restore("held", from: pair.host, as: "sub/again")
        #expect(pair.names("in") == ["sub", "sub/again"])
        #expect(pair.names("private") == [])
        let status = try #require(try pair.inside.status("sub/again"))
        #expect(status.stamp == stamp && status.links == 1)
    }

    @Test(arguments: [true, false])
    func nothingIsReplaced(hasFlags: Bool) throws {
        let pair = try Pair(hasFlags: hasFlags)
        for name in ["in/file", "private/held"] { try pair.hostile.scratch.write(name, name) }
        #expect(code { try pair.inside.give("file", to: pair.host, as: "held") } == EEXIST)
        #expect(code { try pair.inside.restore("held", from: pair.host, as: "file") } == EEXIST)
        #expect(code { try pair.inside.give("none", to: pair.host, as: "other") } == ENOENT)
        #expect(code { try pair.inside.restore("held", from: pair.host, as: "no/x") } == ENOENT)
        let file = try pair.inside.open("file")
        #expect(try readText(file.raw) == "in/file")
        let held = try pair.host.open("held")
        #expect(try readText(held.raw) == "private/held")
    }

    @Test(arguments: [true, false])
    func foldersAndLinksGoThemselves(hasFlags: Bool) throws {
        let pair = try Pair(hasFlags: hasFlags)
        #expect(unsafe mkdir("\(pair.hostile.inside)/folder", 0o700) == 0)
        try pair.hostile.scratch.write("in/folder/x", "x")
        pair.hostile.link("link", to: "../outside/secret")
        for name in ["folder", "link"] {
            try pair.inside.give(name, to: pair.host, as: name)
            try pair.inside.restore(name, from: pair.host, as: "\(name)-back")
        }
        #expect(pair.names("in") == ["folder-back", "folder-back/x", "link-back"])
        #expect(pair.names("private") == [])
        #expect(try pair.inside.status("link-back")?.kind == .link)
        #expect(try pair.hostile.isOutsideUntouched())
    }

    @Test(arguments: [true, false])
    func noLinkIsFollowedOnTheWay(hasFlags: Bool) throws {
        let pair = try Pair(hasFlags: hasFlags)
        pair.hostile.link("link", to: "../outside")
        try pair.hostile.scratch.write("private/held", "x")
        #expect(code { try pair.inside.give("link/secret", to: pair.host, as: "new") } == ELOOP)
        #expect(code { try pair.inside.restore("held", from: pair.host, as: "link/x") } == ELOOP)
        for name in ["a/b", "..", ""] {
            #expect(code { try pair.inside.give("link", to: pair.host, as: name) } == EINVAL)
            #expect(code { try pair.inside.restore(name, from: pair.host, as: "x") } == EINVAL)
        }
        #expect(pair.names("private") == ["held"])
        #expect(try pair.hostile.isOutsideUntouched())
    }

    /// A slash with what combines with it is one Character, and a slash to the kernel all the same.
    @Test(arguments: [true, false])
    func noLinkIsFollowedWhoseNameTakesTheSlash(hasFlags: Bool) throws {
        let pair = try Pair(hasFlags: hasFlags)
        pair.hostile.link("link\u{600}", to: "../outside")
        try pair.hostile.scratch.write("private/held", "x")
        let (secret, new) = ("link\u{600}/secret", "link\u{600}/x")
        #expect(code { try pair.inside.give(secret, to: pair.host, as: "new") } == ELOOP)
        #expect(code { try pair.inside.restore("held", from: pair.host, as: new) } == ELOOP)
        #expect(code { try pair.inside.remove(secret) } == ELOOP)
        #expect(code { try pair.inside.take(try pair.hostile.draft(), as: new) } == ELOOP)
        for name in ["a\u{600}/b", "a/\u{301}b"] {
            #expect(code { try pair.inside.restore(name, from: pair.host, as: "x") } == EINVAL)
        }
        for path in ["a\u{600}/../b", "../\u{301}b", "a/\u{301}/\u{301}/.."] {
            #expect(code { _ = try pair.inside.status(path) } == EINVAL, "\(path)")
        }
        #expect(pair.names("private") == ["draft", "held"])
        #expect(try pair.hostile.isOutsideUntouched())
    }

    @Test(arguments: [true, false])
    func aFileWhoseNameTakesTheSlashGoesOutAndBack(hasFlags: Bool) throws {
        let pair = try Pair(hasFlags: hasFlags)
        #expect(unsafe mkdir("\(pair.hostile.inside)/s\u{600}", 0o700) == 0)
        let path = "s\u{600}/\u{301}f"
        try pair.hostile.scratch.write("in/\(path)", "text")
        try pair.inside.give(path, to: pair.host, as: "\u{301}held")
        #expect(try pair.inside.status(path) == nil)
        try pair.inside.restore("\u{301}held", from: pair.host, as: path)
        #expect(try pair.inside.status(path)?.size == 4)
    }

    /// As a host leaves it that ends in the middle of moving back without the flag.
    @Test(arguments: [true, false])
    func aSecondTryTakesTheNameThatWasLeftAway(hasFlags: Bool) throws {
        let pair = try Pair(hasFlags: hasFlags)
        let held = try pair.hostile.scratch.write("private/held", "text")
        #expect(unsafe link(held, "\(pair.hostile.inside)/file") == 0)
        try pair.inside.restore("held", from: pair.host, as: "file")
        #expect(pair.names("private") == [])
        let status = try #require(try pair.inside.status("file"))
        #expect(status.size == 4 && status.links == 1)
    }

    /// Its owner can take the rights of the folder that a file lies in, and of the file.
    @Test(arguments: [true, false], [mode_t(0o500), 0o700])
    func rightsThatWereTakenAreGivenBack(hasFlags: Bool, mode: mode_t) throws {
        let pair = try Pair(hasFlags: hasFlags, isOrdinary: true)
        let sub = "\(pair.hostile.inside)/sub"
        try pair.hostile.run {
            #expect(unsafe mkdir(sub, 0o700) == 0)
            try pair.hostile.scratch.write("in/sub/file", "text")
            #expect(unsafe chmod("\(sub)/file", 0) == 0)
            #expect(unsafe chmod(sub, mode) == 0)
            let stamp = try #require(try pair.inside.status("sub/file")).stamp
            let file = try pair.inside.open("sub/file", only: stamp)
            #expect(try readText(file.raw) == "text")
            // The file's own is for its owner to change.
            #expect(try pair.inside.status("sub/file")?.permissions == 0)
            try pair.inside.give("sub/file", to: pair.host, as: "held")
            #expect(unsafe chmod(sub, mode) == 0)
            try pair.inside.restore("held", from: pair.host, as: "sub/file")
        }
        #expect(pair.names("in") == ["sub", "sub/file"])
    }

    @Test func noRightsAreGivenToAFileWithAnotherName() throws {
        let pair = try Pair(hasFlags: true, isOrdinary: true)
        try pair.hostile.run {
            let file = try pair.hostile.scratch.write("in/file", "text")
            #expect(unsafe link(file, "\(pair.hostile.inside)/other") == 0)
            #expect(unsafe chmod(file, 0) == 0)
            let status = try #require(try pair.inside.status("file"))
            #expect(code { _ = try pair.inside.open("file", only: status.stamp) } == ESTALE)
            #expect(try pair.inside.status("file")?.permissions == 0)
        }
    }

    @Test func noOtherFileIsOpened() throws {
        let pair = try Pair(hasFlags: true)
        try pair.hostile.scratch.write("in/file", "text")
        try pair.hostile.scratch.write("in/other", "text")
        let stamp = try #require(try pair.inside.status("file")).stamp
        #expect(code { _ = try pair.inside.open("other", only: stamp) } == ESTALE)
        #expect(code { _ = try pair.inside.open("file", only: stamp) } == nil)
    }
}
