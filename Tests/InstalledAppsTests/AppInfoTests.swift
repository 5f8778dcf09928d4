import InstalledApps
import LinuxSystem
import Testing

/// An `Info.plist` in XML around the given entries, which also hold the identifier.
func xml(_ entries: String, identifier: String? = "org.example.game") -> [UInt8] {
    let first = identifier.map { "<key>CFBundleIdentifier</key><string>\($0)</string>" } ?? ""
    return Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>\(first)\(entries)</dict></plist>
        """.utf8)
}

func refusal(of bytes: [UInt8]) -> InstalledAppsError? {
    do throws(InstalledAppsError) {
        _ = try AppInfo(plist: bytes, path: "App/Info.plist")
        return nil
    } catch {
        return error
    }
}

@Suite struct AppInfoTests {
    private func info(_ entries: String) throws -> AppInfo {
        try AppInfo(plist: xml(entries), path: "App/Info.plist")
    }

    private func refusal(_ entries: String) -> InstalledAppsError? {
        InstalledAppsTests.refusal(of: xml(entries))
    }

    @Test func readsEveryKey() throws {
        let info = try info(
            """
            <key>CFBundleShortVersionString</key><string>1.2</string>
            <key>CFBundleExecutable</key><string>Spiel ü</string>
            <key>BAManifestURL</key><string>https://example.org/m.json</string>
            <key>BAInitialDownloadRestrictions</key><dict>
              <key>BADownloadAllowance</key><integer>100</integer>
              <key>BAEssentialDownloadAllowance</key><integer>0</integer>
              <key>BADownloadDomainAllowList</key>
              <array><string>*.example.org</string><string>cdn.example.com</string></array>
            </dict>
            <key>BAMaxInstallSize</key><integer>9223372036854775807</integer>
            <key>BAEssentialMaxInstallSize</key><integer>7</integer>
            <key>BAAppGroupID</key><string>group.org.example</string>
            <key>BahostExtension</key><string>Extensions/Level Packs.so</string>
            <key>BahostCataloguePublicKey</key><string>RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1</string>
            <key>BahostAllowPrivateNetworks</key><true/>
            <key>BAHasManagedAssetPacks</key><true/>
            <key>BAUsesAppleHosting</key><false/>
            <key>EXAppExtensionAttributes</key><dict>
              <key>EXExtensionPointIdentifier</key><string>x</string></dict>
            <key>Unknown</key><array><date>2026-01-01T00:00:00Z</date><data>AAAA</data></array>
            """)
        #expect(info.bundleIdentifier == "org.example.game")
        #expect(info.version == "1.2")
        #expect(info.executable == "Spiel ü")
        #expect(info.manifestURL == "https://example.org/m.json")
        #expect(info.restrictions?.allowance == ByteCount(bytes: 100))
        #expect(info.restrictions?.essentialAllowance == ByteCount(bytes: 0))
        #expect(info.restrictions?.domains == ["*.example.org", "cdn.example.com"])
        #expect(info.maximumInstallSize == ByteCount(bytes: UInt64(Int64.max)))
        #expect(info.maximumEssentialInstallSize == ByteCount(bytes: 7))
        #expect(info.groups == ["group.org.example"])
        #expect(info.extensionPath == "Extensions/Level Packs.so")
        #expect(info.cataloguePublicKey?.hasPrefix("RWQ") == true)
        #expect(info.allowsPrivateNetworks && info.hasManagedAssetPacks && !info.usesAppleHosting)
        #expect(info.warnings.isEmpty)
    }

    @Test func needsNothingButTheIdentifier() throws {
        let info = try info("")
        #expect(info.version == nil && info.executable == nil && info.manifestURL == nil)
        #expect(info.restrictions == nil && info.maximumInstallSize == nil)
        #expect(info.groups == ["group.org.example.game"])
        #expect(info.mainGroup == "group.org.example.game")
        #expect(!info.allowsPrivateNetworks && info.warnings.isEmpty)
    }

    @Test func namesAMissingIdentifier() {
        let error = InstalledAppsTests.refusal(of: xml("", identifier: nil))
        #expect(error?.code == .missingKey)
        #expect(
            error?.description == "App/Info.plist: CFBundleIdentifier: is missing; "
                + "every app needs one, such as org.example.game")
    }

    @Test(arguments: ["a", "org.example.Game-2", "1.2.3", String(repeating: "a", count: 255)])
    func acceptsIdentifiers(identifier: String) throws {
        let info = try AppInfo(plist: xml("", identifier: identifier), path: "p")
        #expect(info.bundleIdentifier == identifier)
    }

    @Test(arguments: [
        "", ".", "a..b", ".a", "a.", "a b", "a_b", "a/b", "../x", "größe.org", "a\u{9B}b",
        String(repeating: "a", count: 256),
    ])
    func refusesIdentifiers(identifier: String) {
        let error = InstalledAppsTests.refusal(of: xml("", identifier: identifier))
        #expect(error?.code == .badValue)
        #expect(error?.key == "CFBundleIdentifier")
    }

    @Test(arguments: [
        ("CFBundleShortVersionString", "<integer>1</integer>", "a string", "an integer"),
        ("CFBundleExecutable", "<true/>", "a string", "a boolean"),
        ("BAManifestURL", "<array/>", "a string", "an array"),
        ("BAInitialDownloadRestrictions", "<string>x</string>", "a dictionary", "a string"),
        ("BAMaxInstallSize", "<string>6</string>", "an integer", "a string"),
        ("BAMaxInstallSize", "<real>6.5</real>", "an integer", "a real number"),
        ("BAEssentialMaxInstallSize", "<date>2026-01-01T00:00:00Z</date>", "an integer", "a date"),
        ("BAAppGroupID", "<data>AAAA</data>", "a string", "data"),
        (
            "com.apple.security.application-groups", "<string>g</string>", "an array of strings",
            "a string"
        ),
        ("BahostExtension", "<dict/>", "a string", "a dictionary"),
        ("BahostCataloguePublicKey", "<false/>", "a string", "a boolean"),
        ("BahostAllowPrivateNetworks", "<integer>1</integer>", "a boolean", "an integer"),
        ("BAHasManagedAssetPacks", "<string>YES</string>", "a boolean", "a string"),
        ("BAUsesAppleHosting", "<real>1.5</real>", "a boolean", "a real number"),
    ])
    func namesExpectedAndFoundType(key: String, value: String, expected: String, found: String) {
        let error = refusal("<key>\(key)</key>\(value)")
        #expect(error?.code == .wrongType)
        #expect(
            error?.description == "App/Info.plist: \(key): must be \(expected), but is \(found)")
    }

    @Test func namesTheWayToAnInnerKey() {
        let error = refusal(
            "<key>BAInitialDownloadRestrictions</key><dict>"
                + "<key>BADownloadAllowance</key><string>x</string></dict>")
        #expect(error?.key == "BAInitialDownloadRestrictions.BADownloadAllowance")
        let inList = refusal(
            "<key>BAInitialDownloadRestrictions</key><dict><key>BADownloadDomainAllowList</key>"
                + "<array><string>a</string><integer>5</integer></array></dict>")
        #expect(inList?.key == "BAInitialDownloadRestrictions.BADownloadDomainAllowList[1]")
        #expect(inList?.message == "must be a string, but is an integer")
    }

    @Test(arguments: [("-1", "-1 is negative"), ("9223372036854775808", nil)])
    func refusesSizesOutsideTheRange(number: String, message: String?) {
        let error = refusal("<key>BAMaxInstallSize</key><integer>\(number)</integer>")
        #expect(error?.code == .badValue)
        #expect(message == nil || error?.message == message)
    }

    @Test func readsTheNamesOf2022WithAWarning() throws {
        let info = try info(
            """
            <key>BAInitialDownloadRestrictions</key><dict>
              <key>DownloadAllowance</key><integer>5</integer>
              <key>AllowList</key><array><string>a.example</string></array></dict>
            <key>BADownloadSize</key><integer>9</integer>
            """)
        #expect(info.restrictions?.allowance == ByteCount(bytes: 5))
        #expect(info.restrictions?.domains == ["a.example"])
        #expect(info.maximumInstallSize == ByteCount(bytes: 9))
        #expect(
            Set(info.warnings) == [
                "App/Info.plist: BADownloadSize: is an old name; write BAMaxInstallSize",
                "App/Info.plist: BAInitialDownloadRestrictions.DownloadAllowance: "
                    + "is an old name; write BADownloadAllowance",
                "App/Info.plist: BAInitialDownloadRestrictions.AllowList: "
                    + "is an old name; write BADownloadDomainAllowList",
            ])
    }

    @Test func theNewerNameWins() throws {
        let info = try info(
            "<key>BADownloadSize</key><string>odd</string>"
                + "<key>BAMaxInstallSize</key><integer>3</integer>")
        #expect(info.maximumInstallSize == ByteCount(bytes: 3))
        #expect(
            info.warnings == ["App/Info.plist: BADownloadSize: is ignored beside BAMaxInstallSize"])
    }

    @Test func complainsUnderTheNameThatIsThere() {
        #expect(refusal("<key>BADownloadSize</key><true/>")?.key == "BADownloadSize")
    }

    @Test func readsGroupsInBothSpellingsWithoutRepeats() throws {
        let list =
            "<key>com.apple.security.application-groups</key>"
            + "<array><string>group.b</string><string>group.a</string></array>"
        #expect(try info(list).groups == ["group.b", "group.a"])
        let both = try info(list + "<key>BAAppGroupID</key><string>group.a</string>")
        #expect(both.groups == ["group.a", "group.b"])
        #expect(both.mainGroup == "group.a")
    }

    @Test(arguments: ["../x", "a/b", "", "a b", ".."]) func refusesGroups(group: String) {
        #expect(refusal("<key>BAAppGroupID</key><string>\(group)</string>")?.code == .badValue)
        let inList = refusal(
            "<key>com.apple.security.application-groups</key>"
                + "<array><string>\(group)</string></array>")
        #expect(inList?.key == "com.apple.security.application-groups[0]")
    }

    @Test(arguments: [
        "/usr/lib/x.so", "../x.so", "a/../b.so", "./x.so", "a//b.so", "a/", "",
        "a\u{600}/../x.so", "../\u{301}x.so", "/\u{301}x.so",
    ])
    func refusesAnExtensionOutsideTheApp(path: String) {
        let error = refusal("<key>BahostExtension</key><string>\(path)</string>")
        #expect(error?.code == .badValue)
        #expect(error?.key == "BahostExtension")
    }

    @Test(arguments: ["a/b", "..", ".", "/", "", "a&#10;b", "a\u{600}/b", "a/\u{301}"])
    func refusesExecutables(name: String) {
        #expect(refusal("<key>CFBundleExecutable</key><string>\(name)</string>")?.code == .badValue)
    }

    @Test func boundsTheManifestURL() throws {
        let longest = String(repeating: "u", count: 8192)
        #expect(
            try info("<key>BAManifestURL</key><string>\(longest)</string>").manifestURL == longest)
        #expect(
            refusal("<key>BAManifestURL</key><string>\(longest)u</string>")?.message
                == "must be 1 to 8192 bytes long, but is 8193")
    }
}
