internal import ExtensionHost
package import Sandbox
internal import WireProtocol

extension Catalogue {
    /// The words of the hostile library's `holding.h`, in their order, and the layers that each
    /// needs, all of them.
    ///
    /// A user memory, B kernel memory and page tables, C descriptors, files and names.
    package static let holdingWords: [(word: String, layers: [SandboxLayer])] = [
        ("a0-nothing", []), ("a0-malloc", [.rlimits]), ("a0-map", [.rlimits]),
        ("a0-brk", [.rlimits]), ("a0-mremap", [.rlimits]), ("a0-dontunmap", [.rlimits]),
        ("a0-file-map", [.rlimits]), ("a0-stack", [.rlimits]), ("a0-stack-and-map", [.rlimits]),
        ("a0-thread-stacks", [.rlimits]), ("a1-mprotect-text", [.sealing]),
        ("a1-mprotect-full", [.sealing]), ("a1-pkey-mprotect", [.sealing]),
        ("a2-munmap-flip", [.sealing]), ("a3-growsdown", [.sealing]), ("a4-flip", [.sealing]),
        ("a5-fixed-run", [.sealing]), ("a5-fixed-flip", [.sealing]),
        ("a7-proc-self-mem", [.landlock]), ("a8-own-pages", [.sealing]),
        ("a10-own-holes", [.sealing]), ("a12-process-vm-writev", [.seccomp]),
        ("a14-odd-maps", [.sealing]), ("b0-futex-hash", [.seccomp]),
        ("b1-raw-threads", [.seccomp]), ("b1-exact-threads", [.userNamespace]),
        ("b2-page-tables", [.fence]), ("b2-zero-pages", [.fence]), ("b2-without-hints", [.fence]),
        ("b3-huge-pages", [.rlimits]), ("b6-timers", [.rlimits]),
        ("b6-queued-signals", [.rlimits]), ("b8-reserve", [.rlimits]),
        ("b1-threads-and-map", [.userNamespace]), ("b8-all-together", [.fence, .userNamespace]),
        ("b10-one-page-maps", [.fence]), ("b10-mixed-maps", [.fence]),
        ("b4-vmsplice", [.seccomp]), ("b5-semaphores", [.seccomp]), ("b5-messages", [.seccomp]),
        ("b5-shared-memory", [.seccomp]), ("b7-stacked-filters", [.seccomp]),
        ("b9-rulesets", [.seccomp]), ("b11-namespaces", [.seccomp]), ("b11-fsopen", [.seccomp]),
        ("c1-socket-pairs", [.seccomp]), ("c2-pipes", [.seccomp]), ("c2-own-stdout", [.seccomp]),
        ("c3-descriptor-tables", [.seccomp]), ("c4-rights-in-flight", [.seccomp]),
        ("c5-memfd-secret", [.seccomp]), ("c5-memfd", [.seccomp]), ("c6-record-locks", [.seccomp]),
        ("c7-inotify", [.seccomp]), ("c8-keys", [.seccomp]), ("c8-keyrings", [.seccomp]),
        ("c9-aio", [.seccomp]), ("c9-epoll", [.seccomp]), ("c9-mqueue", [.seccomp]),
        ("c9-perf", [.seccomp]), ("c9-bpf", [.seccomp]), ("c9-fanotify", [.seccomp]),
        ("c10-file-bytes", [.rlimits]), ("c10-shared-map", [.rlimits]),
        ("c10-empty-files", []), ("c10-links", []), ("c11-dev-zero", [.landlock]),
        ("c12-missing-names", []),
    ]

    /// Those that can differ between launchers and places.
    private static func isUserMemory(_ word: String) -> Bool {
        ["a", "b2-", "b8-", "b10-"].contains(where: word.hasPrefix)
    }

    /// Those that fill what the limit gives, to be tried under other limits.
    private static let filling = [
        "a0-map", "a1-mprotect-full", "a2-munmap-flip", "a4-flip", "b2-page-tables",
        "b8-all-together", "b10-mixed-maps",
    ]

    static func addMemory(to list: inout CaseList, isWide: Bool) {
        let limit = list.limits.worker.memoryBytes
        for (word, layers) in holdingWords {
            let number = list.number(.memory)
            func add(_ place: CasePlace, _ launcher: CaseLauncher, _ memoryBytes: UInt64) {
                var limits = list.limits
                limits.worker.memoryBytes = memoryBytes
                var testCase = ConformanceCase(
                    number: number, group: .memory, word: word, limits: limits,
                    expectation: holding(word, memoryBytes), walls: layers.map { [$0] })
                testCase.place = place
                testCase.launcher = launcher
                testCase.harmsWithout = .rlimits
                list.append(testCase)
            }
            add(.entry, .bare, limit)
            if isUserMemory(word) {
                add(.constructor, .bare, limit)
                add(.entry, .swift, limit)
                add(.constructor, .swift, limit)
            }
            guard isWide, filling.contains(word) else { continue }
            add(.entry, .bare, 2 << 20)
            add(.entry, .bare, 64 << 20)
            add(.entry, .swift, 64 << 20)
        }
    }

