// swift-tools-version: 6.2
// One manifest, no outside packages. Each folder of Sources is one target of the same name;
// docs/architecture.md says what each is for and which arrows are allowed.
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let warnings: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror", "-std=gnu11"])]

/// The runtime a Swift plugin needs, for its tag. The host runs a plugin only with the same one.
#if compiler(>=6.4)
    let swiftToolchain = "\"swift-6.4\""
#elseif compiler(>=6.3)
    let swiftToolchain = "\"swift-6.3\""
#else
    let swiftToolchain = "\"swift-6.2\""
#endif

/// A door to a system library: module map, one header, nothing else.
func door(_ name: String, pkgConfig: String, debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

/// Does not link FoundationNetworking, which is needed only where `URLRequest` is used.
///
/// Decision 0005. A plugin that sets this and uses it all the same does not load.
let withoutNetworking: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-autolink-library", "-Xfrontend", "FoundationNetworking"])
]

/// C of our own.
func c(_ name: String, _ uses: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(
        name: name, dependencies: uses, path: path ?? "Sources/\(name)",
        publicHeadersPath: "include", cSettings: warnings)
}

func module(_ name: String, _ uses: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: uses, swiftSettings: strict)
}

/// A program with the Swift runtime inside it (decision 0002).
func program(
    _ name: String, _ uses: [Target.Dependency], path: String? = nil, linker: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: uses, path: path, swiftSettings: strict,
        linkerSettings: [.unsafeFlags(["-static-stdlib"] + linker)])
}

/// A static FoundationEssentials does not name the libraries it needs itself.
let essentials = ["-l_FoundationCollections", "-l_FoundationCShims", "-lswiftSynchronization"]

func suite(_ name: String, _ uses: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: uses + ["TestSupport"], exclude: exclude,
        swiftSettings: strict)
}

