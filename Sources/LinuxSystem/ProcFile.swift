internal import Glibc

/// Small files of /proc.
package enum ProcFile {
    /// The whole of one, up to 1 MiB.
    ///
    /// Nil when it is gone or cannot be read.
    package static func text(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path, flags: O_RDONLY),
            let bytes = try? DescriptorIO.readAll(file.raw, limit: 1 << 20, subject: path)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Lines of `NAME: NUMBER kB` in a file of /proc, as bytes.
///
/// proc_meminfo(5).
package struct KilobyteLines {
    private var values: [Substring: UInt64] = [:]

    package init(_ text: String) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let number = parts[1].split(whereSeparator: { $0 == " " || $0 == "\t" }).first
            if let number, let value = UInt64(number) { values[parts[0]] = value << 10 }
        }
    }

    /// Nil when the file is gone.
    package init?(path: String) {
        guard let text = ProcFile.text(path) else { return nil }
        self.init(text)
    }

    /// 0 for those that are not there.
    package func sum(_ names: Substring...) -> UInt64 { names.reduce(0) { $0 + (values[$1] ?? 0) } }
}
