internal import DownloadStore
internal import ExtensionHost
internal import LinuxSystem

/// Taking back what no host needs at this moment, outside of a run.
package struct StoragePurge: Sendable {
    package enum Goal: Hashable, Sendable {
        case all

        /// No more than it takes until so many bytes are free.
        case untilFree(UInt64)

        /// What has other bytes than were downloaded.
        case damaged
    }

    package private(set) var taken = StorageTaken()

    /// Sentences on what was found.
    package private(set) var notes: [String] = []

    /// On the file system of the container, afterwards.
    package private(set) var freeBytes: UInt64

    /// How often it is looked whether enough is free: others write meanwhile.
    private static let mostRounds = 16

    /// Does it; the store and the container are this one's until it returns.
    ///
    /// - Parameters:
    ///   - containerPath: Absolute; of a container that is there.
    ///   - statePath: Absolute. Made when the container says that its list was in a folder which is
    ///     gone.
    ///   - goal: What is to go.
    /// - Throws: ``RunError``, ``DownloadStoreError`` or ``SystemError``.
    package init(containerPath: String, statePath: String, goal: Goal) throws {
        let place = try StoragePlace(reading: containerPath)
        freeBytes = try place.freeBytes()
        try GroupContainer.checkOwner(containerPath)
        let made = try StateMaking.make(statePath, for: containerPath)
        var isUsed = false
        defer { if !isUsed { StateCleaning.remove(statePath, made: made) } }
        let store = try DownloadStore(folder: statePath, creation: .whenAdmitting)
        let container = try GroupContainer(
            path: containerPath, owner: WorkerIdentity.forThisHost())
        let keeper = StorageKeeper(container, store: store)
        notes = try keeper.takeUp(app: nil, statePath: statePath).notes
        isUsed = store.hasDatabase
        switch goal {
        case .all: try take(keeper, untilBytes: nil)
        case .untilFree(let bytes): try take(keeper, untilBytes: bytes)
        case .damaged:
            let found = try keeper.freeDamaged()
            taken = found.taken
            notes += found.notes
            freeBytes = try place.freeBytes()
        }
        store.restoreBallast()
        // After there is room for it.
        do {
            notes += try keeper.review().sentences
        } catch {
            notes.append("\(error)")
        }
        notes += store.notes
    }

    private mutating func take(_ keeper: StorageKeeper, untilBytes: UInt64?) throws {
        for _ in 0..<StoragePurge.mostRounds {
            freeBytes = try keeper.freeBytes()
            if let untilBytes, freeBytes >= untilBytes { return }
            let need = untilBytes.map { $0 - freeBytes } ?? .max
            let more = try keeper.free(bytes: need, isPartWelcome: true)
            taken.add(more)
            freeBytes = try keeper.freeBytes()
            if more.files.isEmpty || untilBytes == nil { return }
        }
    }
}
