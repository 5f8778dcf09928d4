/// Which downloads may run under which conditions:
///
/// | | offline | metered | power saving | background refresh off |
/// |---|---|---|---|---|
/// | foreground | runs | runs | runs | runs |
/// | essential | waits | runs | runs | runs |
/// | background | waits | waits unless it allows metered | waits | waits |
///
/// Offline, a foreground download is let through to fail at once: somebody waits for the answer.
extension SchedulingConditions {
    package func allows(_ summary: DownloadSummary) -> Bool {
        allows(WindowKey(summary), allowingMetered: summary.allowsMetered)
    }

    /// Whether the downloads of `key` may run that allow a metered network, or that do not.
    func allows(_ key: WindowKey, allowingMetered: Bool) -> Bool {
        switch key.downloadClass {
        case .foreground: true
        case .essential: isOnline
        case .background:
            isOnline && (!isMetered || allowingMetered) && !isPowerSaving && isBackgroundRefreshOn
                && !appsWithoutBackgroundRefresh.contains(key.app)
        }
    }
}
