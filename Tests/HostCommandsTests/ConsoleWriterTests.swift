import Glibc
import HostCommands
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite struct ConsoleWriterTests {
    /// Far more than a pipe takes, far less than a hang.
    private static let deadline = Duration.seconds(20)

    init() { StopSignals.ignoreBrokenPipes() }

    /// A reader that starts late and reads to the end.
    private final class LateReader: Sendable {
        private let source: Int32
        private let found = Mutex("")
        private let thread = Mutex<NamedThread?>(nil)

        init(_ source: Int32) { self.source = source }

        func start() {
            thread.withLock { thread in
                thread = try? NamedThread("late-reader") { [self] in
                    let bytes = try? DescriptorIO.readAll(source, limit: 1 << 26, subject: "pipe")
                    found.withLock { $0 = String(decoding: bytes ?? [], as: UTF8.self) }
                }
            }
        }

        /// All it read; the other end must be closed before.
        func lines() -> [Substring] {
            if let thread = thread.withLock({ $0.take() }) { thread.join() }
            return found.withLock { $0 }.split(separator: "\n")
        }
    }

    /// Two mebibytes in lines of 1 KiB.
    private func lines(_ target: ConsoleText.Target) -> [ConsoleText] {
        (0..<2_048).map { number in
            let start = "\(number) "
            return ConsoleText(
                target, start + String(repeating: "x", count: 1_023 - start.utf8.count) + "\n")
        }
    }

    @Test(arguments: [ConsoleText.Target.output, .diagnostics])
    func aReaderThatSleepsStopsNobodyAndGetsTheRecordLast(target: ConsoleText.Target) throws {
        let pair = try OpenPipe()
        let reader = LateReader(pair.reading.raw)
        let null = try Descriptor.open("/dev/null", flags: O_WRONLY)
        let isOutput = target == .output
        let writer = try ConsoleWriter(
            output: isOutput ? pair.writing.raw : null.raw,
            diagnostics: isOutput ? null.raw : pair.writing.raw)
        let start = BootClock.now()
        writer.show(lines(target))
        #expect(BootClock.now() - start < ConsoleWriterTests.deadline)
        var slow = 0
        let record = "{" + String(repeating: "r", count: 2 * ConsoleWriter.bound) + "}"
        let result = writer.finish([ConsoleText(target, record + "\n")]) {
            slow += 1
            reader.start()
        }
        try pair.writing.close()
        let found = reader.lines()
        #expect(result == .written)
        #expect(slow == 1)
        #expect(found.last.map { $0 == record } == true)
        let kept = found.count { $0.hasSuffix("xx") }
        #expect(kept >= 1_023 && kept < 2_048)
        #expect(
            found.dropLast().last
                == "bahost run: left out \(2_048 - kept) lines: the reader is slow")
    }

    @Test func saysWhatIsMissingOnceThereIsRoom() throws {
        let pair = try OpenPipe()
        let writer = try ConsoleWriter(output: pair.writing.raw, diagnostics: pair.writing.raw)
        let large = String(repeating: "x", count: ConsoleWriter.bound) + "\n"
        writer.show([ConsoleText(.output, large), ConsoleText(.output, "next\n")])
        #expect(writer.finish([]) == .written)
        var room = [UInt8](repeating: 0, count: 200)
        let text = "bahost run: left out 1 line: the reader is slow\nnext\n"
        #expect(DescriptorIO.read(pair.reading.raw, into: &room) == .moved(text.utf8.count))
        #expect(String(decoding: room.prefix(text.utf8.count), as: UTF8.self) == text)
    }

    @Test func takesTextUpToTheBound() throws {
        let folder = try ScratchFolder("console")
        let file = try Descriptor.open("\(folder.path)/out", flags: O_CREAT | O_RDWR)
        let writer = try ConsoleWriter(output: file.raw, diagnostics: file.raw)
        writer.show([ConsoleText(.output, String(repeating: "x", count: ConsoleWriter.bound))])
        #expect(writer.finish([]) == .written)
        #expect(lseek(file.raw, 0, SEEK_CUR) == off_t(ConsoleWriter.bound))
    }

    @Test func keepsTheOrderOfBothOnOnePipe() throws {
        let pair = try OpenPipe()
        let copy = OwnedDescriptor(adopting: dup(pair.writing.raw))
        let writer = try ConsoleWriter(output: pair.writing.raw, diagnostics: copy.raw)
        let numbers = (0..<500).map { $0 }
        for number in numbers {
            writer.show([ConsoleText(number % 2 == 0 ? .output : .diagnostics, "\(number)\n")])
        }
        #expect(writer.finish([ConsoleText(.output, "end\n")]) == .written)
        var room = [UInt8](repeating: 0, count: 8_000)
        let text = numbers.map { "\($0)\n" }.joined() + "end\n"
        #expect(DescriptorIO.read(pair.reading.raw, into: &room) == .moved(text.utf8.count))
        #expect(String(decoding: room.prefix(text.utf8.count), as: UTF8.self) == text)
    }

    @Test func aStuckStderrLeavesStdoutAlone() throws {
        let stuck = try OpenPipe()
        let pair = try OpenPipe()
        let reader = LateReader(stuck.reading.raw)
        let writer = try ConsoleWriter(output: pair.writing.raw, diagnostics: stuck.writing.raw)
        writer.show(lines(.diagnostics))
        var seen = IOResult.wouldBlock
        let result = writer.finish([ConsoleText(.output, "record\n")]) {
            var room = [UInt8](repeating: 0, count: 100)
            seen = DescriptorIO.read(pair.reading.raw, into: &room)
            reader.start()
        }
        try stuck.writing.close()
        #expect(seen == .moved(7))
        #expect(result == .written)
        #expect(reader.lines().count > 1_000)
    }

    @Test func reportsAClosedPipeAndDoesNotWait() throws {
        let pair = try OpenPipe()
        try pair.reading.close()
        let null = try Descriptor.open("/dev/null", flags: O_WRONLY)
        let writer = try ConsoleWriter(output: pair.writing.raw, diagnostics: null.raw)
        writer.show(lines(.output))
        #expect(writer.finish([ConsoleText(.output, "record\n")]) == .closed)
        #expect(writer.finish([]) == .closed)
    }

    @Test func reportsAFullDisk() throws {
        let full = try Descriptor.open("/dev/full", flags: O_WRONLY)
        let null = try Descriptor.open("/dev/null", flags: O_WRONLY)
        let writer = try ConsoleWriter(output: full.raw, diagnostics: null.raw)
        #expect(writer.finish([ConsoleText(.output, "record\n")]) == .failed(ENOSPC))
        #expect(writer.finish([ConsoleText(.diagnostics, "why\n")]) == .failed(ENOSPC))
    }
}

/// A pipe whose ends can be closed one by one.
struct OpenPipe: ~Copyable {
    let reading: OwnedDescriptor
    let writing: OwnedDescriptor

    init() throws {
        let pair = try Descriptor.pipe()
        let first = try OpenPipe.copy(pair.first.raw)
        let second = try OpenPipe.copy(pair.second.raw)
        reading = first
        writing = second
    }

    private static func copy(_ raw: Int32) throws -> OwnedDescriptor {
        let copy = fcntl(raw, F_DUPFD_CLOEXEC, 0)
        return OwnedDescriptor(adopting: try SystemError.checkErrno(copy, "fcntl", "a pipe"))
    }
}
