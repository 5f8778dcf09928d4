package import WireProtocol

/// One worker from its start to its end, decided before it is started.
package struct WorkerScript: Sendable {
    /// One call, and how the host answers while it is on the stack.
    package struct Step: Sendable {
        /// What is special about it, such as `without a manifest`.
        package var name: String
        package let call: EntryCall
        package var answers = HostAnswers.judged

        /// What a finished download's file is called; it is put there before the call.
        package var file: String?

        /// How long nothing is called before it.
        package var pause = Duration.zero

        package init(_ name: String, _ call: EntryCall) {
            self.name = name
            self.call = call
        }
    }

    /// The rule that suffers when the worker ends badly.
    package let rule: ContractRule

    /// Nil: none.
    package var manifest: [UInt8]?

    /// None: the plugin is loaded and left alone.
    package var steps: [Step]

    /// After this long no further step is begun.
    package var timeBound = Duration.seconds(60)

    /// So many steps are begun even then, until ``leastStepsBound`` is over.
    package var leastSteps = 0
    package static let leastStepsBound = Duration.seconds(20)

    /// True when the first call to the host is answered late, after the plugin was told to end.
    package var isTold = false

    package init(_ rule: ContractRule, manifest: [UInt8]? = nil, steps: [Step] = []) {
        self.rule = rule
        self.manifest = manifest
        self.steps = steps
    }
}

/// How a scripted host answers.
package enum HostAnswers: Hashable, Sendable {
    /// As a host without allow-list and allowances would.
    case judged

    /// Everything that can be refused is refused with this status.
    case refusing(Int32)
}
