/// What a worker has read in a plugin's file, without running any of it.
///
/// Texts are as they stand in the file: what shows them escapes them.
package struct PluginFacts: Hashable, Sendable {
    /// A few words such as `ELF shared object, 64-bit, little-endian, for x86-64`; empty when the
    /// file could not be opened.
    package var kind = ""
    package var byteCount: UInt64 = 0

    /// Nil when it is no shared object that can be read.
    package var image: ImageFacts?

    /// Nil when it has no tag that can be read.
    package var tag: TagFacts?
    package var entryPoints: [String] = []

    /// Everything it exports, in the order of its table, as far as it fits.
    package var exports: [ExportFacts] = []

    /// How many there are in all.
    package var exportCount: UInt32 = 0

    /// Every reason not to load it; none when it would be loaded.
    package var refusals: [RefusalFacts] = []

    /// What is strange and not forbidden, one sentence each.
    package var oddities: [String] = []

    package init() {}
}

/// One reason not to load a file.
package struct RefusalFacts: Hashable, Sendable {
    /// A word such as `executableStack`.
    package let code: String
    package let sentence: String

    package init(code: String, sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}

/// The tag of a plugin.
///
/// SDK/include/bahost/version.h.
package struct TagFacts: Hashable, Sendable {
    package var structSize: UInt32 = 0
    package var abiMajor: UInt16 = 0
    package var abiMinor: UInt16 = 0
    package var requiredFeatures: UInt64 = 0
    package var flags: UInt64 = 0
    package var registersByMain = false
    package var usesSwift = false
    package var name = ""
    package var version = ""
    package var toolchain = ""

    package init() {}
}

/// A shared object as its loader sees it.
package struct ImageFacts: Hashable, Sendable {
    package var machine = ""
    package var soname: String?
    package var needs: [NeedFacts] = []
    package var filters: [String] = []
    package var runPaths: [String] = []
    package var versions: [VersionFacts] = []
    package var segments: [SegmentFacts] = []

    /// In pages: segments that cannot be written, and the holes between segments.
    package var readOnlyBytes: UInt64 = 0
    package var holeBytes: UInt64 = 0

    /// In pages: paid from the memory limit.
    package var writableBytes: UInt64 = 0

    /// Needed for a moment; 0 when no segment is aligned to more than a page.
    package var alignmentBytes: UInt64 = 0
    package var stack = StackWish.unsaid
    package var hasTextRelocations = false
    package var relocationCount: UInt64 = 0

    /// Words of DT_RELR, each for up to 63 relocations.
    package var compactRelocationWords: UInt64 = 0

    /// True when it needs a Swift runtime that is not linked into it.
    package var needsSwiftRuntime = false

    package init() {}
}

/// What a file says of the stack (PT_GNU_STACK).
package enum StackWish: UInt8, Hashable, Sendable, CaseIterable {
    case notExecutable = 0
    case executable = 1
    case unsaid = 2
}

/// Where a needed library comes from.
package enum NeedOrigin: UInt8, Hashable, Sendable, CaseIterable {
    /// Not looked for.
    case unknown = 0
    case system = 1

    /// Along the run path, from the plugin's own folder.
    case plugin = 2

    /// The Swift runtime of the host.
    case swiftRuntime = 3

    /// It is not there.
    case missing = 4
}

/// A needed library (DT_NEEDED).
package struct NeedFacts: Hashable, Sendable {
    package let name: String
    package var origin: NeedOrigin

    package init(name: String, origin: NeedOrigin) {
        self.name = name
        self.origin = origin
    }
}

/// The symbol versions that are needed of one library (DT_VERNEED).
package struct VersionFacts: Hashable, Sendable {
    package struct Version: Hashable, Sendable {
        package let name: String

        /// The loader only warns when it is missing.
        package let isWeak: Bool

        package init(name: String, isWeak: Bool) {
            self.name = name
            self.isWeak = isWeak
        }
    }

    package let library: String
    package let versions: [Version]

    package init(library: String, versions: [Version]) {
        self.library = library
        self.versions = versions
    }
}

/// A segment to load (PT_LOAD).
package struct SegmentFacts: Hashable, Sendable {
    package var address: UInt64 = 0
    package var memoryBytes: UInt64 = 0
    package var fileOffset: UInt64 = 0
    package var fileBytes: UInt64 = 0
    package var alignment: UInt64 = 0
    package var isReadable = false
    package var isWritable = false
    package var isExecutable = false

    package init() {}
}

/// What an exported name stands for.
package enum ExportKind: UInt8, Hashable, Sendable, CaseIterable {
    case function = 0
    case object = 1
    case other = 2

    /// A number in no segment, such as the name of a version.
    case absolute = 3
}

/// An exported name.
package struct ExportFacts: Hashable, Sendable {
    package let name: String
    package let kind: ExportKind

    package init(name: String, kind: ExportKind) {
        self.name = name
        self.kind = kind
    }
}