let package = Package(
    name: "bahost",
    products: [
        .library(name: "BackgroundAssets", targets: ["BackgroundAssets"]),
        .library(name: "Episodes", type: .dynamic, targets: ["Episodes"]),
        .library(name: "SwiftSins", type: .dynamic, targets: ["SwiftSins"]),
        .library(name: "LegitimateSwift", type: .dynamic, targets: ["LegitimateSwift"]),
        .executable(name: "bahost", targets: ["bahost"]),
        .executable(name: "bahost-worker", targets: ["bahost-worker"]),
    ],
    targets: [
        // Doors to system libraries, and our own C.
        door("CSeccomp", pkgConfig: "libseccomp", debian: "libseccomp-dev"),
        door("CFFI", pkgConfig: "libffi", debian: "libffi-dev"),
        door("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
        door("CCrypto", pkgConfig: "libcrypto", debian: "libssl-dev"),
        c("CCurl"),
        c("CArgp"),
        c("CLinuxShims"),
        .target(
            name: "CPluginSDK", path: "SDK", exclude: ["template"], sources: ["src"],
            publicHeadersPath: "include", cSettings: warnings),
        .target(
            name: "CPluginTag", dependencies: ["CPluginSDK"],
            cSettings: warnings + [.define("BAHOST_SWIFT_TOOLCHAIN", to: swiftToolchain)]),
        c("CWorkerAllocator", ["CLinuxShims"]),

        // Both sides.
        module("LinuxSystem", ["CLinuxShims"]),
        module("WireProtocol", []),
        module("PluginImage", []),
        module("URLPolicy", []),
        module("BoundedJSON", []),

        // Worker side: no Foundation.
        module("Sandbox", ["CSeccomp", "LinuxSystem"]),
        module(
            "PluginRuntime",
            [
                "CFFI", "CPluginSDK", "CWorkerAllocator", "LinuxSystem", "PluginImage", "Sandbox",
                "WireProtocol",
            ]),

        // Host side.
        module("AssetPacks", ["BoundedJSON", "WireProtocol"]),
        module("DownloadScheduler", []),
        module("HTTPClient", ["CCurl", "LinuxSystem", "URLPolicy"]),
        module("Digests", ["CCrypto"]),
        module("DownloadStore", ["CSQLite", "DownloadScheduler", "LinuxSystem"]),
        module("TransferEngine", ["Digests", "HTTPClient", "LinuxSystem", "URLPolicy"]),
        module(
            "ExtensionHost", ["HTTPClient", "LinuxSystem", "Sandbox", "URLPolicy", "WireProtocol"]),
        module("InstalledApps", ["LinuxSystem"]),
        module("Containers", ["LinuxSystem"]),
        module(
            "HostEngine",
            [
                "Containers", "Digests", "DownloadScheduler", "DownloadStore", "ExtensionHost",
                "HTTPClient", "InstalledApps", "LinuxSystem", "TransferEngine", "URLPolicy",
                "WireProtocol",
            ]),
        module("HostSettings", ["BoundedJSON", "LinuxSystem"]),
        module(
            "PluginCheck",
            ["ExtensionHost", "HostEngine", "LinuxSystem", "URLPolicy", "WireProtocol"]),
        module("FaultServer", ["LinuxSystem"]),
        module(
            "Conformance",
            [
                "ExtensionHost", "FaultServer", "HostEngine", "LinuxSystem", "Sandbox", "URLPolicy",
                "WireProtocol",
            ]),
        module("CommandLineOptions", ["CArgp"]),
        module(
            "HostCommands",
            [
                "AssetPacks", "BoundedJSON", "CommandLineOptions", "Conformance", "Digests",
                "DownloadScheduler", "DownloadStore",
                "ExtensionHost", "HTTPClient", "HostEngine", "HostSettings", "InstalledApps",
                "LinuxSystem", "PluginCheck", "TransferEngine", "URLPolicy", "WireProtocol",
            ]),

        // For app and extension authors.
        .target(
            name: "BackgroundAssets", dependencies: ["CPluginSDK", "CPluginTag"],
            swiftSettings: strict + withoutNetworking),
        .target(
            name: "Episodes", dependencies: ["BackgroundAssets"], path: "ExamplePlugins/Episodes",
            exclude: ["README.md"], swiftSettings: strict + withoutNetworking),

        // Programs.
        program("bahost", ["HostCommands"], linker: essentials),
        program(
            "bahost-worker", ["CWorkerAllocator", "PluginRuntime"],
            linker: [
                "-Xlinker", "--no-export-dynamic",
                // Bound once in the launcher, not in each worker.
                "-Xlinker", "-z", "-Xlinker", "now",
                "-Xlinker",
                "--dynamic-list=\(Context.packageDirectory)/Sources/CWorkerAllocator/exports.list",
            ]),

        // Tests.
        .target(
            name: "SwiftSins", dependencies: ["BackgroundAssets"],
            path: "Tests/HostilePlugins/SwiftSins",
            swiftSettings: strict + withoutNetworking),
        .target(
            name: "LegitimateSwift", dependencies: ["BackgroundAssets"],
            path: "Tests/LegitimatePlugins/Swift", swiftSettings: strict + withoutNetworking),
        .target(
            name: "TestSupport", dependencies: ["LinuxSystem"], path: "Tests/TestSupport",
            swiftSettings: strict),
        // What the fuzzer checks; Tests/Fuzz/fuzz.mk builds it once more with libFuzzer.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "AssetPacks", "BoundedJSON", "DownloadScheduler", "DownloadStore", "HTTPClient",
                "InstalledApps", "LinuxSystem", "PluginImage", "TransferEngine", "URLPolicy",
                "WireProtocol",
            ],
            path: "Tests/Fuzz/Targets", swiftSettings: strict),
        // Measures; `make bench` builds and runs it.
        program(
            "run-bench", ["ExtensionHost", "HostEngine", "LinuxSystem", "WireProtocol"],
            path: "Tests/Benchmarks/RunBench", linker: essentials),
        program(
            "queue-bench", ["DownloadScheduler", "DownloadStore", "LinuxSystem"],
            path: "Tests/Benchmarks/QueueBench"),
        suite("LinuxSystem", ["LinuxSystem"]),
        suite("WireProtocol", ["WireProtocol"]),
        suite("PluginImage", ["PluginImage"]),
        suite("URLPolicy", ["HTTPClient", "URLPolicy"]),
        suite("Sandbox", ["LinuxSystem", "Sandbox"]),
        suite(
            "PluginRuntime",
            ["CPluginSDK", "LinuxSystem", "PluginRuntime", "Sandbox", "WireProtocol"]),
        suite("DownloadScheduler", ["DownloadScheduler"]),
        suite("HTTPClient", ["HTTPClient", "LinuxSystem", "URLPolicy"]),
        suite("Digests", ["Digests"]),
        suite("DownloadStore", ["DownloadScheduler", "DownloadStore", "LinuxSystem"]),
        suite(
            "TransferEngine",
            ["Digests", "FaultServer", "HTTPClient", "LinuxSystem", "TransferEngine", "URLPolicy"]),
        suite(
            "ExtensionHost",
            ["ExtensionHost", "HTTPClient", "LinuxSystem", "Sandbox", "URLPolicy", "WireProtocol"]),
        suite("BoundedJSON", ["BoundedJSON"]),
        suite("AssetPacks", ["AssetPacks", "BoundedJSON", "WireProtocol"]),
        suite("InstalledApps", ["InstalledApps"]),
        suite("Containers", ["Containers", "LinuxSystem"]),
        suite(
            "HostEngine",
            [
                "DownloadScheduler", "DownloadStore", "FaultServer", "HTTPClient", "HostEngine",
                "LinuxSystem", "TransferEngine", "URLPolicy",
            ]),
        suite("HostSettings", ["BoundedJSON", "HostSettings", "LinuxSystem"]),
        suite(
            "PluginCheck",
            ["ExtensionHost", "HostEngine", "LinuxSystem", "PluginCheck", "WireProtocol"]),
        suite(
            "Conformance",
            [
                "Conformance", "ExtensionHost", "HostEngine", "LinuxSystem", "Sandbox",
                "WireProtocol",
            ]),
        suite("CommandLineOptions", ["CommandLineOptions"]),
        suite(
            "HostCommands",
            [
                "AssetPacks", "CommandLineOptions", "Conformance", "DownloadScheduler",
                "ExtensionHost", "HTTPClient", "HostCommands", "HostEngine", "HostSettings",
                "LinuxSystem", "URLPolicy", "WireProtocol",
            ]),
        suite(
            "Fuzz",
            [
                "AssetPacks", "DownloadStore", "FuzzTargets", "InstalledApps", "PluginImage",
                "WireProtocol",
            ]),
        suite("BackgroundAssets", ["BackgroundAssets", "CPluginSDK"]),
        suite(
            "Integration",
            [
                "Conformance", "ExtensionHost", "FaultServer", "HostEngine", "LinuxSystem",
                "WireProtocol",
            ]),
    ]
)
