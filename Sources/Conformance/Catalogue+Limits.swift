internal import ExtensionHost
internal import HostEngine
internal import Sandbox
internal import WireProtocol

/// Limits and budgets: each at its number and one past it, and techniques that know no number.
extension Catalogue {
    private static let allowed = Expectation(.ok, attempts: .allowed)

    static func addTime(to list: inout CaseList) {
        let short = list.limitsInHaste
        let late = Expectation(.wallTimeout)
        list.add(.time, "sleep-for", .number(400), allowed, limits: short)
        list.add(.time, "sleep-for", .number(5_000), late, limits: short)
        for word in ["spin", "sleep", "stop-self"] {
            list.add(
                .time, word, late, in: [.entry, .constructor], limits: short)
        }
        list.add(.time, "ignore-signals-and-spin", late, in: [.entry, .constructor], limits: short)
        list.add(.time, "hang-in-terminate", late, limits: short)
        list.add(.time, "sleep", late, in: [.finished, .failed, .pack], limits: short)
    }

    static func addProcessor(to list: inout CaseList) {
        var short = list.limits
        short.worker.cpuSeconds = 1
        list.add(.processor, "spin-for", .number(600), allowed, limits: short)
        list.add(
            .processor, "spin-for", .number(8_000), Expectation(.cpuLimit), by: [[.rlimits]],
            limits: short)
        list.add(
            .processor, "spin-in-threads", .text("4 8000"), Expectation(.cpuLimit),
            by: [[.rlimits]],
            limits: short)
        list.add(.processor, "spin", Expectation(.cpuLimit), by: [[.rlimits]], limits: short)
    }

    static func addDescriptors(to list: inout CaseList) {
        let most = list.limits.worker.openFiles
        list.add(.descriptors, "open-files", .number(most), allowed)
        list.add(
            .descriptors, "open-files", .number(most + 1),
            Expectation(.ok, attempts: .refused("EMFILE")), by: [[.rlimits]])
        list.add(.descriptors, "open-many-files", Expectation(.ok), by: [[.rlimits]])
        list.add(
            .descriptors, "close-all-descriptors", Expectation(.protocolError),
            in: [.entry, .constructor, .finished])
        list.add(.descriptors, "read-stdin", Expectation(.ok))
    }

    static func addFiles(to list: inout CaseList) {
        var small = list.limits
        small.worker.fileSizeBytes = 1 << 20
        let most = small.worker.fileSizeBytes
        for word in ["file-bytes", "file-bytes-truncate"] {
            list.add(.file, word, .number(most), allowed, limits: small)
            list.add(
                .file, word, .number(most + 1), Expectation(.fileLimit, says: "wrote past"),
                by: [[.rlimits]], limits: small)
        }
        list.add(
            .file, "file-bytes-allocate", .number(most),
            Expectation(.ok, attempts: .refused("ENOSYS")), by: [[.seccomp]], limits: small)
        list.add(
            .file, "big-file", Expectation(.fileLimit), by: [[.rlimits]], harm: .rlimits,
            limits: small)
    }

    static func addWritten(to list: inout CaseList) {
        var small = list.limits
        small.writtenBytes = 16 << 20
        let past = Expectation(.fileLimit, says: "wrote more bytes, or made more files")
        list.add(.written, "written-bytes", .number(small.writtenBytes), allowed, limits: small)
        list.add(.written, "written-bytes", .number(small.writtenBytes + 1), past, limits: small)
        list.add(.written, "new-files", .number(WrittenBudget.newFiles), allowed)
        list.add(.written, "new-files", .number(WrittenBudget.newFiles + 1), past)
        list.add(.written, "many-files", Expectation(.fileLimit))
        list.add(.written, "many-bytes", Expectation(.fileLimit), harm: .rlimits, limits: small)
        list.add(.written, "hidden-bytes", .number(small.writtenBytes), allowed, limits: small)
        list.add(.written, "hidden-bytes", .number(small.writtenBytes + 1), past, limits: small)
    }

    static func addThreads(to list: inout CaseList) {
        let most = list.limits.worker.threads
        // Their stacks count too.
        var roomy = list.limits
        roomy.worker.memoryBytes = max(roomy.worker.memoryBytes, 64 << 20)
        // The one that is called, and the watcher.
        list.add(.threads, "threads", .number(most - 2), allowed, limits: roomy)
        list.add(
            .threads, "threads", .number(most - 1), Expectation(.processLimit),
            by: [[.rlimits, .userNamespace]], limits: roomy)
        list.add(
            .threads, "thread-flood", Expectation(.processLimit, .memoryLimit),
            in: [.entry, .constructor])
    }

    static func addFloods(to list: inout CaseList) {
        let collected = Expectation(.pluginError, attempts: .allowed)
        let tooMany = Expectation(.pluginError, attempts: .refused("1001"))
        // Not what is tried here.
        var slow = list.limits
        slow.wall = .seconds(120)
        slow.worker.cpuSeconds = 120
        list.add(.floods, "requests", .number(10_000), collected, limits: slow)
        list.add(.floods, "requests", .number(10_001), tooMany, limits: slow)
        let calls = UInt64(WorkerState.hostCallBound)
        list.add(.floods, "host-calls", .number(calls - 100), allowed, limits: slow)
        list.add(
            .floods, "host-calls", .number(calls + 1),
            Expectation(.protocolError, says: "host calls"), limits: slow)
        var log = Expectation(.ok)
        log.mostLogBytes = LogTail.defaultBound + 4096
        list.add(.floods, "log-bytes", .number(256 << 10), log)
        list.add(.floods, "log-bytes", .number(1 << 20), log)
        for word in ["log-flood", "stdout-noise", "stdout-flood", "stderr-flood"] {
            list.add(.floods, word, log)
        }
        list.add(.floods, "log-odd", log)
        list.add(.floods, "log-line-bytes", .number(4096), log)
        list.add(.floods, "log-line-bytes", .number(4097), log)
        list.add(.floods, "frame-flood", Expectation(.protocolError), limits: slow)
        list.add(.floods, "unread-replies", Expectation(.protocolError), limits: slow)
    }
}

extension CaseList {
    /// A technique without an argument.
    mutating func add(
        _ group: ConformanceGroup, _ word: String, _ expectation: Expectation,
        by walls: [[SandboxLayer]] = [], harm: SandboxLayer? = nil,
        in places: [CasePlace] = [.entry], limits: CaseLimits? = nil
    ) {
        add(group, word, .none, expectation, by: walls, harm: harm, in: places, limits: limits)
    }
}
