import ExtensionHost
import LinuxSystem
import Testing

struct ExclusiveLeaseTests {
    private let start = Instant(nanoseconds: 0)

    @Test func aFreeLeaseIsGrantedAtOnce() {
        var lease = ExclusiveLease()
        #expect(lease.acquire(1, sequence: 1, timeoutMilliseconds: 0, now: start) == 0)
        #expect(lease.holder == 1)
    }

    @Test func theHolderMayNotAskAgain() {
        var lease = ExclusiveLease()
        _ = lease.acquire(1, sequence: 1, timeoutMilliseconds: -1, now: start)
        #expect(lease.acquire(1, sequence: 2, timeoutMilliseconds: -1, now: start) == 1006)
    }

    @Test(arguments: [(-2, 1000), (Int64.min, 1000), (0, 1004)] as [(Int64, Int32)])
    func someTimeoutsAreAnsweredAtOnce(timeout: Int64, status: Int32) {
        var lease = ExclusiveLease()
        _ = lease.acquire(1, sequence: 1, timeoutMilliseconds: -1, now: start)
        #expect(
            lease.acquire(2, sequence: 2, timeoutMilliseconds: timeout, now: start) == status)
    }

    @Test func waitersAreServedInTheirOrder() {
        var lease = ExclusiveLease()
        _ = lease.acquire(1, sequence: 1, timeoutMilliseconds: -1, now: start)
        #expect(lease.acquire(2, sequence: 5, timeoutMilliseconds: -1, now: start) == nil)
        #expect(lease.acquire(3, sequence: 7, timeoutMilliseconds: .max, now: start) == nil)
        let first = lease.release(1)
        #expect(first.status == 0)
        #expect(first.next == ExclusiveLease.Answer(holder: 2, sequence: 5, status: 0))
        #expect(lease.end(2) == ExclusiveLease.Answer(holder: 3, sequence: 7, status: 0))
        #expect(lease.end(3) == nil)
        #expect(lease.holder == nil)
    }

    @Test func aWaiterIsRefusedAtItsDeadline() {
        var lease = ExclusiveLease()
        _ = lease.acquire(1, sequence: 1, timeoutMilliseconds: -1, now: start)
        _ = lease.acquire(2, sequence: 2, timeoutMilliseconds: 100, now: start)
        let deadline = start + .milliseconds(100)
        #expect(lease.nextDeadline == deadline)
        #expect(lease.expire(now: start + .nanoseconds(99_999_999)) == [])
        #expect(
            lease.expire(now: deadline) == [
                ExclusiveLease.Answer(holder: 2, sequence: 2, status: 1004)
            ])
        #expect(lease.nextDeadline == nil)
        #expect(lease.release(1).next == nil)
    }

    @Test func aWorkerThatEndsWaitsNoMore() {
        var lease = ExclusiveLease()
        _ = lease.acquire(1, sequence: 1, timeoutMilliseconds: -1, now: start)
        _ = lease.acquire(2, sequence: 2, timeoutMilliseconds: -1, now: start)
        #expect(lease.end(2) == nil)
        #expect(lease.holder == 1)
        #expect(lease.release(1).next == nil)
    }

    @Test func onlyTheHolderMayRelease() {
        var lease = ExclusiveLease()
        #expect(lease.release(1).status == 1006)
        _ = lease.acquire(1, sequence: 1, timeoutMilliseconds: -1, now: start)
        #expect(lease.release(2).status == 1006)
        #expect(lease.holder == 1)
    }
}
