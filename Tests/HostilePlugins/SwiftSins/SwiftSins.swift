// A Swift extension that does what its manifest's first line says.
import BackgroundAssets

@main
struct SwiftSins: BADownloaderExtension {
    func downloads(
        for request: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        let word = (try? String(contentsOf: manifestURL, encoding: .utf8)) ?? ""
        switch word.trimmingCharacters(in: .whitespacesAndNewlines) {
        case "trap": trap(at: 7)
        case "task":
            let done = DispatchSemaphore(value: 0)
            Task.detached { done.signal() }
            done.wait()
        default: break
        }
        return []
    }

    private func trap(at place: Int) {
        let numbers = [1, 2, 3]
        print(numbers[place])
    }
}
