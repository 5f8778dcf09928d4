import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing
import WireProtocol

@Suite struct LoadQuarantineTests {
    private func file(_ inode: UInt64, changed: Int64 = 1) -> FileIdentity {
        FileIdentity(
            device: 1, inode: inode, byteCount: 16_384, changedSeconds: changed,
            changedNanoseconds: 7)
    }

    private func entry(
        _ inode: UInt64, changed: Int64 = 1, path: String = "/a/x.so",
        sentence: String = "called abort while the plugin was loaded"
    ) -> LoadQuarantine.Entry {
        LoadQuarantine.Entry(
            file: file(inode, changed: changed), path: path, verdict: .crash, sentence: sentence,
            seenAt: 1_700_000_000)
    }

    @Test func aFileIsKnownInItsStateOnly() {
        var quarantine = LoadQuarantine()
        quarantine.add(entry(5))
        #expect(quarantine.entry(for: file(5)) == entry(5))
        #expect(quarantine.entry(for: file(5, changed: 2)) == nil)
        #expect(quarantine.entry(for: file(6)) == nil)
        quarantine.add(entry(5, changed: 2))
        #expect(quarantine.entries == [entry(5, changed: 2)])
        quarantine.remove(file(5, changed: 3))
        #expect(quarantine.entries.isEmpty)
    }

    @Test func theOldestGoesPastTheBound() {
        var quarantine = LoadQuarantine()
        let bound = UInt64(LoadQuarantine.entryBound)
        for inode in 1...bound { quarantine.add(entry(inode)) }
        #expect(quarantine.entries.count == LoadQuarantine.entryBound)
        #expect(quarantine.entry(for: file(1)) != nil)
        quarantine.add(entry(bound + 1))
        #expect(quarantine.entries.count == LoadQuarantine.entryBound)
        #expect(quarantine.entry(for: file(1)) == nil)
        #expect(quarantine.entry(for: file(bound + 1)) != nil)
    }

    @Test(arguments: [LoadQuarantine.textBound, LoadQuarantine.textBound + 1])
    func textsAreCutAtTheirBound(count: Int) {
        let long = entry(1, path: String(repeating: "p", count: count))
        #expect(long.path.utf8.count == LoadQuarantine.textBound)
        let wide = entry(1, sentence: String(repeating: "ü", count: count))
        #expect(wide.sentence.utf8.count == LoadQuarantine.textBound)
    }

    @Test func whatIsWrittenIsReadBack() throws {
        var quarantine = LoadQuarantine()
        quarantine.add(entry(1, path: "/a b/ü\t\u{1b}[31m\n.so"))
        quarantine.add(entry(2, sentence: ""))
        #expect(quarantine.text.split(separator: "\n").count == 3)
        #expect(try LoadQuarantine(untrusted: Array(quarantine.text.utf8)) == quarantine)
        #expect(try LoadQuarantine(untrusted: Array(LoadQuarantine().text.utf8)).entries.isEmpty)
    }

    /// Names of files are anybody's: none may make a text that is damaged.
    @Test(arguments: ["\u{1}", "\u{85}", "\t", "\u{1b}é", "\r\n", "e\u{301}", "😀", "\u{2028}"])
    func anyTextAtTheBoundIsReadBack(unit: String) throws {
        let bound = LoadQuarantine.textBound
        for count in [bound / 3 - 1, bound / 3, bound / 3 + 1, bound - 1, bound, bound + 1] {
            for start in ["/", "/ab", "\t/abc"] {
                var quarantine = LoadQuarantine()
                let text = start + String(repeating: unit, count: count)
                quarantine.add(entry(1, path: text, sentence: String(text.reversed())))
                #expect(quarantine.entries.allSatisfy { $0.path.utf8.count <= bound })
                #expect(try LoadQuarantine(untrusted: Array(quarantine.text.utf8)) == quarantine)
            }
        }
    }

    @Test(arguments: [
        ("", 1), ("nonsense\n", 1), ("bahost load quarantine 2\n", 1),
        ("bahost load quarantine 1", 1), ("bahost load quarantine 1\n\n", 2),
        ("bahost load quarantine 1\n1\t2\t3\t4\t5\t6\tcrash\t/a\n", 2),
        ("bahost load quarantine 1\n1\t2\t3\t4\t5\t6\tnonsense\t/a\twhy\n", 2),
        ("bahost load quarantine 1\n-1\t2\t3\t4\t5\t6\tcrash\t/a\twhy\n", 2),
        ("bahost load quarantine 1\n1\t2\t3\t4\t5\t6\tcrash\t/a\twhy\u{7}\n", 2),
        (
            "bahost load quarantine 1\n1\t2\t3\t4\t5\t6\tcrash\t/a\twhy\n"
                + "1\t2\t3\t4\t5\t6\tcrash\t/a\twhy\n", 3
        ),
    ])
    func aDamagedTextNamesItsLine(text: String, line: Int) {
        #expect(damagedLine(Array(text.utf8)) == line)
    }

    @Test func whatIsNotUTF8OrTooLongIsDamaged() {
        #expect(damagedLine([0xFF, 0x0A]) == 1)
        let long = [UInt8](repeating: 0x0A, count: LoadQuarantine.byteBound + 1)
        #expect(damagedLine(long) == 1)
    }

