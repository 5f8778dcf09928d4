// A podcast app's downloader extension: fetches the newest episodes and files them away.
import BackgroundAssets

@main
struct Episodes: BADownloaderExtension {
    /// How many episodes of the show are kept ready.
    static let newest = 5

    func downloads(
        for request: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        do {
            let show = try Show(contentsOf: manifestURL)
            let wanted = show.newest(Self.newest).filter { episode in
                !FileManager.default.fileExists(
                    atPath: episode.place(in: extensionInfo.containerURL).path)
            }
            print("\(request): \"\(show.show)\" has \(wanted.count) new episodes to fetch")
            return Set(wanted.enumerated().map { $1.download(place: $0) })
        } catch {
            print("\(request): the manifest cannot be read: \(error)")
            return []
        }
    }

    func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL) {
        // Downloads/FILE lies in the container; Library is its neighbour.
        let container = fileURL.deletingLastPathComponent().deletingLastPathComponent()
        let place = Episode.place(of: finishedDownload.identifier, in: container)
        BADownloadManager.shared.withExclusiveControl { acquired, error in
            guard acquired else {
                print("\(finishedDownload.identifier): no control: \(String(describing: error))")
                return
            }
            do {
                try FileManager.default.createDirectory(
                    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
                try FileManager.default.moveItem(at: fileURL, to: place)
                print("\(finishedDownload.identifier): ready to play")
            } catch {
                print("\(finishedDownload.identifier): cannot be filed: \(error)")
            }
        }
    }

    func backgroundDownload(_ failedDownload: BADownload, failedWithError error: any Error) {
        print("\(failedDownload.identifier): failed, next time perhaps: \(error)")
    }
}
