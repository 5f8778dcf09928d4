internal import ExtensionHost
internal import LinuxSystem
package import Sandbox
package import WireProtocol

/// Where a technique is tried; the raw value is the record's word.
package enum CasePlace: String, Hashable, Sendable, CaseIterable {
    /// `bahost_install`.
    case entry

    /// While the plugin is loaded.
    case constructor

    /// The file itself is the technique.
    case file

    /// `bahost_download_finished`.
    case finished

    /// `bahost_download_failed`.
    case failed

    /// `bahost_should_download`.
    case pack
}

/// The launcher that the plugin's needs choose.
package enum CaseLauncher: String, Hashable, Sendable, CaseIterable {
    case bare
    case swift
}

/// The limits of one case.
package struct CaseLimits: Hashable, Sendable {
    package var worker = WorkerLimits()

    /// Bytes the worker may write in all.
    package var writtenBytes: UInt64 = 64 << 20

    /// For each call.
    package var wall = Duration.seconds(10)

    package init(memoryBytes: UInt64 = 6 << 20) {
        worker.memoryBytes = memoryBytes
    }

    /// Within what a run that a limit ends is over: the budget, the grace, and a second.
    package var mostWall: Duration { wall + WorkerState.Terms().grace + .seconds(1) }

    /// The limit, a second to the hard limit, and a quarter for the kernel, which looks at its ticks
    /// only, on each processor for itself: setrlimit(2).
    package var mostProcessorTime: Duration {
        .seconds(worker.cpuSeconds) + .seconds(1) + .milliseconds(250)
    }
}

/// What a technique is told besides its word.
package enum CaseArgument: Hashable, Sendable {
    case none
    case text(String)

    /// A folder outside the container, with a file `victim` that must stay as it is.
    case outsideFolder

    /// A number, such as a limit or one past it.
    package static func number(_ number: UInt64) -> CaseArgument { .text("\(number)") }
}

/// One technique in one place, under one set of limits: what to do and what must come of it.
package struct ConformanceCase: Hashable, Sendable {
    /// The technique's number, such as `M12`; never given to another.
    package let number: String
    package let group: ConformanceGroup

    /// The word that the hostile library knows it by.
    package let word: String
    package var argument = CaseArgument.none
    package var place = CasePlace.entry
    package var launcher = CaseLauncher.bare

    /// The file's shape, where that is part of the technique.
    package var shape: String?

    /// What is wrong with the file, where that is the technique.
    package var fileSin: FileSin?
    package var limits: CaseLimits
    package var expectation: Expectation

    /// What stops it: each wall is of layers any of which is enough.
    ///
    /// Where all layers of a wall are missing it cannot be expected to stop.
    package var walls: [[SandboxLayer]]

    /// Without this layer it would do harm, and is not tried.
    package var harmsWithout: SandboxLayer?

    package init(
        number: String, group: ConformanceGroup, word: String, limits: CaseLimits,
        expectation: Expectation, walls: [[SandboxLayer]] = []
    ) {
        self.number = number
        self.group = group
        self.word = word
        self.limits = limits
        self.expectation = expectation
        self.walls = walls
    }

    /// What people call it: the shape or the sin of the file, the word, a short argument.
    package var technique: String {
        var text = shape.map { "\($0): \(word)" } ?? word
        if case .text(let argument) = argument { text += " \(argument)" }
        return text
    }

    /// The first line of the manifest.
    package func line(outside: String) -> String {
        switch argument {
        case .none: word
        case .text(let argument): "\(word) \(argument)"
        case .outsideFolder: "\(word) \(outside)"
        }
    }

    /// Whether a part of the number, word, group, place or launcher is `text`.
    package func matches(_ text: String) -> Bool {
        [technique, number, group.rawValue, place.rawValue, launcher.rawValue]
            .contains { $0.contains(text) }
    }
}