    private func damagedLine(_ bytes: [UInt8]) -> Int? {
        do throws(QuarantineDamage) {
            _ = try LoadQuarantine(untrusted: bytes)
            return nil
        } catch {
            return error.line
        }
    }

    @Test(arguments: Verdict.allCases)
    func onlyItsOwnBadEndWhileLoadingIsAReason(verdict: Verdict) {
        let isOwn = [
            Verdict.memoryLimit, .stackOverflow, .fileLimit, .processLimit, .cpuLimit,
            .wallTimeout, .policyViolation, .crash, .exitedEarly, .protocolError,
        ].contains(verdict)
        #expect(
            LoadQuarantine.isReason(WorkerOutcome(Judgement(verdict, "", at: .load))) == isOwn)
        for place in [RunPlace.setup, .inspect, .idle, .call(.install), .shutdown] {
            #expect(!LoadQuarantine.isReason(WorkerOutcome(Judgement(verdict, "", at: place))))
        }
    }
}

@Suite struct QuarantineFileTests {
    private func entry(_ inode: UInt64) -> LoadQuarantine.Entry {
        LoadQuarantine.Entry(
            file: FileIdentity(
                device: 1, inode: inode, byteCount: 1, changedSeconds: 1, changedNanoseconds: 1),
            path: "/a", verdict: .crash, sentence: "why", seenAt: 1)
    }

    @Test func itMakesItsFolderAndKeepsWhatOthersWrote() throws {
        let scratch = try ScratchFolder("quarantine")
        let path = "\(scratch.path)/a/b/load-quarantine"
        let (one, other) = (QuarantineFile(path: path), QuarantineFile(path: path))
        #expect(one.read().quarantine.entries.isEmpty && one.read().note == nil)
        try one.update { $0.add(entry(1)) }
        try other.update { $0.add(entry(2)) }
        #expect(one.read().quarantine.entries == [entry(1), entry(2)])
        #expect(scratch.contents(of: "a/b") == ["load-quarantine", "load-quarantine.lock"])
        var status = stat()
        #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func aDamagedFileIsSetAsideAndTheNextOneKept() throws {
        let scratch = try ScratchFolder("quarantine")
        let file = QuarantineFile(path: try scratch.write("q", "nonsense"))
        let reading = file.read()
        #expect(reading.quarantine.entries.isEmpty)
        #expect(reading.note?.contains("set aside as \(file.path).damaged: line 1") ?? false)
        try file.update { $0.add(entry(1)) }
        #expect(file.read().quarantine.entries == [entry(1)] && file.read().note == nil)
        #expect(try String(contentsOfFile: "\(file.path).damaged", encoding: .utf8) == "nonsense")
    }

    @Test func aFileThatIsTooLongIsSetAside() throws {
        let scratch = try ScratchFolder("quarantine")
        let bytes = Data(repeating: 0x20, count: LoadQuarantine.byteBound + 1)
        let file = QuarantineFile(path: try scratch.write("q", bytes))
        #expect(file.read().note?.hasSuffix("it is too long") ?? false)
    }

    @Test func aFolderThatCannotBeMadeIsNamed() throws {
        let scratch = try ScratchFolder("quarantine")
        let path = try scratch.write("file", "")
        let file = QuarantineFile(path: "\(path)/below/q")
        #expect(throws: ReplacedFileError.self) { try file.update { $0.add(entry(1)) } }
    }

    @Test func aLockThatIsHeldIsNotWaitedForForEver() throws {
        let scratch = try ScratchFolder("quarantine")
        let file = QuarantineFile(path: "\(scratch.path)/q")
        let lock = try Descriptor.open("\(file.path).lock", flags: O_RDWR | O_CREAT)
        try Descriptor.lock(lock.raw, subject: "q")
        #expect(throws: ReplacedFileError.self) { try file.update { $0.add(entry(1)) } }
        #expect(file.read().quarantine.entries.isEmpty)
    }

    @Test func aFIFOIsNeitherReadNorReplaced() throws {
        let scratch = try ScratchFolder("quarantine")
        let file = QuarantineFile(path: "\(scratch.path)/q")
        unsafe mkfifo(file.path, 0o600)
        #expect(file.read().note == "the quarantine is not read: \(file.path) is no regular file")
        #expect(throws: ReplacedFileError.irregular(path: file.path)) {
            try file.update { $0.add(entry(1)) }
        }
        #expect(scratch.contents(of: ".") == ["q"])
    }

    @Test(.enabled(if: geteuid() == 0)) func rootMakesNothingInAUsersHome() throws {
        let scratch = try ScratchFolder("quarantine")
        unsafe chown(scratch.path, 1_000, 1_000)
        let file = QuarantineFile(path: "\(scratch.path)/.local/state/bahost/load-quarantine")
        let expected = ReplacedFileError.foreign(path: scratch.path, user: 1_000)
        #expect(throws: expected) { try file.update { $0.add(entry(1)) } }
        #expect(file.read().note == "the quarantine is not read: \(expected)")
        #expect(scratch.contents(of: ".").isEmpty)
    }
}
