internal import Glibc
internal import LinuxSystem
internal import Synchronization

/// Reads the worker of this process's run from outside, again and again, on a thread of its own.
///
/// The worker is found by the name that techniques give their thread: `prctl(2)`, PR_SET_NAME. Who
/// its parent is does not matter.
final class MemoryMeter: Sendable {
    private let reading = Mutex(MeterReading())
    private let stopFlag: EventFlag
    private let thread = Mutex<NamedThread?>(nil)

    /// - Throws: When there is no room for a thread or a descriptor.
    static func started() throws(SystemError) -> MemoryMeter {
        let meter = MemoryMeter(flag: try EventFlag())
        let thread = try NamedThread("memory-meter") { [unowned meter] in meter.run() }
        meter.keep(thread)
        return meter
    }

    private init(flag: consuming EventFlag) {
        stopFlag = flag
    }

    private func keep(_ started: consuming NamedThread) {
        var started: NamedThread? = started
        thread.withLock { $0 = started.take() }
    }

    /// Ends it, and gives what was seen.
    func stop() -> MeterReading {
        stopFlag.raise()
        thread.withLock { $0.take() }?.join()
        return reading.withLock { $0 }
    }

    private func run() {
        var worker: Int32?
        while true {
            var set = PollSet()
            let stop = set.add(stopFlag.descriptor)
            guard (try? set.wait(timeout: .milliseconds(1))) != nil, !set.isReadable(stop) else {
                return
            }
            worker = worker ?? MemoryMeter.find()
            if let worker { look(at: worker) }
        }
    }

    private static func find() -> Int32? {
        ProcFile.descendants(of: getpid()).first {
            ProcFile.text("/proc/\($0)/comm")?.hasPrefix("bah-") ?? false
        }
    }

    private func look(at worker: Int32) {
        guard let name = ProcFile.text("/proc/\(worker)/comm"),
            let memory = ProcessMemory.read(pid: worker)
        else { return }
        reading.withLock {
            $0.add(
                name: name, held: memory.heldBytes, tables: memory.pageTableBytes,
                kernel: KernelMemory.now)
        }
    }
}
