internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// Asset packs, finished and failed downloads.
extension PluginChecker {
    func checkPacks() throws(PluginCheckError) {
        let steps = Questions.packs("for an ordinary pack", Questions.ordinaryPacks)
        let record = try runner.run(WorkerScript(.packs, steps: steps))
        judge.take(record, isOrdinary: true)
        guard record.isWhole, let step = steps.first else { return }
        ordinary[.shouldDownload] = (step, record)
        try checkEach(
            Questions.oddPacks.flatMap { pack in
                Questions.packs("for the pack \(pack.identifier.prefix(20))", [pack])
            }, .packs)
        try checkBehaviour(of: step, record)
    }

    func checkFinished() throws(PluginCheckError) {
        let step = Questions.finished("for a finished download", knownIdentifier ?? "check-1")
        let record = try runner.run(WorkerScript(.finished, steps: [step]))
        judge.take(record, isOrdinary: true)
        judge.takeRequests(record)
        guard record.isWhole else { return }
        ordinary[.downloadFinished] = (step, record)
        var steps = Questions.oddIdentifiers.map {
            Questions.finished("for the unknown \($0.prefix(20))", $0)
        }
        steps.append(
            Questions.finished("for a file that is not there", "check-2", isMissing: true))
        steps.append(Questions.finished("for a finished manifest", "check-3", kind: 2))
        steps.append(Questions.finished("for a pack", "check-4", kind: 3))
        try checkEach(steps, .finished)
        try checkBehaviour(of: step, record)
    }

    func checkFailed() throws(PluginCheckError) {
        guard let step = Questions.failures.first else { return }
        let record = try runner.run(WorkerScript(.failed, steps: [step]))
        judge.take(record, isOrdinary: true)
        judge.takeRequests(record)
        guard record.isWhole else { return }
        ordinary[.downloadFailed] = (step, record)
        try checkEach(Array(Questions.failures.dropFirst()), .failed)
        try checkBehaviour(of: step, record)
    }
}
