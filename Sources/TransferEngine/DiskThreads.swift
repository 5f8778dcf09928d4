internal import LinuxSystem

/// The threads that wait for the disk, so that the network's never does.
final class DiskThreads: Sendable {
    enum SyncJob: Sendable {
        /// Begin to write a part.
        case start(DataFile, from: UInt64, count: UInt64)
        /// Make everything durable.
        case finish(DataFile)
    }

    /// What the network's thread is told.
    enum Report: Sendable {
        case caughtUp(id: Int64, FollowingHash)
        case published([PublishResult])
    }

    private struct HashJob: Sendable {
        var hash: FollowingHash
        /// Who waits for it; nil for nobody.
        var waiter: Int64?
    }

    private let hashing: JobThread<HashJob>
    private let syncing: JobThread<SyncJob>
    private let publishing: JobThread<PublishJob>

    /// Starts three threads; `report` is called from them.
    init(report: @escaping @Sendable (Report) -> Void) throws(SystemError) {
        hashing = try JobThread("bah-hash") { jobs in
            jobs.filter { job in
                if job.hash.follow() { return job.waiter != nil || job.hash.becomesQueued() }
                if let id = job.waiter { report(.caughtUp(id: id, job.hash)) }
                return false
            }
        }
        syncing = try JobThread("bah-sync") { jobs in
            for job in jobs {
                switch job {
                case .start(let file, let offset, let count):
                    file.startWriteBack(from: offset, count: count)
                // It fails again when the file is published.
                case .finish(let file): try? file.sync()
                }
            }
            return []
        }
        // Every group costs two commits of the file system's journal.
        publishing = try JobThread("bah-publish", gathers: true) { group in
            report(.published(Publisher.publish(group)))
            return []
        }
    }

    func follow(_ hash: FollowingHash, to length: UInt64) {
        if hash.advance(to: length) { hashing.put(HashJob(hash: hash)) }
    }

    /// Reports `caughtUp` when all that the hash was told of is hashed.
    func wait(for hash: FollowingHash, id: Int64) {
        hashing.put(HashJob(hash: hash, waiter: id))
    }

    func sync(_ job: SyncJob) {
        syncing.put(job)
    }

    func publish(_ job: PublishJob) {
        publishing.put(job)
    }

    /// Does what is waiting and ends.
    func finish() {
        publishing.finish()
        syncing.finish()
        hashing.finish()
    }
}
