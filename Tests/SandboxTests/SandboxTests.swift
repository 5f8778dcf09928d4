import Foundation
import LinuxSystem
import Sandbox
import Testing

@Suite struct SandboxTests {
    @Test(arguments: [(0, "read"), (1, "write"), (39, "getpid")])
    func systemCallsHaveNames(number: Int64, name: String) {
        #if arch(x86_64)
            #expect(Sandbox.systemCallName(number) == name)
        #endif
        #expect(Sandbox.systemCallName(number) != nil)
    }

    @Test(arguments: [-1, Int64.min, Int64.max, 100_000])
    func numbersWithoutASystemCallHaveNoName(number: Int64) {
        #expect(Sandbox.systemCallName(number) == nil)
    }

    @Test(arguments: [
        ("         0          0 4294967295\n", true),
        ("         0       1000          1\n         1     100000      65536\n", false),
        ("         0          0          1\n         1     100000      65536\n", true),
        ("      1000       1000          1\n", true),
        ("", true),
        ("garbage\n", true),
    ])
    func theUserMapSaysWhetherRootIsTheHosts(text: String, isHostRoot: Bool) {
        #expect(UserMap.mapsRootToRoot(Array(text.utf8)) == isHostRoot)
    }

    @Test func layersHaveTheNamesOfTheSettings() {
        #expect(
            SandboxLayer.allCases.map(\.rawValue) == [
                "rlimits", "seccomp", "no-new-privileges", "capabilities", "landlock", "identity",
                "mount-namespace", "sealing", "fence", "user-namespace", "pid-namespace",
                "network-namespace", "ipc-namespace", "cgroup",
            ])
        #expect(SandboxLayer.allCases.filter(\.isBasic).count == 4)
    }

    @Test(arguments: [
        ("/a/b/c.so", "/a/b", "c.so"), ("/c.so", "/", "c.so"), ("/ä ö/ü.so", "/ä ö", "ü.so"),
        ("c.so", ".", "c.so"),
    ])
    func aPathHasAFolderAndAName(path: String, folder: String, name: String) {
        let paths = SandboxPaths(plugin: path, container: "/c")
        #expect(paths.pluginFolder == folder)
        #expect(paths.pluginName == name)
        #expect(paths.writableFolders == ["/c/Downloads", "/c/Library", "/c/tmp"])
    }

    /// In a child: applying closes the process for good.
    @Test func aLauncherThatHasEndedIsNoRun() async {
        await #expect(processExitsWith: .exitCode(9)) {
            var policy = SandboxPolicy(paths: SandboxPaths(plugin: "/x.so", container: "/"))
            let ended = try ChildProcess(
                path: "/bin/true", arguments: [], environment: [], descriptors: [nil])
            var set = PollSet()
            set.add(ended.descriptor)
            try? set.wait(timeout: .seconds(20))
            policy.launcherDescriptor = ended.descriptor
            endWith(9, ifRefusedAt: "parent", policy)
        }
    }

    @Test(.enabled(if: geteuid() == 0 && UserMap.isHostRoot()))
    func rootWithoutAnIdentityIsNoRun() async {
        await #expect(processExitsWith: .exitCode(9)) {
            let policy = SandboxPolicy(paths: SandboxPaths(plugin: "/x.so", container: "/"))
            endWith(9, ifRefusedAt: "identity", policy)
        }
    }

    @Test func basicIsolationDemandsItsLayers() async {
        await #expect(processExitsWith: .exitCode(9)) {
            var policy = SandboxPolicy(paths: SandboxPaths(plugin: "/x.so", container: "/usr"))
            policy.isolation = .basic
            policy.identity = 60_123
            policy.absentLayers = ["no-new-privileges"]
            endWith(9, ifRefusedAt: "no-new-privileges", policy)
        }
    }
}

private func endWith(_ status: Int32, ifRefusedAt step: String, _ policy: SandboxPolicy) -> Never {
    do throws(SandboxError) {
        _ = try Sandbox.apply(policy, after: PreparedSandbox(LauncherPolicy()))
    } catch {
        exit(error.step == step ? status : 1)
    }
    exit(2)
}
