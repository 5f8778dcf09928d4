extension ImageDescription {
    /// What is strange in a file and not forbidden: one sentence each, of the form of a refusal's.
    ///
    /// - Parameters:
    ///   - names: All entry points there are.
    ///   - memoryLimitBytes: What its writable segments are compared with.
    /// - Returns: The sentences.
    package func oddities(
        entryPoints names: [String], memoryLimitBytes: UInt64
    ) -> [String] {
        guard let elf else { return [] }
        var sentences: [String] = []
        if let image {
            sentences += oddities(of: image) + oddExports(besides: names, image.tag)
        }
        sentences += oddities(of: elf, memoryLimitBytes)
        return sentences
    }

    private func oddities(of image: PluginImage) -> [String] {
        let tag = image.tag
        var sentences: [String] = []
        // The tag of every Swift plugin is the module's own, which has no name.
        if tag.name.isEmpty, !tag.usesSwift { sentences.append("the file's tag has no name") }
        if image.hasOwnSwiftRuntime {
            sentences.append(
                "the file is a Swift plugin with a runtime of its own in it, which costs each run"
                    + " time and memory: link the Swift runtime dynamically")
        }
        if !tag.usesSwift, image.needsSwiftRuntime {
            sentences.append(
                "the file needs the Swift runtime but its tag does not say that it is a Swift"
                    + " plugin (BAHOST_TAG_USES_SWIFT)")
        }
        if tag.usesSwift, tag.toolchain.isEmpty {
            sentences.append(
                "the file's tag names no toolchain, so that its Swift version cannot be compared")
        }
        if image.exportsMain, !tag.registersByMain {
            sentences.append("the file exports main, which is not called: its tag does not ask")
        }
        return sentences
    }

    /// Names that look like entry points and are none, and names that nobody calls.
    private func oddExports(besides names: [String], _ tag: PluginTag) -> [String] {
        let known = Set(names + [PluginTag.symbolName])
        var sentences: [String] = []
        for export in exports.exports where export.name.utf8.starts(with: "bahost_".utf8) {
            guard !known.contains(export.name), sentences.count < 8 else { continue }
            sentences.append(
                "the file exports \(quoted(export.name)), which is no entry point of this host")
        }
        let others = exports.count - entryPoints.count - 1 - (tag.registersByMain ? 1 : 0)
        if others > 0, !tag.usesSwift {
            sentences.append(
                "the file exports \(grouped(others)) \(others == 1 ? "name" : "names") besides tag"
                    + " and entry points, which the host does not call (-fvisibility=hidden keeps"
                    + " them inside)")
        }
        return sentences
    }

    private func oddities(of elf: ElfFile, _ memoryLimitBytes: UInt64) -> [String] {
        var sentences: [String] = []
        for segment in elf.segments where segment.isWritable && segment.isExecutable {
            sentences.append(
                "the file's segment \(segment.index) can be written and executed")
            break
        }
        let need = elf.loadNeed
        if need.writableBytes > memoryLimitBytes / 2, need.writableBytes <= memoryLimitBytes {
            sentences.append(
                "the file's writable segments take \(grouped(need.writableBytes)) bytes, more than"
                    + " half of the memory limit of \(grouped(memoryLimitBytes))")
        }
        if need.holeBytes > 1 << 20 {
            sentences.append(
                "the file has holes of \(grouped(need.holeBytes)) bytes between its segments (link"
                    + " with -z max-page-size=\(elf.machine == .aarch64 ? 65_536 : 4_096))")
        }
        if elf.hasOldRunPath {
            sentences.append(
                "the file's run path is of the old kind or there are two (DT_RPATH): with"
                    + " libraries of its own it is refused (link with --enable-new-dtags)")
        }
        return sentences
    }
}
