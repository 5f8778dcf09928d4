import Containers
import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Every row of the table on real file systems; also a page: `BAHOST_WRITE_PAGES=1` writes it.
///
/// With `BAHOST_NEEDS_DISKS=1` a machine on which that cannot be done fails the test.
@Suite(
    .enabled(
        if: ImageFileSystem.isNeeded || ImageFileSystem.refusal == nil, "no loop devices here"))
struct PurgeableTableTests {
    private static let page = "\(Products.root)/docs/purgeable.md"
    private static let writesPages =
        ProcessInfo.processInfo.environment["BAHOST_WRITE_PAGES"] != nil

    @Test func everyRowEndsAsTheTableSays() throws {
        var found = PurgeableTable.rows.map { _ in [String: PurgeablePage.Cell]() }
        for format in ImageFileSystem.Format.allCases {
            let disk = try ImageFileSystem(format)
            for (number, row) in PurgeableTable.rows.enumerated() {
                let cell = try cell(of: row, on: disk)
                let comment: Comment = "\(format), \(row.name)"
                #expect(cell.verdict == row.verdict(on: format.rawValue), comment)
                let isKnown = cell.verdict == .impossible ? nil : row.isKnownWithoutRow
                #expect(cell.isKnownWithoutRow == isKnown, comment)
                found[number][format.rawValue] = cell
            }
        }
        let text = PurgeablePage.text(of: found)
        if Self.writesPages {
            try text.write(toFile: Self.page, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOfFile: Self.page, encoding: .utf8)
        #expect(text == committed, "write docs/purgeable.md anew with BAHOST_WRITE_PAGES=1")
    }

    private func cell(
        of row: PurgeableRow, on disk: ImageFileSystem
    ) throws -> PurgeablePage.Cell {
        defer { _ = try? disk.run("rm -rf c outside") }
        let fixture = try ContainerFixture(in: disk.outerPath)
        let candidate = try fixture.publish()
        let result = try disk.run("cd c && \(row.line)")
        guard result.status == 0 else {
            return .init(verdict: .impossible, isKnownWithoutRow: nil)
        }
        let scan = try ContainerScan.scan(fixture.folders, wanted: [candidate.stamp])
        #expect(scan.isComplete)
        let known = try fixture.untouched().files
        #expect(known.allSatisfy { $0.stamp == candidate.stamp })
        guard let file = scan.file(with: candidate.stamp) else {
            return .init(verdict: .no, isKnownWithoutRow: !known.isEmpty)
        }
        try expect(row, file.links == 1 ? .purged : .linked, of: file, candidate, fixture)
        return .init(
            verdict: file.links == 1 ? .yes : .suspended, isKnownWithoutRow: !known.isEmpty)
    }

    /// Purging agrees with the look, and touches no copy.
    private func expect(
        _ row: PurgeableRow, _ outcome: PurgeOutcome, of file: FoundFile,
        _ candidate: PurgeCandidate, _ fixture: ContainerFixture
    ) throws {
        let before = try fixture.files()
        let moved = PurgeCandidate(
            rowID: candidate.rowID, uniqueIdentifier: candidate.uniqueIdentifier, path: file.path,
            stamp: candidate.stamp, lastUsed: candidate.lastUsed)
        #expect(fixture.purge.take(moved) == outcome, "\(row.name)")
        let left = before.filter { $0 != file.path || outcome != .purged }
        #expect(try fixture.files() == left, "\(row.name)")
    }
}
