internal import CommandLineOptions
internal import HostEngine
internal import LinuxSystem

extension HostCommand {
    /// Refuses relative paths where the current folder is not known, rather than looking elsewhere.
    ///
    /// - Throws: ``CommandLineOptionsError`` with the first of them.
    func checkPaths(in surroundings: Surroundings) throws(CommandLineOptionsError) {
        guard let fault = surroundings.folderFault,
            let path = paths.first(where: { path in
                !Paths.isAbsolute(path) || PathText.isInside(path, Surroundings.unknownFolder)
            })
        else { return }
        let name = Paths.names(of: path).last { !$0.isEmpty }.map(String.init) ?? path
        throw CommandLineOptionsError(
            .badValue, program: "bahost",
            message: "\(QuotedWord.quote(name)) is relative to the working folder, which cannot be "
                + "told: \(fault)")
    }

    /// Every path that a command line names or leaves to the current folder.
    private var paths: [String] {
        switch self {
        case .show, .doctor, .settings: []
        case .run(let options): options.paths
        case .conformance(let options): [options.junitPath].compactMap(\.self)
        case .inspect(let options): options.files
        case .downloads(let options):
            [options.statePath] + [options.containerPath].compactMap(\.self)
        case .storage(let options): [options.containerPath, options.statePath]
        case .check(let options): options.paths + [options.manifestPath].compactMap(\.self)
        }
    }
}

extension RunOptions {
    fileprivate var paths: [String] {
        var paths = [plugin, outputPath, statePath]
        paths += [packsPath, infoPath].compactMap(\.self)
        if case .file(let path) = manifest { paths.append(path) }
        return paths
    }
}
