import BackgroundAssets
import CPluginSDK
import Synchronization
import Testing

extension BackgroundAssetsTests {
    @Suite(.serialized)
    struct AssetPackEntryTests {
        let host = FakeHost()

        private func ask(
            _ json: String = "", changing change: (inout bahost_asset_pack) -> Void = { _ in }
        ) -> Int32 {
            unsafe json.withCString { text in
                var pack = unsafe bahost_asset_pack()
                unsafe pack.struct_size = UInt32(MemoryLayout<bahost_asset_pack>.size)
                unsafe pack.identifier = HostStructs.text("tutorial")
                unsafe pack.version = 7
                unsafe pack.local_version = -1
                unsafe pack.download_bytes = 100
                unsafe pack.installed_bytes = 200
                unsafe pack.language = HostStructs.text("de")
                unsafe pack.user_info = bahost_bytes(data: text, length: UInt64(json.utf8.count))
                unsafe change(&pack)
                return unsafe host.call { host in
                    unsafe withUnsafePointer(to: pack) { unsafe bahost_should_download(host, $0) }
                }
            }
        }

        @Test
        func showsThePackAndHandsTheAnswerBack() throws {
            let seen = Mutex<AssetPack?>(nil)
            ScriptedExtension.register(
                .init(should: { pack in
                    seen.withLock { $0 = pack }
                    return false
                }))
            #expect(unsafe ask("{\"a\":1}") == 0)
            let pack = try #require(seen.withLock { $0 })
            #expect(pack.id == "tutorial")
            #expect(pack.version == 7)
            #expect(pack.downloadSize == 100)
            #expect(pack.installedSize == 200)
            #expect(pack.localVersion == nil)
            #expect(pack.language?.languageCode?.identifier == "de")
            #expect(pack.userInfo.map { String(decoding: $0, as: UTF8.self) } == "{\"a\":1}")
        }

        @Test
        func knowsTheInstalledVersionAndAPackForAll() throws {
            let seen = Mutex<AssetPack?>(nil)
            ScriptedExtension.register(
                .init(should: { pack in
                    seen.withLock { $0 = pack }
                    return true
                }))
            let answer = unsafe ask { pack in
                unsafe pack.local_version = 0
                unsafe pack.language = nil
            }
            #expect(answer == 1)
            let pack = try #require(seen.withLock { $0 })
            #expect(pack.localVersion == 0)
            #expect(pack.language == nil)
            #expect(pack.userInfo == nil)
        }

        @Test
        func wantsEveryPackByDefault() {
            SilentExtension.main()
            #expect(unsafe ask() == 1)
            StoreExtension.main()
            #expect(unsafe ask() == 1)
        }

        @Test
        func doesNotBelieveALengthPastTheBound() throws {
            let seen = Mutex<AssetPack?>(nil)
            ScriptedExtension.register(
                .init(should: { pack in
                    seen.withLock { $0 = pack }
                    return true
                }))
            let answer = unsafe ask("{}") { pack in unsafe pack.user_info.length = (1 << 20) + 1 }
            #expect(answer == 1)
            #expect(try #require(seen.withLock { $0 }).userInfo == nil)
        }
    }
}

private struct StoreExtension: StoreDownloaderExtension {}
