import Foundation
import LinuxSystem
import Testing

struct NamespaceTests {
    private static let all: NamespaceSet = [.pid, .network, .ipc, .mount]

    /// Starts a shell in namespaces and returns what it printed.
    private func shell(_ script: String, _ namespaces: NamespaceSet) throws -> [String] {
        let output = try Descriptor.pipe()
        var child = try ChildProcess(
            path: "/bin/sh", arguments: ["-c", script], environment: [],
            descriptors: [nil, output.second.raw, output.second.raw], namespaces: namespaces)
        let reading = output.take { reading, _ in reading }
        let bytes = try DescriptorIO.readAll(reading.raw, limit: 65_536, subject: "shell")
        let end = try child.waitForEnd()
        #expect(end.exitCode == 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let links = "for n in user pid net ipc mnt; do readlink /proc/self/ns/$n; done"

    private var own: [String] {
        ["user", "pid", "net", "ipc", "mnt"].map {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/\($0)"))
                ?? ""
        }
    }

    @Test func withoutNamespacesAProgramSharesOurs() throws {
        #expect(try shell(NamespaceTests.links, []) == own)
    }

    @Test func aUserNamespaceBringsTheOthers() throws {
        let seen = try shell(
            NamespaceTests.links, NamespaceTests.all.union(.user))
        #expect(seen.count == 5)
        for (theirs, ours) in zip(seen, own) { #expect(theirs != ours) }
    }

    @Test(.enabled(if: geteuid() == 0))
    func rootNeedsNoUserNamespace() throws {
        let seen = try shell(NamespaceTests.links, NamespaceTests.all)
        #expect(seen.first == own.first)
        for (theirs, ours) in zip(seen.dropFirst(), own.dropFirst()) { #expect(theirs != ours) }
    }

    /// The first process of a PID namespace has the number 1.
    @Test func theProgramIsTheFirstOfItsNamespace() throws {
        #expect(try shell("echo $$", [.user, .pid]) == ["1"])
    }

    @Test func aProgramThatIsNotThereIsAnErrorAndLeavesNoChild() {
        let missing = SystemError(call: "execve", subject: "/nonexistent", code: ENOENT)
        #expect(throws: missing) {
            _ = try ChildProcess(
                path: "/nonexistent", arguments: [], environment: [], descriptors: [nil],
                namespaces: [.user, .pid])
        }
    }

    @Test func aHandleKnowsItsProcessAndKillsIt() throws {
        var child = try ChildProcess(
            path: "/bin/sleep", arguments: ["100"], environment: [], descriptors: [nil, nil, nil])
        do {
            let handle = try ProcessHandle(adopting: Descriptor.process(child.pid))
            #expect(handle.pid == child.pid)
            guard case .held(let memory) = handle.memory() else {
                Issue.record("nothing is seen of a process that lives")
                return
            }
            #expect(memory.heldBytes > 0)
            #expect(memory.threads == 1)
        }
        #expect(try child.waitForEnd().signal == SIGKILL)
        #expect(throws: SystemError.self) {
            _ = try ProcessHandle(adopting: Descriptor.open("/dev/null", flags: O_RDONLY))
        }
    }

}
