/// What a worker with a memory limit may hold in all, without the printed reserve.
package enum MemoryPromise {
    /// 1.05 times the limit and 256 KiB; nil for a limit that is none.
    package static func bytes(limit: UInt64) -> UInt64? {
        let (sum, overflow) = limit.addingReportingOverflow(limit / 20 + 256 << 10)
        return overflow ? nil : sum
    }
}
