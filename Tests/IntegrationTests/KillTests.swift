import Testing
import TestSupport

/// The small edition of `Tests/Kill/kill-run`.
@Suite struct KillTests {
    @Test func killsAtRandomMomentsLoseNothing() throws {
        let seed = UInt32.random(in: 0 ... .max)
        print("kill-run: seed \(seed)")
        let result = try runProgram(
            "/usr/bin/python3",
            [
                "\(Products.root)/Tests/Kill/kill-run", "--seed", "\(seed)", "--kills", "15",
                "--hits", "0", "--spare", "3", "--large", "6", "--medium", "20", "--small", "80",
                "--scale", "4",
                "--binary", Products.program("bahost"),
            ])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.lines.last?.hasSuffix("15 kills, no faults") == true, "\(result.output)")
    }

    /// The small edition of `Tests/Kill/kill-purge`.
    @Test func killsWhileFilesAreTakenBackLeaveRowsAndFilesThatAgree() throws {
        let seed = UInt32.random(in: 0 ... .max)
        print("kill-purge: seed \(seed)")
        let result = try runProgram(
            "/usr/bin/python3",
            [
                "\(Products.root)/Tests/Kill/kill-purge", "--seed", "\(seed)", "--kills", "12",
                "--files", "300", "--binary", Products.program("bahost"),
            ])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.lines.last?.hasSuffix("12 kills, no faults") == true, "\(result.output)")
    }
}
