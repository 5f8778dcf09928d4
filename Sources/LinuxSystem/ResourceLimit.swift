internal import CLinuxShims

/// The kernel's limits on this process.
///
/// `setrlimit(2)`.
package enum ResourceLimit: String, Sendable {
    case dataBytes = "RLIMIT_DATA"
    case addressSpaceBytes = "RLIMIT_AS"
    case stackBytes = "RLIMIT_STACK"
    case fileSizeBytes = "RLIMIT_FSIZE"
    case coreBytes = "RLIMIT_CORE"
    case openFiles = "RLIMIT_NOFILE"
    case processes = "RLIMIT_NPROC"
    case cpuSeconds = "RLIMIT_CPU"
    case pendingSignals = "RLIMIT_SIGPENDING"
    case messageQueueBytes = "RLIMIT_MSGQUEUE"

    /// Lowers the soft and the hard limit; `margin` is added to the hard one.
    ///
    /// A process cannot raise its hard limit again without CAP_SYS_RESOURCE.
    package func set(_ value: UInt64, hardMargin margin: UInt64 = 0) throws(SystemError) {
        let (hard, overflow) = value.addingReportingOverflow(margin)
        try SystemError.check(
            bah_lower_limit(resource, value, overflow ? .max : hard), "setrlimit", rawValue)
    }

    /// The soft limit now in force; `UInt64.max` is no limit.
    package var current: UInt64 {
        var soft: UInt64 = 0
        _ = unsafe bah_read_limit(resource, &soft)
        return soft
    }

    private var resource: Int32 {
        let name =
            switch self {
            case .dataBytes: BAH_RESOURCE_DATA
            case .addressSpaceBytes: BAH_RESOURCE_AS
            case .stackBytes: BAH_RESOURCE_STACK
            case .fileSizeBytes: BAH_RESOURCE_FSIZE
            case .coreBytes: BAH_RESOURCE_CORE
            case .openFiles: BAH_RESOURCE_NOFILE
            case .processes: BAH_RESOURCE_NPROC
            case .cpuSeconds: BAH_RESOURCE_CPU
            case .pendingSignals: BAH_RESOURCE_SIGPENDING
            case .messageQueueBytes: BAH_RESOURCE_MSGQUEUE
            }
        return Int32(bitPattern: name.rawValue)
    }
}
