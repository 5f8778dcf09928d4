import InstalledApps

/// An `Info.plist`, XML or binary.
enum PropertyListTarget {
    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        let info: AppInfo
        do throws(InstalledAppsError) {
            info = try AppInfo(plist: input, path: "Info.plist")
        } catch {
            return try expectPrintable("\(error)", atMost: 1_024)
        }
        try expect(
            (try? AppInfo(plist: input, path: "Info.plist")) == info,
            "a property list reads differently the second time")
        try expect(isReverseDomain(info.bundleIdentifier), "an identifier that is none")
        try expect(!info.groups.isEmpty, "no group")
        try expect(
            Set(info.groups).count == info.groups.count && info.groups.allSatisfy(isReverseDomain),
            "groups that are none")
        for warning in info.warnings { try expectPrintable(warning, atMost: 1_024) }
        try checkPaths(info)
        for text in [info.version, info.manifestURL, info.cataloguePublicKey].compactMap(\.self)
            + (info.restrictions?.domains ?? [])
        {
            try expect(
                !text.isEmpty
                    && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
                "a text with a control character")
        }
    }

    private static func isReverseDomain(_ text: String) -> Bool {
        let labels = text.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 261
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.allSatisfy { byte in
                        (48...57).contains(byte) || (97...122).contains(byte | 0x20)
                            || byte == UInt8(ascii: "-")
                    }
            }
    }

    /// Byte by byte, as the kernel reads a path.
    private static func checkPaths(_ info: AppInfo) throws(BrokenPromise) {
        let slash = UInt8(ascii: "/")
        if let name = info.executable {
            try expect(
                !name.utf8.contains(slash) && name != "." && name != "..", "a name with a folder")
        }
        guard let path = info.extensionPath else { return }
        let parts = path.utf8.split(separator: slash, omittingEmptySubsequences: false)
        try expect(
            parts.allSatisfy { part in
                !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
            }, "a path that climbs")
    }
}
