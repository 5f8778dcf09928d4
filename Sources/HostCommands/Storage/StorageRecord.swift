package import HostEngine

/// What `bahost storage --json` prints; docs/schema/storage-1.json.
package enum StorageRecord {
    package struct Sum: Hashable, Sendable, Encodable {
        package var files: UInt64
        package var bytes: UInt64

        package init(_ sum: StorageLook.Sum) {
            files = sum.files
            bytes = sum.bytes
        }
    }

    /// `show`.
    package struct Listing: Hashable, Sendable, Encodable {
        let schema = 1
        package var containers: [Container]

        /// The process id of the host that holds the state folder.
        @Nullable package var holder: Int32?

        /// Sentences on rows that do not make a published file.
        package var unreadable: [String]

        package init(_ look: StorageLook, path: String, holder: Int32?) {
            containers = [Container(look, path: path)]
            _holder = Nullable(wrappedValue: holder)
            unreadable = look.unreadable
        }
    }

    package struct Container: Hashable, Sendable, Encodable {
        package var path: String
        package var purgeable: Sum
        package var inUse: Sum
        package var pinned: Sum
        package var kept: Sum
        package var partial: Sum
        package var missing: Sum
        package var unlisted: Sum

        /// The state folder that has the list of this container, when it is another one.
        @Nullable package var otherList: String?
        package var freeBytes: UInt64
        package var keepsMarks: Bool

        /// False when there was too much to look through.
        package var isComplete: Bool

        package init(_ look: StorageLook, path: String) {
            self.path = path
            purgeable = Sum(look.purgeable)
            inUse = Sum(look.inUse)
            pinned = Sum(look.pinned)
            kept = Sum(look.kept)
            partial = Sum(look.partial)
            missing = Sum(look.missing)
            unlisted = Sum(look.unlisted)
            _otherList = Nullable(wrappedValue: look.otherList)
            freeBytes = look.freeBytes
            keepsMarks = look.keepsMarks
            isComplete = look.isComplete
        }
    }

    /// `purge`.
    package struct Purge: Hashable, Sendable, Encodable {
        let schema = 1
        package var container: String
        package var isDryRun: Bool

        /// Relative to the container, in the order they went or would go.
        package var files: [String]
        package var bytes: UInt64

        /// How many stayed because somebody holds a lock on them.
        package var inUse: Int

        /// What is free afterwards, or would be.
        package var freeBytes: UInt64

        /// What was to be free.
        @Nullable package var untilBytes: UInt64?
        package var isReached: Bool

        /// Sentences on files that could not be taken back.
        package var faults: [String]

        package init(
            _ taken: StorageTaken, container: String, isDryRun: Bool, freeBytes: UInt64,
            untilBytes: UInt64?
        ) {
            self.container = container
            self.isDryRun = isDryRun
            files = taken.files
            bytes = taken.bytes
            inUse = taken.inUse
            self.freeBytes = freeBytes
            _untilBytes = Nullable(wrappedValue: untilBytes)
            isReached = freeBytes >= untilBytes ?? 0
            faults = taken.faults
        }
    }
}
