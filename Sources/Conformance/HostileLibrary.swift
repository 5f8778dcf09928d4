internal import Glibc
internal import LinuxSystem

/// The suite's plugins, and copies of them where every worker can read them.
package struct HostileLibrary {
    /// Where they were installed.
    private let source: String

    /// Where the copies lie: a folder that all may enter.
    let folder: String

    /// What a constructor's word is written over, and how many bytes there are for it.
    package static let marker = Array("BAHOST-CONSTRUCTOR-WORD".utf8)
    package static let markerRoom = 64
    private static let mostBytes = 128 << 20

    /// Copies the libraries that files of the suite need.
    ///
    /// - Throws: ``ConformanceError`` naming the file that is missing.
    init(source: String, folder: String) throws(ConformanceError) {
        self.source = source
        self.folder = folder
        var needs: [String] = []
        FolderNames.each(in: source) { name in
            if name.hasPrefix("libbahost-"), name != "libbahost-seal.so" { needs.append(name) }
            return .no
        }
        for name in needs { try write(bytes(of: name), as: name) }
    }

    func has(_ name: String) -> Bool { unsafe access("\(source)/\(name)", R_OK) == 0 }

    /// The file of a case; a constructor's word is written into a copy of it.
    static func name(of testCase: ConformanceCase) -> String {
        let prefix = testCase.launcher == .swift ? "swift-" : ""
        return testCase.shape.map { "\(prefix)shape-\($0).so" } ?? "\(prefix)hostile.so"
    }

    /// Puts the plugin of a case into the folder and gives its path.
    func place(_ testCase: ConformanceCase, outside: String) throws(ConformanceError) -> String {
        let name = HostileLibrary.name(of: testCase)
        if let sin = testCase.fileSin {
            guard let spoilt = sin.apply(to: try bytes(of: name)) else {
                throw ConformanceError(.libraryMissing, "\(name) has no two segments to spoil")
            }
            return try write(spoilt, as: "spoilt.so")
        }
        guard testCase.place == .constructor else {
            // Where nothing stands between, the one before may have written to it.
            return try write(bytes(of: name), as: name)
        }
        let line = testCase.line(outside: outside)
        guard let told = HostileLibrary.tell(line, in: try bytes(of: name)) else {
            throw ConformanceError(
                .libraryMissing, "\(source)/\(name) has no place for the word \(line)")
        }
        return try write(told, as: "constructor.so")
    }

    /// The file with a line in the place for it; nil where there is none, or the line is too long.
    package static func tell(_ line: String, in file: [UInt8]) -> [UInt8]? {
        let text = Array(line.utf8)
        guard text.count < markerRoom, let start = find(marker, in: file),
            start + markerRoom <= file.count
        else { return nil }
        var told = file
        for place in 0..<markerRoom {
            told[start + place] = place < text.count ? text[place] : 0
        }
        return told
    }

    private static func find(_ wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        guard let first = wanted.first, bytes.count >= wanted.count else { return nil }
        return bytes.indices.dropLast(wanted.count - 1).first {
            bytes[$0] == first && bytes[$0..<$0 + wanted.count].elementsEqual(wanted)
        }
    }

    private func bytes(of name: String) throws(ConformanceError) -> [UInt8] {
        let path = "\(source)/\(name)"
        do throws(SystemError) {
            let file = try Descriptor.open(path, flags: O_RDONLY)
            return try DescriptorIO.readAll(
                file.raw, limit: HostileLibrary.mostBytes, subject: path)
        } catch {
            throw ConformanceError(
                .libraryMissing,
                "cannot read \(path) of the suite: \(SystemError.message(for: error.code))")
        }
    }

    @discardableResult
    private func write(_ bytes: [UInt8], as name: String) throws(ConformanceError) -> String {
        let path = "\(folder)/\(name)"
        // A new file each time: the old one may be mapped.
        _ = unsafe unlink(path)
        try SuiteFolder.write(path, bytes, mode: 0o755)
        return path
    }
}
