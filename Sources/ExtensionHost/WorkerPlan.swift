internal import Glibc
package import WireProtocol

/// How one worker is started.
package struct WorkerPlan: Sendable {
    /// Absolute path of `bahost-worker`.
    package var workerPath: String
    package var setup: WorkerSetup
    package var terms = WorkerState.Terms()

    /// The worker's `TZ`; nil leaves it out.
    package var timeZone = WorkerPlan.hostTimeZone

    /// What it may write in all, which a memory cgroup has to hold where files are memory.
    package var writtenBytes: UInt64 = 64 << 20

    /// How often memory is sampled while plugin code may run.
    package var samplingInterval = Duration.milliseconds(2)

    /// The wall budget of each call; loading counts in the first.
    package var wallBudget: Duration {
        get { terms.wallBudget }
        set { terms.wallBudget = newValue }
    }

    /// What a memory cgroup has to hold for it.
    var cgroupShare: CgroupBudget.Share {
        CgroupBudget.Share(memoryBytes: terms.limits.memoryBytes, writtenBytes: writtenBytes)
    }

    package init(workerPath: String, setup: WorkerSetup, wallBudget: Duration = .seconds(30)) {
        self.workerPath = workerPath
        self.setup = setup
        terms.wallBudget = wallBudget
        terms.limits = setup.limits
    }

    /// Exactly what the worker finds in its environment.
    package var environment: [String] {
        ["LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"] + (timeZone.map { ["TZ=\($0)"] } ?? [])
    }

    /// The host's own `TZ`, if it is simple.
    package static var hostTimeZone: String? {
        guard let text = unsafe getenv("TZ") else { return nil }
        return simpleTimeZone(unsafe String(cString: text))
    }

    /// Passes a zone's name or offset such as `Europe/Berlin` or `UTC0`, never a path.
    ///
    /// tzset(3).
    package static func simpleTimeZone(_ text: String) -> String? {
        guard (1...64).contains(text.utf8.count), !text.contains(".."), !text.hasPrefix("/") else {
            return nil
        }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"),
                UInt8(ascii: "+"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isPlain ? text : nil
    }
}
