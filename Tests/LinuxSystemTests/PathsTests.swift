import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Paths are taken apart as the kernel does it, whatever their letters combine with.
@Suite struct PathsTests {
    static let awkward = [
        "a", "/", "", "a/b", "/a//b/", "d\u{600}/f", "a/\u{301}b", "\u{301}/\u{301}", "/\u{301}x",
        "\u{600}/..", "a/\u{FE0F}/\u{200D}/b", "\r\n/\r/\n", "e\u{301}/\u{e9}", "🇩🇪/🇩/🇪",
    ]

    /// The same by bytes alone.
    private func pieces(_ path: String) -> [[UInt8]] {
        var pieces: [[UInt8]] = [[]]
        for byte in path.utf8 {
            if byte == 0x2f { pieces.append([]) } else { pieces[pieces.count - 1].append(byte) }
        }
        return pieces
    }

    @Test(arguments: awkward) func namesAreWhatIsBetweenTheBytes(path: String) {
        #expect(Paths.names(of: path).map { Array($0.utf8) } == pieces(path))
        #expect(Paths.isAbsolute(path) == (path.utf8.first == 0x2f))
    }

    @Test(arguments: awkward) func theFolderIsAllButTheLastName(path: String) {
        let parts = pieces(path).dropLast()
        let folder = Array(parts.joined(separator: [0x2f]))
        let expected = parts.isEmpty ? Array(".".utf8) : folder.isEmpty ? [0x2f] : folder
        #expect(Array(Paths.folder(of: path).utf8) == expected)
    }

    /// A folder of a user's on root's way is seen whatever its name does to the slash behind it.
    @Test(.enabled(if: OrdinaryUser.isRoot, "for root alone"))
    func rootGoesThroughNoFolderOfAUsers() throws {
        let scratch = try ScratchFolder("paths")
        let folder = "\(scratch.path)/d\u{600}"
        #expect(unsafe mkdir(folder, 0o755) == 0)
        #expect(unsafe chown(folder, OrdinaryUser.identifier, getegid()) == 0)
        let expected = ReplacedFileError.foreign(path: folder, user: OrdinaryUser.identifier)
        #expect(throws: expected) {
            _ = try ReplacedFile("\(folder)/file", makingFolders: nil)
        }
    }
}
