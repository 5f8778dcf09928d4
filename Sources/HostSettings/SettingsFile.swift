internal import BoundedJSON
internal import Glibc
internal import LinuxSystem

/// What the file of one level says.
package struct SettingsFile: Sendable {
    package let level: SettingsLevel
    package let path: String

    /// False when there is none, which is no fault.
    package let isThere: Bool

    /// By key.
    package private(set) var values: [String: SettingValue] = [:]

    /// Values that cannot be used, by key.
    package private(set) var faults: [String: HostSettingsError] = [:]

    /// Keys that the table does not have, in the order of the file.
    package private(set) var unknown: [String] = []

    /// Keys that this level may not set, in the order of the file.
    package private(set) var ignored: [String] = []

    static let bound = JSONBound(size: 1 << 20, depth: 64, fields: 4_096)

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file; one that does not exist says nothing.
    ///   - level: Whose it is.
    /// - Throws: ``HostSettingsError`` when nothing of the file can be used.
    package init(_ path: String, of level: SettingsLevel) throws(HostSettingsError) {
        self.level = level
        self.path = path
        guard let bytes = try SettingsFile.bytes(of: path) else {
            isThere = false
            return
        }
        isThere = true
        let top = try SettingsFile.parse(bytes, path)
        for name in top.names {
            guard let key = SettingKey(untrusted: name) else {
                unknown.append(name)
                continue
            }
            guard level == .system || !key.setting.isSystemOnly else {
                ignored.append(name)
                continue
            }
            guard let json = top.value(name) else { continue }
            do throws(SettingFault) {
                values[name] = try key.setting.kind.value(untrusted: json)
            } catch {
                faults[name] = HostSettingsError(
                    .badValue, path: path, key: name, message: error.message)
            }
        }
    }

    static func parse(
        _ bytes: [UInt8], _ path: String
    ) throws(HostSettingsError) -> FieldReader {
        do throws(BoundedJSONError) {
            return try JSONDocument.read(untrusted: bytes, path: path, bound: bound)
        } catch {
            throw HostSettingsError(
                .malformed, path: path, key: error.field, message: error.message)
        }
    }

    /// Nil when there is no file.
    static func bytes(of path: String) throws(HostSettingsError) -> [UInt8]? {
        do throws(SystemError) {
            return try DescriptorIO.readRegular(path, limit: bound.size)
        } catch {
            if error.code == ENOENT { return nil }
            throw refusal(error, path)
        }
    }

    private static func refusal(_ error: SystemError, _ path: String) -> HostSettingsError {
        switch error.code {
        case EFBIG:
            HostSettingsError(
                .malformed, path: path, message: "is larger than \(bound.size >> 20) MiB")
        case _ where error.isIrregularFile:
            HostSettingsError(.unreadable, path: path, message: "is no regular file")
        default:
            HostSettingsError(
                .unreadable, path: path,
                message: "cannot be read: \(SystemError.message(for: error.code))")
        }
    }
}
