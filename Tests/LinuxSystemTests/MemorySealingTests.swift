import Foundation
import LinuxSystem
import Testing
import TestSupport

/// What `envelope-probe` says: a number for each attempt.
private func probe(
    _ arguments: [String], environment: [String: String] = [:]
) throws -> [String: Int] {
    let program = "\(Products.root)/.build/plugins/envelope-probe"
    let result = try runProgram(program, arguments, environment: environment)
    try #require(result.status == 0, "\(result.output)\(result.errors)")
    var numbers: [String: Int] = [:]
    for line in result.lines {
        let parts = line.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2 { numbers[parts[0]] = Int(parts[1]) }
    }
    return numbers
}

private let notPermitted = Int(EPERM)

@Suite(.enabled(if: MemorySealing.isAvailable, "needs mseal, Linux 6.10"))
struct MemorySealingTests {
    @Test func codeIsSealedAndTheStackIsNot() throws {
        let said = try probe(["seal"])
        #expect(said["own code sealed before"] == 0)
        #expect(said["own code sealed"] == 1)
        #expect(said["library code sealed"] == 1)
        #expect(said["stack sealed"] == 0)
        #expect(said["no map"] == -Int(ENOENT))
        #expect(said["sealed again"] == 0)
        #expect(try #require(said["maps sealed"]) > 5)
    }

    @Test func sealedCodeCannotBeChangedOrReplaced() throws {
        let said = try probe(["seal"])
        #expect(said["code made writable"] == notPermitted)
        #expect(said["code unmapped"] == notPermitted)
        #expect(said["code mapped over"] == notPermitted)
    }

    /// Why a worker without seals gets no limit on address space.
    @Test func withoutSealsALimitOnAddressSpaceOpensWhatTheLimitOnDataCloses() throws {
        #expect(try #require(probe(["read-only"])["read-only kB taken"]) <= 6144)
        #expect(try probe(["read-only", "tight"])["read-only kB taken"] == 32_768)
    }

    @Test func aProcessSealsItself() async {
        await #expect(processExitsWith: .success) {
            guard !MemorySealing.isOwnCodeSealed else { exit(1) }
            guard (try? MemorySealing.sealReadOnlyMaps()) != nil else { exit(2) }
            guard MemorySealing.isOwnCodeSealed, !MemorySealing.isSealed(address: 4096) else {
                exit(3)
            }
            exit(0)
        }
    }
}

@Suite(.enabled(if: MemorySealing.isAvailable, "needs mseal, Linux 6.10"))
struct AuditLibraryTests {
    private static let sins = Products.plugin("sealed-sins")
    private static let attempts = ["resolver", "constructor", "later"].flatMap { time in
        ["constants made writable", "hole made writable", "hole unmapped"].map { "\(time) \($0)" }
    }

    @Test func aPluginsOwnPagesAndHolesAreSealedBeforeItsFirstCode() throws {
        let said = try probe(
            ["load", Self.sins], environment: ["LD_AUDIT": Products.plugin("libbahost-seal")])
        #expect(said["own code sealed"] == 1)
        for attempt in Self.attempts { #expect(said[attempt] == notPermitted, "\(attempt)") }
    }

    @Test func withoutTheLibraryTheAttemptsSucceed() throws {
        let said = try probe(["load", Self.sins])
        #expect(said["own code sealed"] == 0)
        for attempt in ["constants made writable", "hole unmapped"] {
            #expect(said["resolver \(attempt)"] == 0)
            #expect(said["constructor \(attempt)"] == 0)
        }
    }
}

@Suite(.enabled(if: MemorySealing.isAvailable, "needs mseal, Linux 6.10"))
struct AddressFenceTests {
    /// In small pieces, which come from the heap, and in large ones, which are maps of their own.
    @Test(arguments: [4096, 200_000]) func whatALimitAllowsFitsAndNothingElse(piece: Int) throws {
        let said = try probe(["fence", "\(piece)"])
        #expect(said["build"] == 0 && said["narrow"] == 0 && said["child"] == 0)
        #expect(said["map in the window"] == 0)
        #expect(said["map below the window"] == Int(EEXIST))
        #expect(said["map at 4 GiB"] == Int(EEXIST))
        #expect(said["unmap the fence"] == notPermitted)
        #expect(said["map over the window"] == Int(ENOMEM))
        #expect(said["stack"] == 0)
        #expect(said["threads"] == 20)
        #expect(try #require(said["malloc kB"]) > 5530)
        #expect(try #require(said["free MiB"]) < 32)
    }

    @Test func theFenceHoldsInTheOldLayoutToo() throws {
        let program = "\(Products.root)/.build/plugins/envelope-probe"
        let result = try runProgram(
            "/bin/sh", ["-c", "ulimit -s unlimited && exec \(program) fence"])
        guard result.output.contains("top down: 0") else { return }
        #expect(result.output.contains("narrow: 0\n"))
        #expect(result.output.contains("map below the window: \(EEXIST)\n"))
    }

    @Test func aWindowOfNoPageOrPastTheBoundIsRefused() async {
        await #expect(processExitsWith: .success) {
            for bytes in [0, 1 << 39] as [UInt64] {
                do throws(SystemError) {
                    _ = try AddressFence.build(windowBytes: bytes)
                    exit(1)
                } catch {
                    guard error.code == EINVAL else { exit(2) }
                }
            }
            exit(0)
        }
    }
}
