import Foundation
import LinuxSystem
import TestSupport
import Testing

struct OwnedDescriptorTests {
    @Test func theCounterSeesALeak() throws {
        let pipe = try Descriptor.pipe()
        let target = try OpenDescriptors.target(of: pipe.first.raw)
        #expect(try OpenDescriptors.count(to: target) == 2)
        let leaked = dup(pipe.first.raw)
        #expect(try OpenDescriptors.count(to: target) == 3)
        close(leaked)
        #expect(try OpenDescriptors.count(to: target) == 2)
    }

    @Test func descriptorsAreClosedWithTheirOwner() throws {
        var target = ""
        do {
            let pipe = try Descriptor.pipe()
            target = try OpenDescriptors.target(of: pipe.first.raw)
            #expect(try OpenDescriptors.count(to: target) == 2)
        }
        #expect(try OpenDescriptors.count(to: target) == 0)
    }

    @Test func takingAPairApartClosesTheHalfThatIsNotKept() throws {
        let pair = try Descriptor.pipe()
        let target = try OpenDescriptors.target(of: pair.first.raw)
        let kept = pair.take { first, _ in first }
        #expect(try OpenDescriptors.count(to: target) == 1)
        #expect(try OpenDescriptors.target(of: kept.raw) == target)
    }

    @Test func aReleasedDescriptorStaysOpen() throws {
        let pair = try Descriptor.pipe()
        let target = try OpenDescriptors.target(of: pair.first.raw)
        let raw = pair.take { first, _ in first }.release()
        #expect(try OpenDescriptors.count(to: target) == 1)
        try OwnedDescriptor(adopting: raw).close()
        #expect(try OpenDescriptors.count(to: target) == 0)
    }

    @Test func closingTwiceIsReported() throws {
        // Far above what the kernel hands out by itself.
        let error = #expect(throws: SystemError.self) {
            try OwnedDescriptor(adopting: 1_000_000).close()
        }
        #expect(error?.code == EBADF)
        #expect(error?.subject == "descriptor 1000000")
    }

    @Test func everyDescriptorIsClosedOnExec() throws {
        let pipe = try Descriptor.pipe()
        let sockets = try Descriptor.socketPair()
        let file = try Descriptor.open("/dev/null", flags: O_RDONLY)
        let listener = try Descriptor.listenOnLoopback()
        for raw in [
            pipe.first.raw, pipe.second.raw, sockets.first.raw, sockets.second.raw, file.raw,
            listener.descriptor.raw,
        ] {
            #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
        }
        #expect(listener.port > 0)
    }

    @Test func aMissingFileIsNamed() {
        let error = #expect(throws: SystemError.self) {
            _ = try Descriptor.open("/nonexistent/x", flags: O_RDONLY).raw
        }
        #expect(error == SystemError(call: "open", subject: "/nonexistent/x", code: ENOENT))
        #expect(error?.description == "open /nonexistent/x: No such file or directory")
    }
}

struct DescriptorIOTests {
    @Test func readsAndWritesSayWhatHappened() throws {
        let pipe = try Descriptor.pipe()
        try Descriptor.setNonblocking(pipe.first.raw)
        var room = [UInt8](repeating: 0, count: 4)
        #expect(DescriptorIO.read(pipe.first.raw, into: &room) == .wouldBlock)
        #expect(DescriptorIO.write(pipe.second.raw, [1, 2, 3, 4, 5]) == .moved(5))
        #expect(DescriptorIO.write(pipe.second.raw, []) == .moved(0))
        #expect(DescriptorIO.read(pipe.first.raw, into: &room) == .moved(4))
        #expect(room == [1, 2, 3, 4])
        #expect(DescriptorIO.read(pipe.first.raw, into: &room) == .moved(1))
        let reading = pipe.take { first, _ in first }
        #expect(DescriptorIO.read(reading.raw, into: &room) == .ended)
        #expect(DescriptorIO.read(1_000_000, into: &room) == .failed(EBADF))
    }

