import Foundation
import LinuxSystem
import Testing

struct ChildProcessTests {
    /// Runs a shell with its output on a pipe and returns what it printed.
    private func shell(
        _ script: String, environment: [String] = [], more: [Int32?] = []
    ) throws -> (text: String, end: ChildEnd) {
        let output = try Descriptor.pipe()
        var child = try ChildProcess(
            path: "/bin/sh", arguments: ["-c", script], environment: environment,
            descriptors: [nil, output.second.raw, output.second.raw] + more)
        let reading = output.take { reading, _ in reading }
        let text = try readText(reading.raw)
        return (text, try waitForEnd(of: &child))
    }

    private func waitForEnd(of child: inout ChildProcess) throws -> ChildEnd {
        let limit = BootClock.now() + .seconds(20)
        while BootClock.now() < limit {
            var set = PollSet()
            set.add(child.descriptor)
            try set.wait(timeout: .seconds(1))
            if let end = try child.reap() { return end }
        }
        throw SystemError(call: "waitid", subject: "a child that does not end", code: ETIMEDOUT)
    }

    @Test func aChildHasExactlyTheDescriptorsItWasGiven() throws {
        let pipe = try Descriptor.pipe()
        let file = try Descriptor.open("/dev/zero", flags: O_RDONLY)
        let result = try shell(
            "for f in /proc/self/fd/*; do echo ${f##*/} $(readlink $f); done",
            more: [file.raw, nil, pipe.second.raw])
        let lines = result.text.split(separator: "\n").map(String.init)
        let target = try OpenDescriptors.target(of: pipe.second.raw)
        #expect(lines.contains("0 /dev/null"))
        #expect(lines.contains("3 /dev/zero"))
        #expect(lines.contains("4 /dev/null"))
        #expect(lines.contains("5 \(target)"))
        // The shell's own folder listing takes one more, and its script none.
        #expect(lines.compactMap { $0.split(separator: " ").first }.filter { $0 > "5" }.count <= 1)
    }

    @Test func descriptorsMayBeHandedOverInAnyOrder() throws {
        let first = try Descriptor.pipe()
        let second = try Descriptor.pipe()
        let result = try shell(
            "echo one >&3; echo two >&4", more: [second.second.raw, first.second.raw])
        #expect(result.end.exitCode == 0)
        let one = first.take { reading, _ in reading }
        let two = second.take { reading, _ in reading }
        #expect(try readText(one.raw) == "two\n")
        #expect(try readText(two.raw) == "one\n")
    }

    @Test func aChildHasExactlyTheEnvironmentItWasGiven() throws {
        let output = try Descriptor.pipe()
        var child = try ChildProcess(
            path: "/usr/bin/env", arguments: [], environment: ["A=1", "B=x y"],
            descriptors: [nil, output.second.raw])
        let reading = output.take { reading, _ in reading }
        let text = try readText(reading.raw)
        #expect(text == "A=1\nB=x y\n")
        let end = try waitForEnd(of: &child)
        #expect(end.exitCode == 0)
    }

    @Test func aChildHasNoSignalMaskAndASessionOfItsOwn() throws {
        let result = try shell(
            "grep -E 'SigBlk|SigIgn' /proc/self/status; ps -o sid= -p $$; echo $$")
        let words = result.text.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words.first == "SigBlk:")
        #expect(words[1] == "0000000000000000")
        // The C library leaves its own two, 32 and 33, ignored in whatever it spawns.
        let ignored = try #require(UInt64(words[3], radix: 16))
        #expect(ignored & ~(0b11 << 31) == 0)
        if words.count == 6 { #expect(words[4] == words[5]) }
    }

    @Test(arguments: [0, 1, 70, 255] as [Int32])
    func anExitStatusIsReported(code: Int32) throws {
        let end = try shell("exit \(code)").end
        #expect(end.exitCode == code)
        #expect(end.signal == nil)
    }

    @Test func aSignalIsReported() throws {
        let end = try shell("kill -TERM $$").end
        #expect(end.signal == SIGTERM)
        #expect(end.exitCode == nil)
    }

    @Test func cpuTimeIsReported() throws {
        let end = try shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").end
        #expect(end.cpuTime > .milliseconds(10))
        #expect(end.cpuTime < .seconds(60))
    }

    @Test func aRunningChildIsNotReapedAndCanBeKilledOnce() throws {
        var child = try ChildProcess(
            path: "/bin/sleep", arguments: ["100"], environment: [], descriptors: [nil, nil, nil])
        let early = try child.reap()
        #expect(early == nil)
        let isThere = child.signal(0)
        #expect(isThere)
        child.kill()
        let end = try waitForEnd(of: &child)
        #expect(end.signal == SIGKILL)
        let again = try child.reap()
        #expect(again == end)
        let isStillThere = child.signal(0)
        #expect(!isStillThere)
    }

    @Test func aStoppedChildIsKilledToo() throws {
        var child = try ChildProcess(
            path: "/bin/sleep", arguments: ["100"], environment: [], descriptors: [nil, nil, nil])
        let isStopped = child.signal(SIGSTOP)
        #expect(isStopped)
        let early = try child.reap()
        #expect(early == nil)
        child.kill()
        let end = try waitForEnd(of: &child)
        #expect(end.signal == SIGKILL)
    }

    @Test func anOwnerThatIsDoneLeavesNoProcess() throws {
        var pid: Int32 = 0
        do {
            let child = try ChildProcess(
                path: "/bin/sleep", arguments: ["100"], environment: [],
                descriptors: [nil, nil, nil])
            pid = child.pid
            #expect(kill(pid, 0) == 0)
        }
        #expect(kill(pid, 0) == -1)
    }

    @Test(arguments: [("/nonexistent", ENOENT), ("/etc/passwd", EACCES)])
    func aProgramThatCannotRunIsAnError(path: String, code: Int32) throws {
        let error = #expect(throws: SystemError.self) {
            _ = try ChildProcess(path: path, arguments: [], environment: [], descriptors: []).pid
        }
        #expect(error == SystemError(call: "execve", subject: path, code: code))
    }

    @Test func moreDescriptorsThanThePlanHoldsAreAnError() throws {
        let full = try ChildProcess(
            path: "/bin/true", arguments: [], environment: [],
            descriptors: Array(repeating: nil, count: 32)
        ).pid
        #expect(full > 0)
        let error = #expect(throws: SystemError.self) {
            _ = try ChildProcess(
                path: "/bin/true", arguments: [], environment: [],
                descriptors: Array(repeating: nil, count: 33)
            ).pid
        }
        #expect(error?.code == EINVAL)
    }
}
