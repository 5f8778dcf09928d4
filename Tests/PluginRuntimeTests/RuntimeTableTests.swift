import PluginRuntime
import Testing
import WireProtocol

@Suite struct RuntimeTableTests {
    @Test(arguments: EntryPoint.allCases)
    func everyEntryPointHasOneRow(entry: EntryPoint) throws {
        let rows = EntryPointTable.rows.filter { $0.entry == entry }
        #expect(rows.count == 1)
        let row = try #require(EntryPointTable.row(entry))
        #expect(row.parameters.first == .pointer)
        #expect(row.result == (entry == .willTerminate ? .nothing : .int32))
        #expect(row.sinceMinor == 1)
    }

    /// SDK/ABI.md.
    @Test func absentEntryPointsHaveTheirDefaults() {
        let ones = EntryPointTable.rows.filter { $0.absentStatus == 1 }.map(\.entry)
        #expect(ones == [.shouldDownload, .downloadFinished, .authenticationChallenge])
    }

    private static let maps = """
        00400000-00401000 r-xp 00000000 fe:00 1 /bin/x
        Size:               4000 kB
        Anonymous:             0 kB
        00500000-00600000 rw-p 00000000 fe:00 1 /bin/x
        Size:                100 kB
        KernelPageSize:        4 kB
        Anonymous:            40 kB
        00700000-00800000 rw-p 00000000 00:00 0
        Size:                 12 kB
        Anonymous:            12 kB
        00900000-00a00000 rw-s 00000000 00:00 0
        Size:                500 kB
        7ffc0000-7ffd0000 rw-p 00000000 00:00 0                          [stack]
        Size:                132 kB
        Anonymous:             8 kB

        """

    @Test(arguments: [1, 7, 4096])
    func theReserveIsWhatIsWritableAndNotHeld(piece: Int) {
        var sum = ReserveSum()
        let bytes = Array(RuntimeTableTests.maps.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            sum.add(bytes[start..<min(start + piece, bytes.count)])
        }
        #expect(sum.bytes == 60 << 10)
    }
}
