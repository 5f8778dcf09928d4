internal import LinuxSystem

/// Takes values out of a dictionary of a property list by key, each with its type and its range
/// checked; a complaint names the file and the key.
struct PropertyListReader {
    let entries: [String: PropertyList]
    let path: String
    /// The keys that lead to this dictionary, each ended by a dot.
    var prefix = ""
    var warnings: [String] = []

    init(entries: [String: PropertyList], path: String, prefix: String = "") {
        self.entries = entries
        self.path = path
        self.prefix = prefix
    }

    /// 1 to `limit` bytes without control characters.
    func text(_ key: String, limit: Int = 255) throws(InstalledAppsError) -> String? {
        guard let value = entries[key] else { return nil }
        guard case .string(let text) = value else { throw mismatch(key, "a string", value) }
        return try checked(text, key: key, limit: limit)
    }

    func flag(_ key: String) throws(InstalledAppsError) -> Bool {
        guard let value = entries[key] else { return false }
        guard case .boolean(let flag) = value else { throw mismatch(key, "a boolean", value) }
        return flag
    }

    /// A whole number of bytes, zero included; under its older name with a warning.
    mutating func size(
        _ key: String, olderName: String? = nil
    ) throws(InstalledAppsError) -> ByteCount? {
        guard let (key, value) = pick(key, olderName) else { return nil }
        switch value {
        case .integer(let number) where number >= 0:
            return ByteCount(bytes: UInt64(number))
        case .integer(let number):
            throw bad(key, "\(number) is negative")
        case .largeInteger(let number):
            throw bad(key, "\(number) is more than \(Int64.max)")
        default:
            throw mismatch(key, "an integer", value)
        }
    }

    mutating func texts(
        _ key: String, olderName: String? = nil
    ) throws(InstalledAppsError) -> [String]? {
        guard let (key, value) = pick(key, olderName) else { return nil }
        guard case .array(let items) = value else {
            throw mismatch(key, "an array of strings", value)
        }
        var texts: [String] = []
        for (index, item) in items.enumerated() {
            let place = "\(key)[\(index)]"
            guard case .string(let text) = item else { throw mismatch(place, "a string", item) }
            texts.append(try checked(text, key: place, limit: 255))
        }
        return texts
    }

    func dictionary(_ key: String) throws(InstalledAppsError) -> PropertyListReader? {
        guard let value = entries[key] else { return nil }
        guard case .dictionary(let inner) = value else {
            throw mismatch(key, "a dictionary", value)
        }
        return PropertyListReader(entries: inner, path: path, prefix: "\(prefix)\(key).")
    }

    func bundleIdentifier(_ key: String) throws(InstalledAppsError) -> String {
        guard let text = try text(key) else {
            throw InstalledAppsError(
                .missingKey, path: path, key: prefix + key,
                message: "is missing; every app needs one, such as org.example.game")
        }
        return try reverseDomain(text, key: key)
    }

    func group(_ key: String) throws(InstalledAppsError) -> String? {
        guard let text = try text(key) else { return nil }
        return try reverseDomain(text, key: key)
    }

    mutating func groups(_ key: String) throws(InstalledAppsError) -> [String] {
        let texts = try texts(key) ?? []
        for (index, text) in texts.enumerated() {
            _ = try reverseDomain(text, key: "\(key)[\(index)]")
        }
        return texts
    }

    /// One component of a path.
    func fileName(_ key: String) throws(InstalledAppsError) -> String? {
        guard let name = try text(key) else { return nil }
        guard !name.utf8.contains(Paths.separator), name != ".", name != ".." else {
            throw bad(key, "must be a file name without a folder")
        }
        return name
    }

    /// A relative path that does not climb.
    func innerPath(_ key: String) throws(InstalledAppsError) -> String? {
        guard let path = try text(key, limit: 1024) else { return nil }
        let isPlain = Paths.names(of: path).allSatisfy { !["", ".", ".."].contains($0) }
        guard isPlain else {
            throw bad(key, "must be a path inside the app's folder, without . and ..")
        }
        return path
    }

    /// The value under `key`, or with a warning under its older name; the newer name wins.
    private mutating func pick(
        _ key: String, _ olderName: String?
    ) -> (key: String, value: PropertyList)? {
        let newer = entries[key]
        if let olderName, let older = entries[olderName] {
            let use = newer == nil ? "is an old name; write \(key)" : "is ignored beside \(key)"
            warnings.append("\(path): \(prefix)\(olderName): \(use)")
            if newer == nil { return (olderName, older) }
        }
        return newer.map { (key, $0) }
    }

    private func checked(
        _ text: String, key: String, limit: Int
    ) throws(InstalledAppsError) -> String {
        guard (1...limit).contains(text.utf8.count) else {
            throw bad(key, "must be 1 to \(limit) bytes long, but is \(text.utf8.count)")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw bad(key, "holds a control character") }
        return text
    }

    /// Letters, digits, `-` and `.`, no empty label.
    ///
    /// Apple's documentation, `CFBundleIdentifier`.
    private func reverseDomain(_ text: String, key: String) throws(InstalledAppsError) -> String {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isFine = labels.allSatisfy { label in
            !label.isEmpty
                && label.unicodeScalars.allSatisfy { scalar in
                    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
                        || ("0"..."9").contains(scalar) || scalar == "-"
                }
        }
        guard isFine else {
            throw bad(key, "may hold letters, digits, - and . only, such as org.example.game")
        }
        return text
    }

    private func mismatch(
        _ key: String, _ expected: String, _ found: PropertyList
    ) -> InstalledAppsError {
        InstalledAppsError(
            .wrongType, path: path, key: prefix + key,
            message: "must be \(expected), but is \(found.typeName)")
    }

    private func bad(_ key: String, _ message: String) -> InstalledAppsError {
        InstalledAppsError(.badValue, path: path, key: prefix + key, message: message)
    }
}
