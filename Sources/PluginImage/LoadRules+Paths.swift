extension LoadRules {
    /// A needed library is named by its file name; where it lies is for the run path and the host.
    func judgeNeeded(of elf: ElfFile, _ list: inout RefusalList) {
        for name in elf.needed {
            let fault: String
            if name.isEmpty {
                fault = "has no name"
            } else if name.utf8.contains(UInt8(ascii: "/")) {
                fault = "is named by a path, a file name is needed"
            } else if name.utf8.contains(UInt8(ascii: "$")) {
                fault = "is named with a $, which the loader would replace"
            } else {
                continue
            }
            list.add(.forbiddenNeeded, "the file's needed library \(quoted(name)) \(fault)")
        }
        for filter in elf.filters {
            list.add(
                .forbiddenNeeded,
                "the file is a filter for the library \(quoted(filter)) (DT_FILTER, DT_AUXILIARY),"
                    + " which a plugin may not be")
        }
    }

    func judgeRunPaths(of elf: ElfFile, _ list: inout RefusalList) {
        for paths in elf.runPaths where !paths.isEmpty {  // glibc ignores an empty list
            for entry in paths.utf8.split(
                separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            {
                guard !list.isFull else { return }
                guard let fault = fault(ofRunPath: Array(entry)) else { continue }
                list.add(.forbiddenRunPath, "the file's run path \(quoted(paths)) \(fault)")
            }
        }
    }

    /// The folders that the loader looks in before the system's, as it spells them.
    ///
    /// Of a file that ``refusal(of:)-(ElfFile)`` does not refuse.
    package func runFolders(of elf: ElfFile) -> [String] {
        elf.runPaths.flatMap { list in
            list.utf8.split(separator: UInt8(ascii: ":")).map { entry in
                let bytes = Array(entry)
                guard let rest = Self.afterOrigin(bytes) else {
                    return String(decoding: bytes, as: UTF8.self)
                }
                return (originFolder ?? pluginFolder) + String(decoding: rest, as: UTF8.self)
            }
        }
    }

    /// True when an absolute path is a folder of the list, or lies below one.
    ///
    /// - Parameters:
    ///   - path: Without symbolic links.
    ///   - folders: Absolute.
    /// - Returns: Whether it is; compared component by component.
    package static func isInside(_ path: String, _ folders: [String]) -> Bool {
        let parts = components(Array(path.utf8))
        return folders.contains { parts.starts(with: components(Array($0.utf8))) }
    }

    /// What is wrong with one entry of a run path, or nil.
    private func fault(ofRunPath entry: [UInt8]) -> String? {
        let shown = quoted(String(decoding: entry, as: UTF8.self))
        guard !entry.isEmpty else {
            return "has an empty entry, which means the current folder"
        }
        // The host's own folder may hold a dollar sign, the entry may not.
        guard !(Self.afterOrigin(entry) ?? entry[...]).contains(UInt8(ascii: "$")) else {
            return "has the entry \(shown) with a $ other than $ORIGIN at its start"
        }
        let path: [UInt8]
        if let rest = Self.afterOrigin(entry) {
            path = Array((originFolder ?? pluginFolder).utf8) + rest
        } else if entry.first == UInt8(ascii: "/") {
            path = entry
        } else {
            return "has the entry \(shown), which is relative"
        }
        let parts = Self.components(path)
        for folder in [pluginFolder] + libraryFolders
        where parts.starts(with: Self.components(Array(folder.utf8))) {
            return nil
        }
        return "has the entry \(shown), which is outside the plugin's folder and the library"
            + " folders"
    }

    /// What follows `$ORIGIN` or `${ORIGIN}` at the start of an entry; nil when neither is there.
    private static func afterOrigin(_ entry: [UInt8]) -> ArraySlice<UInt8>? {
        for token in ["$ORIGIN", "${ORIGIN}"] where entry.starts(with: token.utf8) {
            let rest = entry.dropFirst(token.utf8.count)
            if rest.isEmpty || rest.first == UInt8(ascii: "/") { return rest }
        }
        return nil
    }

    /// The components of an absolute path without `.`, `..` and doubled slashes.
    private static func components(_ path: [UInt8]) -> [ArraySlice<UInt8>] {
        var result: [ArraySlice<UInt8>] = []
        for part in path.split(separator: UInt8(ascii: "/")) {
            if part.elementsEqual(".".utf8) { continue }
            if part.elementsEqual("..".utf8) {
                _ = result.popLast()
            } else {
                result.append(part)
            }
        }
        return result
    }
}
