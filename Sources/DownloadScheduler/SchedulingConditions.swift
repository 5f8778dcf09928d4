/// What the world around the host is like, as far as it decides what may run.
package struct SchedulingConditions: Hashable, Sendable {
    package var isOnline = true

    /// The network is paid by the byte.
    package var isMetered = false
    package var isPowerSaving = false

    /// The setting for all apps.
    package var isBackgroundRefreshOn = true

    /// Apps whose own setting is off.
    package var appsWithoutBackgroundRefresh: Set<String> = []

    /// Online, unmetered, on full power, with background refresh.
    package init() {}
}
