import Foundation
import Glibc
import HostEngine
import TestSupport
import Testing

/// `bahost inspect` on real files.
struct InspectTests {
    /// Of many kinds: C, C++, data only, loader, NSS, conversion, PAM, Swift.
    private static let systemLibraries: [String] = {
        #if arch(x86_64)
            let folder = "/usr/lib/x86_64-linux-gnu"
        #else
            let folder = "/usr/lib/aarch64-linux-gnu"
        #endif
        let names = [
            "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
            "libresolv.so.2", "libnss_files.so.2", "libnss_dns.so.2", "libnss_compat.so.2",
            "libanl.so.1", "libmvec.so.1", "libthread_db.so.1", "libstdc++.so.6", "libgcc_s.so.1",
            "libcurl.so.4", "libssl.so.3", "libcrypto.so.3", "libsqlite3.so.0", "libz.so.1",
            "liblzma.so.5", "libbz2.so.1.0", "libzstd.so.1", "libffi.so.8", "libseccomp.so.2",
            "libicudata.so.72", "libicuuc.so.72", "libxml2.so.2", "libgmp.so.10",
            "libgnutls.so.30", "libp11-kit.so.0", "libidn2.so.0", "libunistring.so.2",
            "libselinux.so.1", "libpcre2-8.so.0", "libcrypt.so.1", "libpam.so.0", "libaudit.so.1",
            "libcap.so.2", "libncursesw.so.6", "libtinfo.so.6", "libsystemd.so.0", "libudev.so.1",
            "libblkid.so.1", "libmount.so.1", "libexpat.so.1", "libgomp.so.1", "libasan.so.8",
            "libbfd-2.40-system.so", "security/pam_unix.so", "gconv/UTF-16.so", "gconv/EUC-JP.so",
            "gconv/libJIS.so", "ossl-modules/legacy.so", "engines-3/afalg.so",
        ]
        return names.map { "\(folder)/\($0)" } + [
            "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
        ]
    }()

    private static let swiftLibraries = [
        "libswiftCore.so", "libswift_Concurrency.so", "libdispatch.so", "lib_FoundationICU.so",
    ].flatMap { name in
        SwiftRuntime.folders(environment: ProcessInfo.processInfo.environment).prefix(1)
            .map { "\($0)/\(name)" }
    }

    @Test func whatIsToldOfLibrariesIsWhatReadelfSays() throws {
        let files = (InspectTests.systemLibraries + InspectTests.swiftLibraries).filter {
            FileManager.default.fileExists(atPath: $0)
        }
        #expect(files.count >= 30)
        let fixture = try RunFixture()
        let (result, inspected) = try fixture.inspect(files)
        #expect(result.status == 1, "\(result.errors)")
        #expect(inspected.map(\.file) == files)
        for file in inspected {
            try compare(file)
        }
    }

    private func compare(_ file: InspectedFile) throws {
        let name = file.file
        let image = try #require(file.image, "\(name): \(file.detail ?? "") \(file.refusals)")
        let facts = try ReadelfFacts(name)
        #expect(image.machine == facts.machine, "\(name)")
        #expect(image.needs.map(\.library) == facts.needed, "\(name)")
        #expect(image.soname == facts.soname, "\(name)")
        #expect(image.runPaths.sorted() == facts.runPaths.sorted(), "\(name)")
        #expect(image.symbolVersions.map(\.version) == facts.versions, "\(name)")
        #expect(image.segments == facts.segments, "\(name)")
        #expect(image.stack == facts.stack, "\(name)")
        #expect(file.exportCount == facts.exports.count, "\(name)")
        let names = file.exports.map(\.name)
        #expect(names == Array(facts.exports.prefix(names.count)), "\(name)")
        #expect(names.count == file.exportCount || names.count > 1_000, "\(name)")
        #expect(file.memory.writableBytes == facts.memory.writable, "\(name)")
        #expect(file.memory.readOnlyBytes == facts.memory.readOnly, "\(name)")
        #expect(file.memory.holeBytes == facts.memory.holes, "\(name)")
        // What is installed finds what it needs.
        #expect(!image.needs.contains { $0.origin == "missing" }, "\(name)")
        #expect(file.codes.contains("noTag"), "\(name)")
    }

    @Test(arguments: users)
    func thePluginsOfTheProjectWouldBeLoaded(user: UInt32?) throws {
        let fixture = try RunFixture(as: user)
        let plugins = ["HelloDownload", "LevelPacks", "legitimate-cxx"].map { fixture.plugin($0) }
        let (result, files) = try fixture.inspect(plugins)
        #expect(result.status == 0, "\(result.errors)")
        #expect(files.map(\.result) == ["loads", "loads", "loads"])
        #expect(files.first?.tag?.name == "Hello, download")
        #expect(files.first?.entryPoints == ["bahost_install", "bahost_update"])
        #expect(files.allSatisfy { $0.refusals.isEmpty })
    }

