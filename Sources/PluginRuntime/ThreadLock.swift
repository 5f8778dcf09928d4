internal import Glibc

/// A lock between the plugin's threads and ours. pthread_mutex_lock(3).
// @unchecked Sendable: the mutex is made once and only ever handed to the pthread functions.
@safe final class ThreadLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        // SAFETY: nobody holds a reference any more, so nobody waits.
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// A thread that is cancelled inside would never give the lock back: it is cancelled after.
    func locked<Result>(_ body: () -> Result) -> Result {
        var before: Int32 = 0
        unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &before)
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_mutex_unlock(mutex)
            pthread_setcancelstate(before, nil)
        }
        return body()
    }

    /// Nil, without the body being run, when another thread holds the lock for longer than 0.1 s.
    ///
    /// pthread_mutex_timedlock(3).
    func lockedSoon<Result>(_ body: () -> Result) -> Result? {
        var before: Int32 = 0
        unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &before)
        defer { pthread_setcancelstate(before, nil) }
        var until = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &until)
        until.tv_nsec += 100_000_000
        if until.tv_nsec >= 1_000_000_000 {
            until.tv_sec += 1
            until.tv_nsec -= 1_000_000_000
        }
        guard unsafe pthread_mutex_timedlock(mutex, &until) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
