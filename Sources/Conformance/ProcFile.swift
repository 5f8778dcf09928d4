internal import Glibc
internal import LinuxSystem

/// Small files of /proc.
enum ProcFile {
    /// Nil when it is gone or cannot be read.
    static func text(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path, flags: O_RDONLY),
            let bytes = try? DescriptorIO.readAll(file.raw, limit: 1 << 20, subject: path)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The processes below one, at any depth, zombies too.
    ///
    /// proc_tid_children(5).
    static func descendants(of pid: Int32) -> [Int32] {
        var found: [Int32] = []
        FolderNames.each(in: "/proc/\(pid)/task") { task in
            guard !task.hasPrefix(".") else { return .no }
            let children = text("/proc/\(pid)/task/\(task)/children") ?? ""
            found += children.split(separator: " ").compactMap { Int32($0) }
            return .no
        }
        return found + found.flatMap { descendants(of: $0) }
    }

    /// True until it is a zombie or gone.
    ///
    /// proc_pid_stat(5).
    static func isRunning(_ pid: Int32) -> Bool {
        guard let text = text("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else {
            return false
        }
        return !text[end...].dropFirst(2).starts(with: ["Z"])
    }
}

/// Lines of `NAME: NUMBER kB` in a file of /proc, as bytes.
///
/// proc_meminfo(5).
struct KilobyteLines {
    private var values: [Substring: UInt64] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let number = parts[1].split(whereSeparator: { $0 == " " || $0 == "\t" }).first
            if let number, let value = UInt64(number) { values[parts[0]] = value << 10 }
        }
    }

    /// Nil when the file is gone.
    init?(path: String) {
        guard let text = ProcFile.text(path) else { return nil }
        self.init(text)
    }

    func sum(_ names: Substring...) -> UInt64 { names.reduce(0) { $0 + (values[$1] ?? 0) } }
}
