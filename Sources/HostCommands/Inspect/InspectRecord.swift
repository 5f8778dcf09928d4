/// What `bahost inspect` says of one file; docs/schema/inspect-1.json describes it.
///
/// Every key is always there; what is not known is null. Numbers are integers, with the unit last
/// in the key; sets of bits are texts such as `0x2`.
package struct InspectRecord: Hashable, Sendable, Encodable {
    package enum Result: String, Hashable, Sendable, Encodable, CaseIterable {
        /// A plugin that would be loaded.
        case loads
        case refused

        /// The worker that read it ended before it had told anything.
        case unread
    }

    package var schema = 1

    /// As it was given.
    package var file: String
    package var result: Result

    /// Of the worker, for `unread`.
    @Nullable package var detail: String?
    @Nullable package var kind: String?
    @Nullable package var sizeBytes: Int64?
    @Nullable package var image: Image?
    @Nullable package var tag: Tag?
    package var entryPoints: [String] = []
    package var exportCount: Int64 = 0

    /// In the order of the file's table, as far as they are told: at most 4,096.
    package var exports: [Export] = []
    package var memory: Memory
    package var refusals: [Refusal] = []
    package var oddities: [String] = []

    package var isLoadable: Bool { result == .loads }

    package init(file: String, result: Result, memoryLimitBytes: Int64) {
        self.file = file
        self.result = result
        memory = Memory(limitBytes: memoryLimitBytes)
    }

    package struct Tag: Hashable, Sendable, Encodable {
        package var name: String
        package var version: String
        package var abiMajor: Int
        package var abiMinor: Int
        package var toolchain: String
        package var registersByMain: Bool
        package var usesSwift: Bool
        package var flags: String
        package var requiredFeatures: String
        package var structSizeBytes: Int64
    }

    package struct Image: Hashable, Sendable, Encodable {
        package var machine: String
        @Nullable package var soname: String?
        package var needs: [Need] = []
        package var filters: [String] = []
        package var runPaths: [String] = []
        package var symbolVersions: [SymbolVersion] = []
        package var segments: [Segment] = []

        /// `notExecutable`, `executable` or `unsaid`.
        package var stack: String
        package var hasTextRelocations: Bool
        package var needsSwiftRuntime: Bool
        package var relocationCount: Int64
        package var compactRelocationWords: Int64
    }

    package struct Need: Hashable, Sendable, Encodable {
        package var library: String

        /// `system`, `plugin`, `swiftRuntime`, `missing` or `unknown`.
        package var origin: String
    }

    package struct SymbolVersion: Hashable, Sendable, Encodable {
        package var library: String
        package var version: String
        package var isWeak: Bool
    }

    package struct Segment: Hashable, Sendable, Encodable {
        package var address: Int64
        package var memoryBytes: Int64
        package var fileOffset: Int64
        package var fileBytes: Int64
        package var alignment: Int64

        /// As `r-x`.
        package var access: String
    }

    package struct Export: Hashable, Sendable, Encodable {
        package var name: String

        /// `function`, `object`, `other` or `absolute`, which has no place in memory.
        package var kind: String
    }

    /// What loading takes, beside the limit that it was held against.
    package struct Memory: Hashable, Sendable, Encodable {
        package var limitBytes: Int64
        @Nullable package var writableBytes: Int64?
        @Nullable package var readOnlyBytes: Int64?
        @Nullable package var holeBytes: Int64?
        @Nullable package var alignmentBytes: Int64?
    }

    package struct Refusal: Hashable, Sendable, Encodable {
        package var code: String
        package var sentence: String
    }
}
