import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport
import WireProtocol

/// A launcher that no host has started, and its connection.
private final class LoneLauncher {
    private let scratch: ScratchFolder
    private var connection: OwnedDescriptor?
    private var child: ChildProcess

    init() throws {
        scratch = try ScratchFolder("launcher")
        let worker = "\(scratch.path)/worker"
        try FileManager.default.createSymbolicLink(
            atPath: worker, withDestinationPath: Products.program("bahost-worker"))
        let pair = try DescriptorMessage.pair()
        // Whatever it is told to mount, it is not this machine's root that it does it to.
        child = try ChildProcess(
            path: worker, arguments: ["launcher"], environment: ["LANG=C.UTF-8"],
            descriptors: [nil, nil, nil, pair.second.raw],
            namespaces: geteuid() == 0 ? [.pid, .network, .ipc, .mount] : [])
        connection = pair.take { ours, _ in ours }
    }

    private var raw: Int32 {
        switch connection {
        case .some(let open): open.raw
        case .none: -1
        }
    }

    /// Sends bytes, and `count` descriptors of the null device; one that has ended does not mind.
    func send(_ bytes: [UInt8], passing count: Int = 0) throws {
        let null = try Descriptor.open("/dev/null", flags: O_RDWR)
        try? DescriptorMessage.send(
            bytes, passing: Array(repeating: null.raw, count: count), over: raw)
    }

    /// The next report, waited for; nil when the launcher has ended or says nothing.
    func report() throws -> LauncherReport? {
        var set = PollSet()
        let place = set.add(raw)
        try set.wait(timeout: .seconds(20))
        guard set.isReadable(place) else { return nil }
        var room = [UInt8](repeating: 0, count: 65_536)
        guard
            case .message(let bytes, let descriptors) = DescriptorMessage.receive(
                from: raw, into: &room)
        else { return nil }
        for descriptor in descriptors { close(descriptor) }
        return try LauncherReport(Frame(message: room[..<bytes]))
    }

    /// Closes the connection.
    func leave() {
        connection = nil
    }

    /// Its end, waited for; then nothing of it may be left.
    func end(sourceLocation: SourceLocation = #_sourceLocation) throws -> ChildEnd? {
        var set = PollSet()
        set.add(child.descriptor)
        try set.wait(timeout: .seconds(20))
        let end = try child.reap()
        let isGone = eventually(within: .seconds(2)) {
            ProcessAudit.alive(marked: scratch.path).isEmpty
        }
        #expect(isGone, "a process is left", sourceLocation: sourceLocation)
        return end
    }
}

/// What a launcher does with messages that no host sends: it ends at once, whatever they are.
@Suite struct LauncherProtocolTests {
    /// Exit statuses of the launcher.
    private enum Status {
        static let broken: Int32 = 71
        static let hostGone: Int32 = 72
        static let setupFailed: Int32 = 73
    }

    private static func prepare(
        _ change: (inout LauncherSetup) -> Void = { _ in }
    ) throws -> [UInt8] {
        var setup = LauncherSetup()
        setup.namespaceRefusal = "not asked for by the test"
        change(&setup)
        return try LauncherRequest.prepare(setup).frame().bytes
    }

    private static func frame(kind: UInt16, _ payload: [UInt8] = []) throws -> [UInt8] {
        try Frame(kind: kind, sequence: 1, payload: payload).bytes
    }

    private func expectBroken(
        _ messages: [[UInt8]], passing count: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let launcher = try LoneLauncher()
        for message in messages { try launcher.send(message, passing: count) }
        let end = try launcher.end(sourceLocation: sourceLocation)
        #expect(end?.exitCode == Status.broken, "\(messages)", sourceLocation: sourceLocation)
    }