    @Test func aClosedPeerIsAnErrorAndNoSignal() throws {
        let socket = try Descriptor.socketPair().take { first, _ in first }
        #expect(DescriptorIO.write(socket.raw, [1], isSocket: true) == .failed(EPIPE))
    }

    @Test func aFullPipeWouldBlock() throws {
        let pipe = try Descriptor.pipe()
        try Descriptor.setNonblocking(pipe.second.raw)
        let block = [UInt8](repeating: 0, count: 1 << 20)
        guard case .moved(let count) = DescriptorIO.write(pipe.second.raw, block[...]) else {
            Issue.record("nothing was written")
            return
        }
        #expect(count < block.count)
        #expect(DescriptorIO.write(pipe.second.raw, [1]) == .wouldBlock)
        try Descriptor.setNonblocking(pipe.second.raw, false)
        #expect(fcntl(pipe.second.raw, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test(arguments: [(100, true), (99, false)])
    func aFileIsReadUpToTheLimit(limit: Int, isRead: Bool) throws {
        let pipe = try Descriptor.pipe()
        let bytes = [UInt8](repeating: 7, count: 100)
        try DescriptorIO.writeAll(pipe.second.raw, bytes, subject: "pipe")
        let reading = pipe.take { first, _ in first }
        if isRead {
            #expect(try DescriptorIO.readAll(reading.raw, limit: limit, subject: "pipe") == bytes)
        } else {
            #expect(throws: SystemError(call: "read", subject: "pipe", code: EFBIG)) {
                try DescriptorIO.readAll(reading.raw, limit: limit, subject: "pipe")
            }
        }
    }

    @Test func onlyARegularFileIsReadByItsPath() throws {
        let scratch = try ScratchFolder("regular")
        let path = try scratch.write("a", "text")
        #expect(try DescriptorIO.readRegular(path, limit: 4) == Array("text".utf8))
        #expect(throws: SystemError(call: "read", subject: path, code: EFBIG)) {
            try DescriptorIO.readRegular(path, limit: 3)
        }
        let fifo = "\(scratch.path)/fifo"
        let made = unsafe mkfifo(fifo, 0o600)
        #expect(made == 0)
        for (path, code) in [(scratch.path, EISDIR), (fifo, ENOTSUP), ("/dev/null", ENOTSUP)] {
            let error = #expect(throws: SystemError(call: "open", subject: path, code: code)) {
                try DescriptorIO.readRegular(path, limit: 4)
            }
            #expect(error?.isIrregularFile == true)
        }
    }
}

struct PollSetTests {
    @Test func onlyWhatIsReadyIsReported() throws {
        let quiet = try Descriptor.pipe()
        let ready = try Descriptor.pipe()
        #expect(DescriptorIO.write(ready.second.raw, [1]) == .moved(1))
        var set = PollSet()
        let first = set.add(quiet.first.raw)
        let second = set.add(ready.first.raw)
        let third = set.add(quiet.second.raw, reading: false, writing: true)
        try set.wait(timeout: nil)
        #expect(!set.isReadable(first))
        #expect(set.isReadable(second))
        #expect(set.isWritable(third))
        #expect(!set.isWritable(second))
    }

    @Test func anEndCountsAsReadable() throws {
        let reading = try Descriptor.pipe().take { first, _ in first }
        var set = PollSet()
        let place = set.add(reading.raw)
        try set.wait(timeout: nil)
        #expect(set.isReadable(place))
    }

    @Test func waitingTakesItsTimeRoundedUp() throws {
        var set = PollSet()
        let start = BootClock.now()
        try set.wait(timeout: .microseconds(1500))
        #expect(BootClock.now() - start >= .microseconds(1500))
        try set.wait(timeout: .zero)
        try set.wait(timeout: .seconds(-1))
    }

    @Test func anEventFlagWakes() throws {
        let flag = try EventFlag()
        let before = flag.clear()
        flag.raise()
        flag.raise()
        var set = PollSet()
        let place = set.add(flag.descriptor)
        try set.wait(timeout: nil)
        #expect(set.isReadable(place))
        let cleared = [before, flag.clear(), flag.clear()]
        #expect(cleared == [false, true, false])
    }
}
