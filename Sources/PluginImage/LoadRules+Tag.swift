extension LoadRules {
    /// A tag of another major version is not read any further.
    func judge(_ tag: PluginTag, _ list: inout RefusalList) {
        guard tag.abiMajor == abiMajor else {
            return list.add(
                .abiMajorMismatch,
                "the file is made for plugin ABI \(tag.abiMajor).\(tag.abiMinor),"
                    + " this host has \(abiMajor).\(abiMinor): another major version")
        }
        judgeVersion(of: tag, &list)
        list.add(tag.defects)
        if tag.isInExecutableSegment {
            list.add(
                .tagMalformed,
                "the file's tag at \(hexadecimal(tag.address)) is in an executable segment"
                    + " (link with -z separate-code, or --rosegment for gold)")
        }
        let unknown = tag.flags & ~(PluginTag.registersByMain | PluginTag.usesSwift)
        guard unknown != 0 else { return }
        list.add(
            .tagMalformed,
            "the file's tag has the unknown flag bit \(unknown.trailingZeroBitCount)"
                + " (flags is \(hexadecimal(tag.flags)))")
    }

    private func judgeVersion(of tag: PluginTag, _ list: inout RefusalList) {
        if tag.abiMinor > abiMinor {
            list.add(
                .abiMinorMismatch,
                "the file is made for plugin ABI \(tag.abiMajor).\(tag.abiMinor),"
                    + " this host has only \(abiMajor).\(abiMinor)")
        }
        let unknown = tag.requiredFeatures & ~features
        guard unknown != 0 else { return }
        list.add(
            .unknownRequiredFeature,
            "the file requires feature bit \(unknown.trailingZeroBitCount)"
                + " (required_features is \(hexadecimal(tag.requiredFeatures))),"
                + " this host has \(hexadecimal(features))")
    }

    /// Judges only a plugin that shares the system's Swift runtime; one that carries its own fits.
    func judgeToolchain(of image: PluginImage, _ list: inout RefusalList) {
        let toolchain = image.tag.toolchain
        guard toolchain.utf8.starts(with: "swift-".utf8) else { return }
        guard let built = MajorMinor(toolchain.dropFirst("swift-".count)) else {
            return list.add(
                .tagMalformed,
                "the file's tag names the toolchain \(quoted(toolchain)), swift-MAJOR.MINOR is"
                    + " expected")
        }
        guard let swiftRuntime, image.needsSwiftRuntime, built != swiftRuntime,
            !bringsSwiftRuntime
        else { return }
        list.add(
            .toolchainMismatch,
            "the file is built with Swift \(built) and this host's runtime is Swift"
                + " \(swiftRuntime)")
    }

    func judgeEntryPoints(of image: PluginImage, _ list: inout RefusalList) {
        if image.entryPoints.isEmpty {
            list.add(.noEntryPoint, "the file has a tag but exports none of the entry points")
        }
        if image.tag.registersByMain, !image.exportsMain {
            list.add(
                .noEntryPoint,
                "the file's tag says that it registers by main but it exports no function main")
        }
    }
}
