internal import Foundation

/// Waits without blocking the main actor.
///
/// A semaphore would wait for ever when what it waits for needs the main thread; the run loop
/// serves the main thread's queue meanwhile.
enum MainRunLoop {
    /// Runs the loop in short turns until the claim is false.
    ///
    /// Returns at once if it is already.
    ///
    /// Off the main thread it sleeps between looks instead.
    static func run(while isBusy: () -> Bool) {
        while isBusy() {
            let turn = Date(timeIntervalSinceNow: 0.005)
            if Thread.isMainThread {
                _ = RunLoop.main.run(mode: .default, before: turn)
            } else {
                Thread.sleep(until: turn)
            }
        }
    }
}
