import Foundation
import Testing
import TestSupport

/// One technique in one place, under one limit.
struct MemoryCase: CustomTestStringConvertible, Sendable {
    enum Place: String, CaseIterable {
        case entry
        case constructor
    }

    /// The launcher that the plugin's needs choose.
    enum Kind: String, CaseIterable {
        case bare
        case swift
    }

    /// What the promise speaks of, and what it names as another matter.
    enum Matter {
        case memory

        /// Bytes in files, which have a budget of their own.
        case files

        /// The kernel's cache of names, which it gives up when it needs memory.
        case names
    }

    let word: String
    var shape: String?
    let place: Place
    let kind: Kind
    let mebibytes: Int

    var testDescription: String {
        "\(shape.map { "\($0): " } ?? "")\(word), \(place), \(kind), \(mebibytes) MiB"
    }

    /// The file of `make plugins`.
    var plugin: String {
        (kind == .swift ? "swift-" : "") + (shape.map { "shape-\($0)" } ?? "hostile")
    }

    var matter: Matter {
        if word.hasPrefix("c10-") { return .files }
        return word.hasPrefix("c12-") ? .names : .memory
    }

    /// The verdicts that may come, and a word that the detail then holds.
    var expected: (results: [String], word: String?) {
        if let shape, let words = MemoryCase.refusedShapes[shape] { return (["load_error"], words) }
        if let call = MemoryCase.trapped[word] { return (["policy_violation"], call) }
        // Pages made read-only after relocation can be unmapped, which gives nothing: they were paid
        // from the limit. The technique cannot return from then on.
        if let shape, ["needs-rodata", "needs-icu"].contains(shape) {
            return (["ok", "exited_early"], nil)
        }
        switch word {
        case "a0-malloc": return (["memory_limit"], nil)
        // The library's own data leave too little of 2 MiB for its stack.
        case "a0-stack" where mebibytes == 2, "a0-stack-and-map" where mebibytes == 2:
            return (["memory_limit"], "its stack could not grow")
        case "b8-reserve", "b8-all-together": return (["ok", "memory_limit"], nil)
        default: return (matter == .files ? ["file_limit"] : ["ok"], nil)
        }
    }

    private static let trapped = [
        "a12-process-vm-writev": "process_vm_writev", "b1-raw-threads": "clone",
        "c3-descriptor-tables": "clone", "c8-keyrings": "keyctl", "c9-perf": "perf_event_open",
        "c9-bpf": "bpf",
    ]

    /// Files that are not loaded at all, and why.
    private static let refusedShapes = [
        "big-bss": "writable segments", "far-alignment": "alignment", "needs-bss": "",
        "needs-relro": "",
    ]
}

extension MemoryCase {
    /// Names the file for the table; then every case is run, and kernel memory looked at too.
    ///
    /// Kernel memory is the whole machine's: what other tests do at the time would count.
    static let table = ProcessInfo.processInfo.environment["BAHOST_MEMORY_TABLE"]

    /// The words of `Sources/HostilePlugin/holding.h`.
    static let words: [String] = {
        let path = "\(Products.root)/Sources/HostilePlugin/holding.h"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            return line.hasPrefix("    T(\"") && parts.count == 3 ? String(parts[1]) : nil
        }
    }()

    /// The shapes of `hostile.mk`, and what each is made for.
    static let shapes = [
        ("big-bss", "b8-reserve"), ("some-bss", "b8-reserve"), ("big-rodata", "a8-own-pages"),
        ("far-segments", "a10-own-holes"), ("far-alignment", "a10-own-holes"),
        ("own-relro", "a0-map"), ("needs-bss", "b8-reserve"), ("needs-rodata", "a2-munmap-flip"),
        ("needs-relro", "a0-map"), ("needs-icu", "a2-munmap-flip"),
    ]

    /// Those that can differ between the launchers.
    private static let userWords = words.filter {
        ["a", "b2-", "b8-", "b10-"].contains(where: $0.hasPrefix)
    }

    /// Those that fill what the limit gives, to be tried under other limits.
    private static let filling = [
        "a0-map", "a1-mprotect-full", "a2-munmap-flip", "a4-flip", "b2-page-tables",
        "b8-all-together", "b10-mixed-maps",
    ]

    static let all: [MemoryCase] = {
        let isWhole = table != nil
        var cases: [MemoryCase] = []
        for kind in Kind.allCases {
            for place in Place.allCases {
                let isEvery = isWhole || (kind == .bare && place == .entry)
                for word in isEvery ? words : userWords {
                    cases.append(MemoryCase(word: word, place: place, kind: kind, mebibytes: 6))
                }
                guard isWhole || place == .constructor else { continue }
                cases += shapes.filter { exists($0.0) }.map { shape, word in
                    MemoryCase(word: word, shape: shape, place: place, kind: kind, mebibytes: 6)
                }
            }
            for word in isWhole ? userWords : filling {
                cases.append(MemoryCase(word: word, place: .entry, kind: kind, mebibytes: 64))
            }
        }
        for word in isWhole ? userWords : filling {
            cases.append(MemoryCase(word: word, place: .entry, kind: .bare, mebibytes: 2))
        }
        return cases
    }()

    /// `needs-icu` is there only where the system's ICU data is.
    private static func exists(_ shape: String) -> Bool {
        FileManager.default.fileExists(atPath: Products.plugin("shape-\(shape)"))
            || shape != "needs-icu"
    }
}
