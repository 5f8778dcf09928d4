internal import ExtensionHost
internal import Sandbox
internal import WireProtocol

/// The interface itself: messages, ends, replies, and files that must not be loaded.
extension Catalogue {
    static func addProtocol(to list: inout CaseList) {
        let broken = Expectation(.protocolError)
        list.add(
            .protocolMessages, "garbage-on-all-descriptors", broken, in: [.entry, .constructor])
        list.add(.protocolMessages, ["giant-frame", "unknown-frame", "early-reply"], broken)
        let short = list.limitsInHaste
        list.add(
            .protocolMessages, "partial-frame", Expectation(.wallTimeout, .protocolError),
            limits: short)
        list.add(
            .protocolMessages, "evidence-garbage",
            Expectation(.ok, .protocolError, .crash))
        addRequests(to: &list)
        list.add(
            .protocolMessages,
            [
                "bad-strings", "null-request", "wrong-struct-size", "reserved-bits",
                "late-thread-call",
            ], Expectation(.ok))
        list.add(
            .protocolMessages, "early-reply-and-stay", Expectation(.protocolError, .wallTimeout),
            limits: short)
        list.add(.protocolMessages, "bad-pointer", Expectation(.ok, .crash))
    }

    /// The bounds of one wish: at the bound it is collected, one past it refused.
    private static func addRequests(to list: inout CaseList) {
        let collected = Expectation(.pluginError, attempts: .allowed)
        let refused = Expectation(.pluginError, attempts: .refused())
        let bounds: [(word: String, most: Int)] = [
            ("identifier-bytes", 255), ("url-bytes", 8 << 10), ("headers", 64),
            ("header-bytes", 16 << 10), ("mirrors", 16),
        ]
        for (word, most) in bounds {
            list.add(.protocolMessages, word, .number(UInt64(most)), collected)
            list.add(.protocolMessages, word, .number(UInt64(most) + 1), refused)
        }
    }

    static func addExits(to list: inout CaseList) {
        let early = Expectation(.exitedEarly)
        let crash = Expectation(.crash)
        let everywhere: [CasePlace] = [.entry, .constructor, .finished, .failed, .pack]
        list.add(.exits, "exit-0", early, in: everywhere)
        list.add(.exits, "_exit-0", early, in: everywhere)
        list.add(.exits, ["exit-137", "exit-in-thread", "quick-exit"], early)
        list.add(.exits, "pthread-exit", Expectation(.exitedEarly, .wallTimeout))
        list.add(.exits, "exit-in-destructor", Expectation(.ok))
        list.add(
            .exits, "exit-in-terminate", Expectation(.wallTimeout), limits: list.limitsInHaste)
        list.add(.exits, "abort", crash, in: everywhere)
        list.add(.exits, "null-pointer", crash, in: everywhere)
        list.add(.exits, ["raise-segv", "wild-pointer", "trap"], crash)
    }

    static func addReplies(to list: inout CaseList) {
        let bad = Expectation(.badReply)
        list.add(.replies, "return", .number(0), Expectation(.ok), in: [.entry, .finished, .pack])
        list.add(.replies, "return", .number(1), bad, in: [.entry, .failed])
        list.add(.replies, "return", .number(1), Expectation(.ok), in: [.finished, .pack])
        list.add(.replies, "return", .number(2), bad, in: [.entry, .finished, .failed, .pack])
        list.add(
            .replies, "return", .text("-1"), Expectation(.pluginError),
            in: [.entry, .finished, .failed, .pack])
        list.add(.replies, "return", .text("2147483647"), bad, in: [.entry, .finished, .pack])
        list.add(
            .replies, "return", .text("-2147483648"), Expectation(.pluginError),
            in: [.entry, .finished, .pack])
        list.add(.replies, "negative-return", Expectation(.pluginError))
        list.add(.replies, "double-return-status", bad)
    }

    static func addLoading(to list: inout CaseList) {
        for sin in FileSin.allCases {
            let word = sin.rawValue
            var testCase = ConformanceCase(
                number: list.number(.loading), group: .loading, word: word, limits: list.limits,
                expectation: Expectation(.loadError, says: sin.sentence))
            testCase.place = .file
            testCase.fileSin = sin
            list.append(testCase)
        }
    }
}
