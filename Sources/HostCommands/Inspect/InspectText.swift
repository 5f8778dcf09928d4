internal import ExtensionHost

/// ``InspectRecord`` for people: short sections, one fact a line.
package enum InspectText {
    /// The most lines of one kind; `--json` has them all.
    private static let mostLines = 12

    package static func of(_ record: InspectRecord) -> String {
        var lines = [headline(record)]
        lines += file(record) + plugin(record) + functions(record)
        if let image = record.image {
            lines += libraries(image) + memory(record.memory) + loading(image)
        }
        lines += rows("refused", record.refusals.map(\.sentence)) + rows("odd", record.oddities)
        return lines.map { TerminalText.escape($0) + "\n" }.joined()
    }

    private static func headline(_ record: InspectRecord) -> String {
        switch record.result {
        case .loads: return "\(record.file): a plugin that would be loaded"
        case .unread:
            return "\(record.file): the file could not be read safely: \(record.detail ?? "")"
        case .refused: break
        }
        guard record.tag == nil, let first = record.refusals.first else {
            let count = record.refusals.count
            return "\(record.file): a plugin that would be refused, for \(count)"
                + (count == 1 ? " reason" : " reasons")
        }
        guard first.code != "notReadable" else {
            return "\(record.file): would be refused: \(first.sentence)"
        }
        let telling = ["notSharedObject", "noTag"].lazy.compactMap { code in
            record.refusals.first { $0.code == code }
        }
        return "\(record.file): not a plugin: \((telling.first ?? first).sentence)"
    }

    private static func file(_ record: InspectRecord) -> [String] {
        guard let kind = record.kind, let size = record.sizeBytes else { return [] }
        return rows("file", ["\(kind); \(Words.grouped(size)) bytes"])
            + rows("soname", [record.image?.soname].compactMap { $0 })
    }

    private static func plugin(_ record: InspectRecord) -> [String] {
        guard let tag = record.tag else { return [] }
        let title = [tag.name, tag.version].filter { !$0.isEmpty }.joined(separator: " ")
        var words = [title.isEmpty ? "without a name" : title]
        words.append("ABI \(tag.abiMajor).\(tag.abiMinor)")
        if tag.usesSwift { words.append("in Swift") }
        if !tag.toolchain.isEmpty { words.append("toolchain \(tag.toolchain)") }
        if tag.registersByMain { words.append("registers by main") }
        words.append("tag of \(tag.structSizeBytes) bytes")
        words.append("flags \(tag.flags), required features \(tag.requiredFeatures)")
        return rows("plugin", [words.joined(separator: "; ")])
    }

    private static func functions(_ record: InspectRecord) -> [String] {
        let known = Set(record.entryPoints + ["bahost_plugin"])
        let others = record.exports.filter { !known.contains($0.name) }
        let told = record.exports.count - others.count
        let count = Int(record.exportCount) - told
        // Names of versions last: there can be more of them than of anything else.
        let sorted =
            others.filter { $0.kind != "absolute" } + others.filter { $0.kind == "absolute" }
        var lines = sorted.prefix(mostLines).map {
            $0.kind == "function" ? $0.name : "\($0.name) (\($0.kind))"
        }
        if count > lines.count { lines.append("and \(Words.grouped(count - lines.count)) more") }
        let title = record.tag == nil ? "exports" : "also exports"
        return rows("entry points", record.entryPoints) + rows(title, lines)
    }

    private static func libraries(_ image: InspectRecord.Image) -> [String] {
        let origins = [
            "system": "of the system", "plugin": "from the plugin's folder",
            "swiftRuntime": "of the Swift runtime", "missing": "NOT THERE",
        ]
        let needs = image.needs.map { need in
            need.library + (origins[need.origin].map { ", \($0)" } ?? "")
        }
        return rows("needs", cut(needs)) + rows("filter for", image.filters)
            + rows("run path", image.runPaths) + rows("versions", cut(versions(image)))
    }

    /// One line for each library.
    private static func versions(_ image: InspectRecord.Image) -> [String] {
        var order: [String] = []
        var found: [String: [String]] = [:]
        for version in image.symbolVersions {
            if found[version.library] == nil { order.append(version.library) }
            found[version.library, default: []].append(
                version.version + (version.isWeak ? " (weak)" : ""))
        }
        return order.map { "\($0): \((found[$0] ?? []).joined(separator: ", "))" }
    }

    private static func memory(_ memory: InspectRecord.Memory) -> [String] {
        guard let writable = memory.writableBytes else { return [] }
        let limit = Words.grouped(memory.limitBytes)
        var lines = ["\(Words.grouped(writable)) bytes of \(limit), writable"]
        lines.append(
            "\(Words.grouped(memory.readOnlyBytes ?? 0)) bytes read-only,"
                + " \(Words.grouped(memory.holeBytes ?? 0)) of holes: not counted")
        if let alignment = memory.alignmentBytes, alignment > 0 {
            lines.append("\(Words.grouped(alignment)) bytes for a moment, to align it")
        }
        return rows("memory", lines)
    }

    private static func loading(_ image: InspectRecord.Image) -> [String] {
        let stacks = ["notExecutable": "stack not executable", "executable": "executable stack"]
        var words = [stacks[image.stack] ?? "nothing said of the stack"]
        words.append("\(image.segments.count) segments")
        words.append(
            image.compactRelocationWords > 0
                ? "\(Words.grouped(image.relocationCount)) relocations and"
                    + " \(Words.grouped(image.compactRelocationWords)) words of compact ones"
                : "\(Words.grouped(image.relocationCount)) relocations")
        if image.hasTextRelocations { words.append("relocations in code") }
        return rows("loading", [words.joined(separator: "; ")])
    }

    private static func cut(_ lines: [String]) -> [String] {
        guard lines.count > mostLines else { return lines }
        return lines.prefix(mostLines) + ["and \(lines.count - mostLines) more"]
    }

    /// The title stands on the first line only.
    private static func rows(_ title: String, _ lines: [String]) -> [String] {
        lines.enumerated().map { index, line in
            "  " + TerminalText.pad(index == 0 ? title : "", to: 14) + line
        }
    }
}
