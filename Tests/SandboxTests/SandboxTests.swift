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
    @Test func anotherParentIsNoRun() async {
        await #expect(processExitsWith: .exitCode(9)) {
            var policy = SandboxPolicy(paths: SandboxPaths(plugin: "/x.so", container: "/"))
            policy.hostProcess = 1
            do { _ = try Sandbox.apply(policy) } catch {
                exit(error.code == .hostGone && error.step == "parent" ? 9 : 1)
            }
            exit(2)
        }
    }

    @Test func rootWithoutAnIdentityIsNoRun() async {
        guard geteuid() == 0, UserMap.isHostRoot() else { return }
        await #expect(processExitsWith: .exitCode(9)) {
            let policy = SandboxPolicy(paths: SandboxPaths(plugin: "/x.so", container: "/"))
            do { _ = try Sandbox.apply(policy) } catch {
                exit(error.code == .identityRefused && error.step == "identity" ? 9 : 1)
            }
            exit(2)
        }
    }

    @Test func basicIsolationDemandsItsLayers() async {
        await #expect(processExitsWith: .exitCode(9)) {
            var policy = SandboxPolicy(paths: SandboxPaths(plugin: "/x.so", container: "/"))
            policy.isolation = .basic
            policy.identity = 60_123
            policy.absentLayers = ["no-new-privileges"]
            do { _ = try Sandbox.apply(policy) } catch {
                exit(error.step == "no-new-privileges" ? 9 : 1)
            }
            exit(2)
        }
    }
}