    private static let trapped = [
        "a12-process-vm-writev": "process_vm_writev", "b1-raw-threads": "clone",
        "c3-descriptor-tables": "clone", "c8-keyrings": "keyctl", "c9-perf": "perf_event_open",
        "c9-bpf": "bpf",
    ]

    private static func holding(_ word: String, _ memoryBytes: UInt64) -> Expectation {
        if let call = trapped[word] { return Expectation(.policyViolation, says: call) }
        if word.hasPrefix("c10-") {
            var expectation = Expectation(.fileLimit)
            expectation.matter = .files
            return expectation
        }
        if word.hasPrefix("c12-") {
            var expectation = Expectation(.ok)
            expectation.matter = .names
            return expectation
        }
        switch word {
        case "a0-malloc": return Expectation(.memoryLimit)
        // The library's own data leave too little of a small limit for its stack.
        case "a0-stack", "a0-stack-and-map": return Expectation(.ok, .memoryLimit)
        case "b8-reserve": return Expectation(.ok, .memoryLimit)
        // Without a user namespace threads are counted by the host.
        case "b8-all-together": return Expectation(.ok, .memoryLimit, .processLimit)
        case "b1-exact-threads", "b1-threads-and-map": return Expectation(.ok, .processLimit)
        default: return Expectation(.ok)
        }
    }

    /// The shapes of files, the word that each is made for, and what must come of it.
    private static let shapes: [(shape: String, word: String, Expectation)] = [
        ("big-bss", "b8-reserve", Expectation(.loadError, says: "writable segments")),
        ("some-bss", "b8-reserve", Expectation(.ok, .memoryLimit)),
        ("big-rodata", "a8-own-pages", Expectation(.ok)),
        ("far-segments", "a10-own-holes", Expectation(.ok)),
        ("far-alignment", "a10-own-holes", Expectation(.loadError, says: "alignment")),
        ("own-relro", "a0-map", Expectation(.ok)),
        ("needs-bss", "b8-reserve", Expectation(.loadError, says: "writable segments")),
        // Pages made read-only after relocation can be unmapped, which gives nothing: they were paid
        // from the limit. The technique cannot return from then on.
        ("needs-rodata", "a2-munmap-flip", Expectation(.ok, .exitedEarly)),
        ("needs-relro", "a0-map", Expectation(.loadError, says: "writable segments")),
        ("needs-icu", "a2-munmap-flip", Expectation(.ok, .exitedEarly)),
    ]

    static func addShapes(to list: inout CaseList) {
        for (shape, word, expectation) in shapes {
            let number = list.number(.memory)
            for launcher in CaseLauncher.allCases {
                var testCase = ConformanceCase(
                    number: number, group: .memory, word: word, limits: list.limits,
                    expectation: expectation, walls: [[.sealing]])
                testCase.shape = shape
                testCase.place = .constructor
                testCase.launcher = launcher
                testCase.harmsWithout = .rlimits
                list.append(testCase)
            }
        }
    }

    /// What the C library's allocator and the plugin's own data take of the limit.
    private static let overhead: UInt64 = 640 << 10

    static func addMemoryLimits(to list: inout CaseList) {
        let worker = list.limits.worker
        let memory = worker.memoryBytes
        let refused = Expectation(.memoryLimit)
        list.add(
            .memory, "heap-bytes", .number(memory - min(memory, overhead)),
            Expectation(.ok, attempts: .allowed))
        list.add(
            .memory, "heap-bytes", .number(memory + 4096), refused, by: [[.rlimits]], harm: .rlimits
        )
        list.add(
            .memory, ["malloc-forever", "mmap-forever", "malloc-null-write"], refused,
            by: [[.rlimits]], in: [.entry, .constructor])
        list.add(
            .memory, "malloc-forever", refused, by: [[.rlimits]], in: [.finished, .failed, .pack])
        list.add(
            .memory, "stack-bytes", .number(worker.stackBytes - 64 << 10),
            Expectation(.ok, attempts: .allowed))
        list.add(
            .memory, "stack-bytes", .number(worker.stackBytes + 4096), Expectation(.stackOverflow),
            by: [[.rlimits]])
        list.add(
            .memory, "thread-stack-bytes", .number(worker.threadStackBytes - 16 << 10),
            Expectation(.ok, attempts: .allowed))
        list.add(
            .memory, "thread-stack-bytes", .number(worker.threadStackBytes + 4096),
            Expectation(.stackOverflow))
        list.add(
            .memory, ["deep-recursion", "deep-recursion-in-thread"], Expectation(.stackOverflow),
            by: [[.rlimits]])
    }
}