    @Test func aFirstMessageThatIsNoneEndsIt() throws {
        let whole = try Self.prepare()
        for length in 1..<whole.count { try expectBroken([Array(whole[..<length])]) }
        try expectBroken([whole + [0]])
        try expectBroken([Array("GET / HTTP/1.1\r\n\r\n".utf8)])
        try expectBroken([[UInt8](repeating: 0xff, count: 16)])
        // Longer than any message, and one that says it is longer than it is.
        try expectBroken([whole + [UInt8](repeating: 0, count: 70_000)])
        var long = whole
        long.replaceSubrange(8..<12, with: [0xff, 0xff, 0xff, 0x7f])
        try expectBroken([long])
    }

    @Test(arguments: [1, 101, 200, 203, 301, 304, 0, 65_535] as [UInt16])
    func anUnknownKindEndsIt(kind: UInt16) throws {
        try expectBroken([Self.frame(kind: kind)])
        try expectBroken([Self.prepare(), Self.frame(kind: kind)], passing: 5)
    }

    @Test func anUnknownIsolationEndsIt() throws {
        var bytes = try Self.prepare()
        bytes[Frame.headerBytes] = 3
        try expectBroken([bytes])
    }

    @Test func aStartBeforeItIsPreparedEndsIt() throws {
        try expectBroken([Self.frame(kind: 202)], passing: 5)
    }

    @Test func whatCannotFollowEndsIt() throws {
        try expectBroken([Self.prepare(), Self.prepare()])
        try expectBroken([Self.prepare(), [7]])
        try expectBroken([Self.prepare(), Self.frame(kind: 202, [0])], passing: 5)
    }

    @Test(arguments: [0, 1, 4, 6, 8])
    func aWorkerNeedsExactlyFiveDescriptors(count: Int) throws {
        try expectBroken([Self.prepare(), Self.frame(kind: 202)], passing: count)
    }

    /// The one that is right, so that the others are known to fail for their own reasons.
    @Test func withFiveItForksAndGoesOn() throws {
        let launcher = try LoneLauncher()
        try launcher.send(Self.prepare())
        for _ in 0..<3 {
            try launcher.send(Self.frame(kind: 202), passing: 5)
            #expect(try launcher.report() == .started(run: 1))
            // Its host is the null device, which has nothing to say.
            guard case .ended(run: 1, let end) = try launcher.report() else {
                Issue.record("no end was told")
                break
            }
            #expect(end.exitCode == Status.broken)
        }
        launcher.leave()
        #expect(try launcher.end()?.exitCode == Status.hostGone)
    }

    @Test func aHostThatLeavesEndsIt() throws {
        for messages in [[], [try Self.prepare()]] {
            let launcher = try LoneLauncher()
            for message in messages { try launcher.send(message) }
            launcher.leave()
            #expect(try launcher.end()?.exitCode == Status.hostGone)
        }
    }

    @Test func aRuntimeThatCannotBeLoadedIsToldAndEndsIt() throws {
        let scratch = try ScratchFolder("runtime")
        try scratch.write("libswiftCore.so", "no library")
        let launcher = try LoneLauncher()
        try launcher.send(Self.prepare { $0.runtimeFolders = [scratch.path] })
        guard case .failed(let failure) = try launcher.report() else {
            Issue.record("no failure was told")
            return
        }
        #expect(failure.step == "runtime")
        #expect(try launcher.end()?.exitCode == Status.setupFailed)
    }

    /// Valid messages with a few bytes changed, in any order, with any number of descriptors.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func nothingItIsSentMakesItHangOrCrash(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let launcher = try LoneLauncher()
            for number in 0..<Int.random(in: 1...4, using: &random) {
                var bytes = try number == 0 ? Self.prepare() : Self.frame(kind: 202)
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] =
                        UInt8.random(in: .min ... .max, using: &random)
                }
                let isRight = Int.random(in: 0...3, using: &random) > 0
                let count = isRight ? min(number, 1) * 5 : Int.random(in: 0...8, using: &random)
                try launcher.send(bytes, passing: count)
            }
            launcher.leave()
            let end = try launcher.end()
            let codes = [Status.broken, Status.hostGone, Status.setupFailed]
            #expect(codes.contains(end?.exitCode ?? -1), "seed \(seed): \(String(describing: end))")
        }
    }
}
