import BackgroundAssets

/// The manifest: a show and its episodes, in any order.
struct Show: Decodable {
    let show: String
    let episodes: [Episode]

    /// The largest manifest that is read, in bytes: decoding takes several times as much memory.
    static let largest = 256 << 10

    init(contentsOf url: URL) throws {
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        guard let size, size <= Self.largest else {
            throw CocoaError(.fileReadTooLarge)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(Show.self, from: Data(contentsOf: url))
    }

    /// The newest episodes, newest first.
    func newest(_ count: Int) -> [Episode] {
        Array(episodes.sorted { $0.published > $1.published }.prefix(count))
    }
}

/// One episode of the manifest.
struct Episode: Decodable {
    let id: String
    let title: String
    let url: URL
    let bytes: Int
    /// 64 hexadecimal digits; without it the file is checked by its size alone.
    let sha256: String?
    let published: Date

    /// The wish for the host; the newest episode (place 0) goes first.
    func download(place: Int) -> BADownload {
        BAURLDownload(
            identifier: id, url: url, fileSize: bytes,
            priority: BADownload.Priority(BADownload.Priority.max.rawValue - place),
            sha256: sha256.map(bytes(ofHex:)))
    }

    /// Where the app looks for the episode.
    func place(in container: URL) -> URL {
        Self.place(of: id, in: container)
    }

    /// Where the app looks for the episode of an identifier; a slash in it is no way out.
    static func place(of id: String, in container: URL) -> URL {
        let name = id.replacingOccurrences(of: "/", with: "_")
        return container.appendingPathComponent("Library/Episodes/\(name).mp3")
    }

    /// The bytes; fewer than 32 for what is not a hash, which the manager refuses by name.
    private func bytes(ofHex digits: String) -> Data {
        let digits = Array(digits.utf8)
        guard digits.count == 64 else { return Data() }
        return Data(
            stride(from: 0, to: 64, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            })
    }
}
