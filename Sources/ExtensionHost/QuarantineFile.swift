internal import Glibc
package import LinuxSystem

/// The file that keeps a ``LoadQuarantine`` between runs: bounded, replaced as a whole.
package struct QuarantineFile: Hashable, Sendable {
    /// Absolute.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// What a reading found, and what a person should know of it.
    package struct Reading: Hashable, Sendable {
        package var quarantine = LoadQuarantine()

        /// One sentence without a full stop.
        package var note: String?
    }

    /// Reads it; a file that is none is set aside under another name, and what was in it is
    /// forgotten.
    ///
    /// A missing file is an empty quarantine.
    package func read() -> Reading {
        do throws(ReplacedFileError) {
            return try QuarantineFile.read(try ReplacedFile(path, makingFolders: nil))
        } catch {
            if case .system(let error) = error, error.code == ENOENT { return Reading() }
            return Reading(note: "the quarantine is not read: \(error)")
        }
    }

    private static func read(
        _ file: borrowing ReplacedFile
    ) throws(ReplacedFileError) -> Reading {
        let bytes: [UInt8]?
        do throws(ReplacedFileError) {
            bytes = try file.read(limit: LoadQuarantine.byteBound)
        } catch {
            guard case .system(let failure) = error, failure.code == EFBIG else { throw error }
            return setAside(file, "it is too long")
        }
        guard let bytes else { return Reading() }
        do throws(QuarantineDamage) {
            return Reading(quarantine: try LoadQuarantine(untrusted: bytes))
        } catch {
            return setAside(file, "line \(error.line) of it is damaged")
        }
    }

    private static func setAside(_ file: borrowing ReplacedFile, _ why: String) -> Reading {
        guard file.rename(adding: ".damaged") else {
            return Reading(note: "the quarantine \(file.path) is ignored: \(why)")
        }
        return Reading(
            note: "the quarantine \(file.path) is set aside as \(file.path).damaged: \(why)")
    }

    /// Changes what is stored, reading it anew first, so that two hosts lose nothing of each other.
    ///
    /// - Parameter change: Made to what is there now.
    /// - Throws: ``ReplacedFileError``: the folder cannot be made or written, it is a user's and we
    ///   are root, or another host holds the lock for more than a second.
    package func update(
        _ change: (inout LoadQuarantine) -> Void
    ) throws(ReplacedFileError) {
        let file = try ReplacedFile(path, makingFolders: 0o700)
        let lock = try file.lock(within: .seconds(1))
        let before = try QuarantineFile.read(file).quarantine
        var after = before
        change(&after)
        guard after != before else { return }
        try file.replace(with: Array(after.text.utf8), mode: 0o600, under: lock)
    }
}
