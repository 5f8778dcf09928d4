import FaultServer
import LinuxSystem
import Synchronization
import Testing
import TransferEngine

struct BandwidthCapTests {
    private let start = Instant(nanoseconds: 0)

    /// Bytes that each member gets who takes 16 KiB whenever it may, over ten seconds.
    private func shares(_ cap: inout BandwidthCap, greedy: [Int64], _ slow: [Int64: Int] = [:])
        -> [Int64: Int]
    {
        var taken: [Int64: Int] = [:]
        for step in 1...1_000 {
            cap.refill(at: start + .milliseconds(step * 10))
            for id in greedy where cap.admits(id) {
                cap.take(16_384, by: id)
                taken[id, default: 0] += 16_384
            }
            for (id, bytes) in slow where cap.admits(id) {
                cap.take(bytes, by: id)
                taken[id, default: 0] += bytes
            }
        }
        return taken
    }

    @Test func allTogetherGetTheRateAndEachTheSame() {
        var cap = BandwidthCap(rate: .kibibytes(1024), at: start)
        for id in 1...4 { cap.join(Int64(id)) }
        let taken = shares(&cap, greedy: [1, 2, 3, 4])
        let sum = taken.values.reduce(0, +)
        #expect(abs(sum - 10 << 20) <= 512 << 10)
        for bytes in taken.values { #expect(abs(bytes - sum / 4) <= 64 << 10) }
    }

    @Test func whatOneCannotUseIsTheOthers() {
        var cap = BandwidthCap(rate: .kibibytes(1024), at: start)
        cap.join(1)
        cap.join(2)
        let taken = shares(&cap, greedy: [1], [2: 100])
        let sum = taken.values.reduce(0, +)
        #expect(taken[2] == 100_000)
        #expect(abs(sum - 10 << 20) <= 512 << 10)
    }

    @Test func aMemberMayTakeUntilItOwes() {
        var cap = BandwidthCap(rate: .kibibytes(64), at: start)
        cap.join(1)
        #expect(!cap.admits(1))
        cap.refill(at: start + .milliseconds(100))
        #expect(cap.admits(1))
        cap.take(16_384, by: 1)
        #expect(!cap.admits(1))
        #expect(cap.patience != nil)
        // It owes 16,384 less 6,553.6 bytes.
        cap.refill(at: start + .milliseconds(249))
        #expect(!cap.admits(1))
        cap.refill(at: start + .milliseconds(251))
        #expect(cap.admits(1))
        #expect(cap.patience == nil)
    }

    @Test func nothingIsSavedUpForLong() {
        var cap = BandwidthCap(rate: .mebibytes(1), at: start)
        cap.join(1)
        cap.refill(at: start + .seconds(3_600))
        var taken = 0
        while cap.admits(1), taken < 10 << 20 {
            cap.take(16_384, by: 1)
            taken += 16_384
        }
        #expect(taken == 256 << 10)
    }

    @Test func othersAreNotCapped() {
        var cap = BandwidthCap(rate: .kibibytes(1), at: start)
        cap.join(1)
        #expect(cap.admits(2))
        cap.leave(1)
        #expect(cap.admits(1))
        #expect(!cap.isMember(1))
        #expect(cap.patience == nil)
    }

    @Test(arguments: [(1, 1000), (1 << 40, 5)] as [(UInt64, Int)])
    func patienceIsBounded(rate: UInt64, milliseconds: Int) {
        var cap = BandwidthCap(rate: ByteCount(bytes: rate), at: start)
        cap.join(1)
        cap.take(1 << 20, by: 1)
        #expect(cap.patience == .milliseconds(milliseconds))
    }
}

/// A clock that only a test moves.
private final class HandClock: Sendable {
    private let time = Mutex(Instant(nanoseconds: 0))

    var now: Instant { time.withLock { $0 } }

    func advance(_ duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}

/// The cap's decisions at a real transfer, by a clock that stands still.
struct TransferCapTests {
    private let content = FaultContent(TransferFixture.noise(400_000))

    private func capped() throws -> (fixture: TransferFixture, clock: HandClock) {
        let clock = HandClock()
        let fixture = try TransferFixture(
            ["/x": .honest(content)], backgroundRate: .kibibytes(64), clock: { clock.now })
        fixture.engine.start(try fixture.order("/x") { $0.isBackground = true })
        _ = try fixture.events.wait { $0.first { if case .began = $0 { true } else { false } } }
        return (fixture, clock)
    }

    @Test func aHeldTransferHasNotStalledAndGoesOnOverTheSameConnection() throws {
        let (fixture, clock) = try capped()
        // In steps of at most 16 KiB that take far longer together than the stall time of a second.
        var told = 0
        while !fixture.events.all.contains(where: { $0.ends(1) }) {
            clock.advance(.milliseconds(250))
            told = try fixture.events.wait { events in
                let count = events.count {
                    if case .progress = $0 { true } else { $0.ends(1) }
                }
                return count > told ? count : nil
            }
        }
        #expect(told > 20)
        let last = try fixture.events.wait { $0.first { $0.ends(1) } }
        #expect(TransferRun(last: last, all: []).isFinished)
        #expect(fixture.server.requests().count == 1)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
    }

    @Test func promotionLiftsTheCapWithoutANewRequest() throws {
        let (fixture, _) = try capped()
        fixture.engine.setClass(1, isBackground: false)
        let last = try fixture.events.wait { $0.first { $0.ends(1) } }
        #expect(TransferRun(last: last, all: []).isFinished)
        #expect(fixture.server.requests().count == 1)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
    }

    @Test func otherTransfersAreNotHeld() throws {
        let (fixture, _) = try capped()
        #expect(try fixture.run(try fixture.order("/x", id: 2)).isFinished)
        #expect(!fixture.events.all.contains { $0.ends(1) })
    }

    @Test func aHeldTransferCanBeCancelled() throws {
        let (fixture, _) = try capped()
        fixture.engine.cancel(1)
        #expect(try fixture.events.wait { $0.first { $0.ends(1) } } == .stopped(id: 1))
    }
}
