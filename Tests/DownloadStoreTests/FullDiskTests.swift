import Foundation
import TestSupport
import Testing

/// Runs ``FullDiskActs`` on a small disk, for the tests' own user and for an ordinary one.
///
/// In a process of its own: SQLite looks up the true path of a database, and only there it has one.
@Suite(.enabled(if: SmallFileSystem.refusal == nil, "no small file system here"))
struct FullDiskTests {
    /// The environment variable that says where the disk is.
    private static let variable = "BAHOST_FULL_DISK"

    /// Where it is, in that process.
    static let disk = ProcessInfo.processInfo.environment[variable]

    private static let users: [UInt32?] =
        OrdinaryUser.isRoot ? [nil, OrdinaryUser.identifier] : [nil]

    @Test(arguments: users)
    func theStoreComesThroughAFullDisk(user: UInt32?) throws {
        let disk = try SmallFileSystem(mebibytes: 16, user: user)
        let scratch = try TestSupport.ScratchFolder("full-disk")
        // Where the user can reach it: the checkout may be in a closed folder.
        let program = "\(scratch.path)/bahostPackageTests.xctest"
        try copyProgram(Products.program("bahostPackageTests.xctest"), to: program)
        let tests = try disk.start(
            program,
            ["--testing-library", "swift-testing", "--filter", "DownloadStoreTests.FullDiskActs"],
            environment: [Self.variable: disk.path])
        let result = try tests.wait()
        let said = result.output + result.errors
        #expect(result.status == 0, "\(said)")
        #expect(said.contains("Test run with 6 tests in 1 suite passed"), "\(said)")
    }
}
