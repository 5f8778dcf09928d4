import DownloadStore
import Foundation
import Testing

/// The rows of a container that lies elsewhere now.
struct ContainerMoveTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    private func rebuilt(in container: String) -> PublishedChange {
        var file = PublishedFile.sample(UUID().uuidString)
        file.container = container
        return .rebuilt(file)
    }

    private func rows(_ store: DownloadStore, _ container: String) throws -> [Int64] {
        try store.publishedFiles(container: container).map(\.rowID)
    }

    @Test func allItsRowsMoveAndNoOthers() throws {
        try scratch.withStore { (store) throws in
            let containers = ["/old", "/old/inner", "/old", "/new", "/old2", "/old"]
            #expect(try store.changePublished(containers.map(rebuilt)) == [])
            #expect(try store.changePublished([.purging(3), .pinned(6, true)]) == [])
            #expect(try store.moveContainer(from: "/old", to: "/new") == 3)
            #expect(try rows(store, "/old") == [])
            #expect(try rows(store, "/old/inner") == [2])
            #expect(try rows(store, "/old2") == [5])
            #expect(try store.moveContainer(from: "/old", to: "/new") == 0)
        }
        try scratch.withStore { (store) throws in
            let files = try store.publishedFiles(container: "/new")
            #expect(files.map(\.rowID) == [1, 3, 4, 6])
            #expect(files.map(\.isPurging) == [false, true, false, false])
            #expect(files.map(\.isPinned) == [false, false, false, true])
            #expect(try store.purgingFiles(container: "/new").map(\.rowID) == [3])
        }
    }

    @Test func toItselfNothingMoves() throws {
        try scratch.withStore { (store) throws in
            _ = try store.changePublished([rebuilt(in: "/c")])
            #expect(try store.moveContainer(from: "/c", to: "/c") == 0)
            #expect(try rows(store, "/c") == [1])
        }
    }

    /// Two spellings of one letter are two names to the kernel.
    @Test func pathsAreComparedByTheirBytes() throws {
        let (one, other) = ("/\u{E4}", "/a\u{308}")
        try scratch.withStore { (store) throws in
            _ = try store.changePublished([rebuilt(in: one)])
            #expect(try store.moveContainer(from: other, to: "/c") == 0)
            #expect(try store.moveContainer(from: one, to: other) == 1)
            #expect(try rows(store, other) == [1])
        }
    }

    @Test(arguments: ["", "c", "./c", "/c\u{0}", "/" + String(repeating: "x", count: 4096)])
    func onlyAnAbsolutePathIsAContainer(path: String) throws {
        try scratch.withStore { (store) throws in
            _ = try store.changePublished([rebuilt(in: "/c")])
            for (old, new) in [("/c", path), (path, "/c")] {
                let error = storeError { _ = try store.moveContainer(from: old, to: new) }
                #expect(error?.code == .invalidRecord)
            }
            #expect(try rows(store, "/c") == [1])
        }
    }

    @Test func withoutADatabaseNoneIsMade() throws {
        let store = try DownloadStore(folder: scratch.path, creation: .whenAdmitting)
        #expect(try store.moveContainer(from: "/old", to: "/new") == 0)
        #expect(!store.hasDatabase)
        #expect(try scratch.names() == ["host.lock"])
    }
}
