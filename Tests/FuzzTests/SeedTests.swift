import Foundation
import FuzzTargets
import Testing

/// Every committed input, seed or old finding, through the check that the fuzzer runs.
struct SeedTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz")

    private static func seeds(of target: FuzzTarget) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "\(target.rawValue)/seeds"), includingPropertiesForKeys: nil)
    }

    @Test(arguments: FuzzTarget.allCases)
    func everySeedKeepsThePromises(target: FuzzTarget) throws {
        let seeds = try Self.seeds(of: target)
        #expect(seeds.count >= 3)
        for seed in seeds {
            let input = try [UInt8](Data(contentsOf: seed))
            #expect(throws: Never.self, "\(seed.lastPathComponent)") { try target.check(input) }
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func everySeedCutOrChangedKeepsThePromises(target: FuzzTarget) throws {
        for seed in try Self.seeds(of: target) {
            let input = try [UInt8](Data(contentsOf: seed))
            for place in stride(from: 0, to: input.count, by: max(1, input.count / 16)) {
                var changed = input
                changed[place] ^= 0x80
                for bytes in [Array(input[..<place]), changed] {
                    #expect(throws: Never.self, "\(seed.lastPathComponent) at \(place)") {
                        try target.check(bytes)
                    }
                }
            }
        }
    }
}
