import Glibc
import HostCommands
import LinuxSystem
import Testing

@Suite struct ConsoleTests {
    init() { StopSignals.ignoreBrokenPipes() }

    /// The write end of a pipe that nobody reads.
    private func closedPipe() throws -> OwnedDescriptor {
        let pair = try Descriptor.pipe()
        let copy = dup(pair.second.raw)
        return OwnedDescriptor(adopting: try SystemError.checkErrno(copy, "dup", "a pipe"))
    }

    @Test func writesBothStreamsInOrder() throws {
        let pair = try Descriptor.pipe()
        var console = Console(output: pair.second.raw, diagnostics: pair.second.raw)
        let texts = [
            ConsoleText(.output, "one\n"), ConsoleText(.diagnostics, "größe\n"),
            ConsoleText(.output, "three\n"),
        ]
        #expect(console.write(texts) == .written)
        var room = [UInt8](repeating: 0, count: 100)
        #expect(DescriptorIO.read(pair.first.raw, into: &room) == .moved(18))
        #expect(String(decoding: room[..<18], as: UTF8.self) == "one\ngröße\nthree\n")
    }

    @Test func reportsAClosedPipeAndStaysQuiet() throws {
        let writer = try closedPipe()
        var console = Console(output: writer.raw, diagnostics: writer.raw)
        #expect(console.write([ConsoleText(.output, "x")]) == .closed)
        #expect(console.write([ConsoleText(.output, "x")]) == .closed)
        #expect(console.write([]) == .closed)
    }

    @Test func goesOnWithoutStderr() throws {
        let writer = try closedPipe()
        let pair = try Descriptor.pipe()
        var console = Console(output: pair.second.raw, diagnostics: writer.raw)
        let texts = [ConsoleText(.diagnostics, "lost"), ConsoleText(.output, "kept")]
        #expect(console.write(texts) == .written)
        var room = [UInt8](repeating: 0, count: 10)
        #expect(DescriptorIO.read(pair.first.raw, into: &room) == .moved(4))
    }

    @Test func reportsAFullDisk() throws {
        let full = try Descriptor.open("/dev/full", flags: O_WRONLY)
        var console = Console(output: full.raw, diagnostics: full.raw)
        #expect(console.write([ConsoleText(.output, "x")]) == .failed(ENOSPC))
        #expect(console.write([ConsoleText(.diagnostics, "x")]) == .failed(ENOSPC))
    }

    @Test(arguments: [["TERM": "xterm"], ["TERM": "dumb"], [:]] as [[String: String]])
    func aPipeIsNoTerminal(environment: [String: String]) throws {
        let pair = try Descriptor.pipe()
        #expect(TerminalSize.of(pair.second.raw, environment: environment) == nil)
        #expect(TerminalSize.of(-1, environment: environment) == nil)
    }

    @Test func readsTheSizeOfATerminal() throws {
        var (control, side): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 50, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
        #expect(unsafe openpty(&control, &side, nil, nil, &size) == 0)
        let owner = OwnedDescriptor(adopting: control)
        let terminal = OwnedDescriptor(adopting: side)
        #expect(owner.raw >= 0)
        let found = TerminalSize.of(terminal.raw, environment: ["TERM": "xterm"])
        #expect(found == TerminalSize(columns: 132, rows: 50))
        #expect(TerminalSize.of(terminal.raw, environment: ["TERM": "dumb"]) == nil)
        #expect(TerminalSize.of(terminal.raw, environment: [:]) == nil)
    }
}
