internal import LinuxSystem

/// Why the suite cannot be run.
package struct ConformanceError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The hostile library, or a part of it, is missing or not as it must be.
        case libraryMissing

        /// No private folder, or not enough of the system's means.
        case noRoom

        /// The memory limit is less than the worker itself needs.
        case limitTooSmall

        /// The run without any technique did not end well.
        case notRunnable
    }

    package let code: Code

    /// One sentence that names the fault, without a full stop.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// Does what needs some of the system's means.
    ///
    /// - Throws: ``Code/noRoom`` with what the system said.
    static func whereNoRoom<Result: ~Copyable>(
        _ act: () throws(SystemError) -> Result
    ) throws(ConformanceError) -> Result {
        do throws(SystemError) {
            return try act()
        } catch {
            throw ConformanceError(.noRoom, "\(error)")
        }
    }
}
