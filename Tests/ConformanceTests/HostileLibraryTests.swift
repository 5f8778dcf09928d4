import Conformance
import Foundation
import TestSupport
import Testing

/// Copies of the hostile library with a word or a sin in them.
@Suite struct HostileLibraryTests {
    private static let file: [UInt8] =
        [1, 2, 3] + HostileLibrary.marker + [UInt8](repeating: 7, count: 60)

    @Test func aWordIsWrittenOverItsPlace() throws {
        let told = try #require(HostileLibrary.tell("fork", in: Self.file))
        #expect(told.count == Self.file.count)
        #expect(Array(told[3..<7]) == Array("fork".utf8))
        #expect(told[7..<3 + HostileLibrary.markerRoom].allSatisfy { $0 == 0 })
        #expect(Array(told[(3 + HostileLibrary.markerRoom)...]) == Array(Self.file[67...]))
    }

    @Test func aWordMustFitWithItsEnd() {
        let most = HostileLibrary.markerRoom - 1
        let fits = String(repeating: "w", count: most)
        #expect(HostileLibrary.tell(fits, in: Self.file) != nil)
        #expect(HostileLibrary.tell(fits + "w", in: Self.file) == nil)
    }

    @Test func aFileWithoutThePlaceIsNotChanged() {
        #expect(HostileLibrary.tell("fork", in: []) == nil)
        #expect(HostileLibrary.tell("fork", in: Array("BAHOST".utf8)) == nil)
        let short = Array(Self.file.prefix(3 + HostileLibrary.markerRoom - 1))
        #expect(HostileLibrary.tell("fork", in: short) == nil)
    }

    @Test(arguments: FileSin.allCases)
    func eachSinChangesTheFile(sin: FileSin) throws {
        let path = Products.plugin("hostile")
        let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let spoilt = try #require(sin.apply(to: good))
        #expect(spoilt != good)
        if ![.empty, .truncated].contains(sin) { #expect(spoilt.count == good.count) }
    }

    @Test(arguments: [[], [0x7F], [UInt8](repeating: 0, count: 64)])
    func whatIsNoFileIsNotSpoiltAndDoesNotTrap(bytes: [UInt8]) {
        for sin in FileSin.allCases {
            let spoilt = sin.apply(to: bytes)
            #expect((spoilt?.count ?? 0) <= bytes.count)
        }
    }
}
