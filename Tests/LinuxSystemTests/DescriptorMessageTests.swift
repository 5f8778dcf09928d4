import Foundation
import LinuxSystem
import Testing

struct DescriptorMessageTests {
    private let pair: (Box, Box)
    private var room = [UInt8](repeating: 0, count: 16)

    /// A descriptor that may be kept in a property.
    private final class Box {
        let descriptor: OwnedDescriptor
        init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
        var raw: Int32 { descriptor.raw }
    }

    init() throws {
        pair = try DescriptorMessage.pair().take { (Box($0), Box($1)) }
    }

    @Test mutating func messagesKeepTheirBounds() throws {
        try DescriptorMessage.send([1, 2, 3], over: pair.0.raw)
        try DescriptorMessage.send([4], over: pair.0.raw)
        let first = DescriptorMessage.receive(from: pair.1.raw, into: &room)
        #expect(first == .message(bytes: 3, descriptors: []))
        #expect(room[..<3] == [1, 2, 3])
        let second = DescriptorMessage.receive(from: pair.1.raw, into: &room)
        #expect(second == .message(bytes: 1, descriptors: []))
    }

    @Test mutating func descriptorsArriveAsCopiesInTheirOrder() throws {
        let pipe = try Descriptor.pipe()
        try DescriptorMessage.send(
            [0], passing: [pipe.second.raw, pipe.first.raw], over: pair.0.raw)
        guard
            case .message(_, let passed) = DescriptorMessage.receive(
                from: pair.1.raw, into: &room)
        else {
            Issue.record("no message")
            return
        }
        #expect(passed.count == 2)
        let writing = OwnedDescriptor(adopting: passed[0])
        let reading = OwnedDescriptor(adopting: passed[1])
        #expect(writing.raw != pipe.second.raw)
        #expect(fcntl(writing.raw, F_GETFD) & FD_CLOEXEC != 0)
        #expect(DescriptorIO.write(writing.raw, [9]) == .moved(1))
        #expect(DescriptorIO.read(reading.raw, into: &room) == .moved(1))
        #expect(room[0] == 9)
    }

    @Test mutating func aMessageThatDoesNotFitIsAnErrorAndLeavesNothingOpen() throws {
        let pipe = try Descriptor.pipe()
        let before = try OpenDescriptors.target(of: pipe.second.raw)
        try DescriptorMessage.send(
            [UInt8](repeating: 1, count: 17), passing: [pipe.second.raw], over: pair.0.raw)
        #expect(
            DescriptorMessage.receive(from: pair.1.raw, into: &room) == .failed(EMSGSIZE))
        let ends = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .filter {
                (try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\($0)")) == before
            }
        #expect(ends.count == 2)
    }

    @Test mutating func asManyDescriptorsAsAllowedAndOneMore() throws {
        let file = try Descriptor.open("/dev/null", flags: O_RDONLY)
        let most = [Int32](repeating: file.raw, count: DescriptorMessage.mostDescriptors)
        try DescriptorMessage.send([1], passing: most, over: pair.0.raw)
        guard
            case .message(_, let passed) = DescriptorMessage.receive(
                from: pair.1.raw, into: &room)
        else {
            Issue.record("no message")
            return
        }
        #expect(passed.count == most.count)
        for raw in passed { close(raw) }
        #expect(throws: SystemError.self) {
            try DescriptorMessage.send([1], passing: most + [file.raw], over: pair.0.raw)
        }
    }

    @Test mutating func theEndAndAnEmptySocketAreTold() throws {
        try Descriptor.setNonblocking(pair.1.raw)
        #expect(DescriptorMessage.receive(from: pair.1.raw, into: &room) == .wouldBlock)
        shutdown(pair.0.raw, Int32(SHUT_RDWR))
        #expect(DescriptorMessage.receive(from: pair.1.raw, into: &room) == .ended)
        StopSignals.ignoreBrokenPipes()
        #expect(throws: SystemError.self) { try DescriptorMessage.send([1], over: pair.1.raw) }
    }
}