    @Test(arguments: users)
    func aSwiftPluginIsReadWithoutItsRuntime(user: UInt32?) throws {
        let fixture = try RunFixture(as: user)
        let plugin = fixture.plugin("legitimate-swift")
        let path =
            FileManager.default.fileExists(atPath: plugin)
            ? plugin : "\(Products.folder)/libLegitimateSwift.so"
        let (result, files) = try fixture.inspect([path])
        #expect(result.status == 0, "\(files.first?.refusals as Any) \(result.errors)")
        let file = try #require(files.first)
        #expect(file.tag?.usesSwift == true)
        #expect(file.image?.needs.contains { $0.origin == "swiftRuntime" } == true)
    }

    @Test func aLibraryThatIsNotThereIsNamed() throws {
        let fixture = try RunFixture()
        _ = try fixture.compile("libother", "int other(void) { return 1; }")
        let other = "\(fixture.scratch.path)/libother.so"
        let plugin = try fixture.compile(
            "plugin",
            """
            #include <bahost/bahost.h>
            BAHOST_PLUGIN("x", "1");
            int other(void);
            int32_t bahost_install(const bahost_host *h, const bahost_content_request *r)
            { (void)h; (void)r; return other() - 1; }
            """, ["-L\(fixture.scratch.path)", "-lother", "-Wl,-rpath,$ORIGIN"])
        let found = try fixture.inspect([plugin]).files.first
        #expect(found?.result == "loads", "\(found?.refusals as Any)")
        #expect(found?.image?.needs.first?.origin == "plugin")
        try FileManager.default.removeItem(atPath: other)
        let lost = try fixture.inspect([plugin])
        #expect(lost.result.status == 1)
        #expect(lost.files.first?.codes == ["missingLibrary"])
        #expect(lost.files.first?.refusals.first?.sentence.contains("libother.so") == true)
    }

    @Test(arguments: [("8191", true), ("8192", false)])
    func writableSegmentsAreHeldAgainstTheLimit(limit: String, isOver: Bool) throws {
        let fixture = try RunFixture()
        let (_, files) = try fixture.inspect([
            fixture.plugin("HelloDownload"), "--memory", limit,
        ])
        #expect(files.first?.codes.contains("writableOverLimit") == isOver)
        // And both are less than the worker itself needs.
        #expect(files.first?.codes.contains("needOverLimit") == true)
        let enough = try fixture.inspect([fixture.plugin("HelloDownload"), "--memory", "256K"])
        #expect(enough.result.status == 0)
    }

    @Test func aFileThatIsNotThereDoesNotHideTheOthers() throws {
        let fixture = try RunFixture()
        let (result, files) = try fixture.inspect([
            "/nowhere/x.so", fixture.plugin("HelloDownload"), "/etc/passwd",
        ])
        #expect(result.status == 66)
        #expect(result.errors.contains("/nowhere/x.so: No such file or directory"))
        #expect(files.map(\.result) == ["loads", "refused"])
        #expect(files.last?.kind == "text")
    }

    /// As `| head -1` does; the status is that of all files.
    @Test func aReaderThatLeavesHidesNoFile() throws {
        let fixture = try RunFixture()
        let script = "exec 4> >(exit); wait $!; \"$1\" inspect \"$2\" /etc/passwd >&4; echo $?"
        let result = try runProgram(
            "/bin/bash",
            ["-c", script, "bash", Products.program("bahost"), fixture.plugin("HelloDownload")])
        #expect(result.output == "1\n", "\(result.errors)")
    }

    @Test func peopleGetSections() throws {
        let fixture = try RunFixture()
        let result = try fixture.runPlain(["inspect", fixture.plugin("HelloDownload")])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.first?.hasSuffix(": a plugin that would be loaded") == true)
        #expect(result.lines.contains("  needs         libc.so.6, of the system"))
        #expect(try fixture.runPlain(["inspect"]).status == 64)
    }

    /// Layers that this machine would not give change nothing in what is read.
    ///
    /// Without a mount namespace of its own a root host's worker needs folders open to all.
    @Test func degradedMachinesReadTheSame() throws {
        let fixture = try RunFixture()
        let plugin = ReachableCopies.plugin("HelloDownload")
        for layers in [["mount-namespace"], ["landlock"], ["user-namespace", "pid-namespace"]] {
            fixture.absentLayers = layers
            let (result, files) = try fixture.inspect([plugin])
            #expect(result.status == 0, "\(layers): \(files) \(result.errors)")
        }
    }
}
