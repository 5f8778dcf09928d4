/// What went wrong in the store of downloads.
package struct DownloadStoreError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// The folder is missing, is not a folder, or may not be written.
        case folderUnusable
        /// Another live host uses the folder; 0 when it has not written its process id yet.
        case heldByHost(pid: Int32)
        /// The database was written by a newer bahost; it was not touched.
        case newerSchema(found: Int32, known: Int32)
        /// The database is of an earlier bahost, and a reader does not change it.
        case olderSchema(found: Int32, known: Int32)
        /// A host ended uncleanly and part of what it left can only be read by the next one.
        case needsHost
        /// Another program locked the database for longer than the store waits.
        case busy
        /// The disk or a disk quota is full; nothing of the change was kept.
        case noSpace
        /// The disk failed.
        case inputOutput
        /// The database broke while open. The next opening sets it aside.
        case corrupt
        case outOfMemory
        /// The app has an unfinished download of this identifier.
        case identifierInUse
        /// A record to be written is out of bounds; the subject names the field.
        case invalidRecord
        /// A row does not make a record; the subject names row and column.
        case rowUnreadable
        /// No download of that row is in a state that allows the change.
        case noSuchRow
        /// Any other SQLite result code, which would be a fault of ours.
        case unexpected(result: Int32)
    }

    package let code: Code
    /// The path, row or field concerned, with what the system said about it.
    package let subject: String
    /// The `errno` value, when the system gave one.
    package let systemCode: Int32?

    package init(code: Code, subject: String, systemCode: Int32? = nil) {
        self.code = code
        self.subject = subject
        self.systemCode = systemCode
    }
}

extension DownloadStoreError: CustomStringConvertible {
    package var description: String {
        guard let systemCode else { return "\(sentence): \(subject)" }
        return "\(sentence): \(subject) (errno \(systemCode))"
    }

    private var sentence: String {
        switch code {
        case .folderUnusable: "cannot use the state folder"
        case .heldByHost(0): "the state folder is in use by another host"
        case .heldByHost(let pid): "the state folder is in use by the host with process id \(pid)"
        case .newerSchema(let found, let known):
            "the database has schema \(found), this bahost knows up to \(known)"
        case .olderSchema(let found, let known):
            "the database has schema \(found), which the next run brings to \(known)"
        case .needsHost: "the database is whole only after the next run"
        case .busy: "another program has locked the database"
        case .noSpace: "no space left for the database"
        case .inputOutput: "the disk failed under the database"
        case .corrupt: "the database is damaged"
        case .outOfMemory: "no memory for the database"
        case .identifierInUse: "the identifier has an unfinished download"
        case .invalidRecord: "the record is out of bounds"
        case .rowUnreadable: "a row of the database does not make a download"
        case .noSuchRow: "no download in a fitting state"
        case .unexpected(let result): "SQLite answered \(result)"
        }
    }
}
