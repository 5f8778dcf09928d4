internal import LinuxSystem
internal import Synchronization

/// A thread that does what it is given, in order, all that waits at once as one batch.
///
/// While one batch is being done the next one gathers. Where a batch costs much the same however large
/// it is, it may gather twice as long again, at most a quarter of a second.
final class JobThread<Job: Sendable>: Sendable {
    private let box: JobBox<Job>
    private let thread: Mutex<NamedThread?>

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: At most 15 bytes.
    ///   - gathers: True to let small batches gather longer.
    ///   - work: Does a batch, and returns the jobs that are not done yet; they join the next one.
    /// - Throws: ``SystemError`` when there is no thread to be had.
    init(
        _ name: String, gathers: Bool = false, _ work: @escaping @Sendable ([Job]) -> [Job]
    ) throws(SystemError) {
        let box = try JobBox<Job>()
        self.box = box
        thread = Mutex(
            try NamedThread(name) {
                while let batch = box.next() {
                    let start = BootClock.now()
                    box.putBack(work(batch))
                    guard gathers else { continue }
                    let end = BootClock.now()
                    box.gather(until: end + min((end - start) * 2, .milliseconds(250)))
                }
            })
    }

    deinit {
        finish()
    }

    func put(_ job: Job) {
        box.put(job)
    }

    /// Does what is waiting, then ends; jobs put later are not done.
    func finish() {
        box.close()
        thread.withLock { $0.take() }?.join()
    }
}

/// What waits for a thread.
private final class JobBox<Job: Sendable>: Sendable {
    private struct Contents {
        var jobs: [Job] = []
        var isClosed = false
        /// When the next batch may begin that is not full.
        var next = Instant(nanoseconds: 0)
    }

    /// As many jobs are a full batch, which waits no longer.
    private static var full: Int { 192 }

    private let contents = Mutex(Contents())
    private let flag: EventFlag

    init() throws(SystemError) {
        flag = try EventFlag()
    }

    func put(_ job: Job) {
        let isDue = contents.withLock { contents in
            guard !contents.isClosed else { return false }
            contents.jobs.append(job)
            return contents.jobs.count == 1 || contents.jobs.count == Self.full
        }
        if isDue { flag.raise() }
    }

    /// They were there before the box was closed.
    func putBack(_ jobs: [Job]) {
        guard !jobs.isEmpty else { return }
        contents.withLock { $0.jobs += jobs }
        flag.raise()
    }

    func close() {
        contents.withLock { $0.isClosed = true }
        flag.raise()
    }

    /// Small batches have time until then.
    func gather(until next: Instant) {
        contents.withLock { $0.next = next }
    }

    /// Waits for jobs; nil when there are none and none will come.
    func next() -> [Job]? {
        while true {
            flag.clear()
            let (jobs, wait) = take(at: BootClock.now())
            if !jobs.isEmpty { return jobs }
            guard let wait else { return nil }
            var set = PollSet()
            set.add(flag.descriptor)
            try? set.wait(timeout: wait)
        }
    }

    /// A batch, or how long to wait for one; neither when none will come.
    private func take(at now: Instant) -> (jobs: [Job], wait: Duration?) {
        contents.withLock { contents in
            if contents.jobs.isEmpty {
                return ([], contents.isClosed ? nil : .seconds(1 << 20))
            }
            let isFull = contents.isClosed || contents.jobs.count >= Self.full
            guard isFull || now >= contents.next else { return ([], contents.next - now) }
            let taken = contents.jobs
            contents.jobs = []
            return (taken, nil)
        }
    }
}
