internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// The entry points that read a manifest and ask for downloads.
extension PluginChecker {
    func checkContent(_ entry: EntryPoint) throws(PluginCheckError) {
        var whole: [ScriptRecord] = []
        for (rule, name, manifest) in ordinaryManifests {
            let record = try runner.run(script(rule, entry, name, manifest))
            // An empty file is seldom what a plugin expects; that there is none is usual.
            judge.take(record, isOrdinary: rule != .emptyManifest)
            judge.takeRequests(record)
            if record.isWhole { whole.append(record) }
        }
        guard let base = whole.last(where: { $0.rule == .requests }) ?? whole.first else { return }
        if knownIdentifier == nil {
            knownIdentifier = base.calls.first?.wishes.kept.first?.identifier
        }
        try checkBadManifests(entry)
        let step = WorkerScript.Step("again", Questions.content(entry, manifest: base.manifest))
        ordinary[entry] = (step, base)
        try checkBehaviour(of: step, base)
    }

    private var ordinaryManifests: [(ContractRule, String, [UInt8]?)] {
        let given = subject.manifest.map {
            [(ContractRule.requests, "with the manifest given", Optional($0))]
        }
        return [
            (.noManifest, "without a manifest", nil),
            (.emptyManifest, "with an empty manifest", Optional([])),
        ] + (given ?? [])
    }

    private func script(
        _ rule: ContractRule, _ entry: EntryPoint, _ name: String, _ manifest: [UInt8]?
    ) -> WorkerScript {
        let call = Questions.content(entry, manifest: manifest)
        return WorkerScript(
            rule, manifest: manifest, steps: [WorkerScript.Step(name, call)])
    }

    private func checkBadManifests(_ entry: EntryPoint) throws(PluginCheckError) {
        let huge = HostileManifest.huge
        judge.take(
            try runner.run(script(.hugeManifest, entry, "with a manifest of 16 MiB", huge)))
        for manifest in HostileManifest.allCases {
            judge.take(
                try runner.run(
                    script(.hostileManifest, entry, manifest.name, manifest.bytes)))
        }
    }
}
