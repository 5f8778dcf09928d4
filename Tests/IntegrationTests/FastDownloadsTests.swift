import Foundation
import Testing
import TestSupport

/// Downloads that end faster than the host looks at what has ended.
@Suite(.enabled(if: SmallFileSystem.refusal == nil, "no small file system here"))
struct FastDownloadsTests {
    /// 7.5 MiB on a disk of 10: even with the MiB that is left to others all of it fits.
    @Test func whatLiesOnTheDiskIsNotReservedAsWell() throws {
        let server = try NginxServer()
        let run = try SmallDiskRun(as: nil)
        for number in 10..<25 {
            let data = TestData.bytes(count: 512 << 10, seed: UInt64(number))
            try server.serve("f\(number)", data)
            try run.want(
                "f\(number)", data, size: data.count, url: "\(server.base)/f\(number)")
        }
        let result = try run.run()
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(run.published.count == 15)
    }
}
