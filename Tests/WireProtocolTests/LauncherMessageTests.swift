import Testing
import WireProtocol

struct LauncherMessageTests {
    private static var setup: LauncherSetup {
        var setup = LauncherSetup()
        setup.isolation = .full
        setup.absentLayers = ["fence", "sealing"]
        setup.runtimeFolders = ["/opt/swift/lib"]
        setup.namespaces = 31
        setup.namespaceRefusal = "clone: no"
        setup.outsideUser = 1000
        setup.outsideGroup = 100
        return setup
    }

    private static func end(_ code: Int32?, _ signal: Int32?) -> WorkerEnd {
        var end = WorkerEnd()
        end.exitCode = code
        end.signal = signal
        end.cpuNanoseconds = 1_234_567_890_123
        return end
    }

    private static let requests: [LauncherRequest] = [
        .prepare(setup), .prepare(LauncherSetup()), .start(run: 0), .start(run: .max),
    ]

    private static let reports: [LauncherReport] = [
        .started(run: 7), .notStarted(run: 8, SetupFailure(step: "fork", sentence: "no room")),
        .ended(run: 9, end(0, nil)), .ended(run: 10, end(nil, 9)), .ended(run: 11, end(nil, nil)),
        .failed(SetupFailure(step: "runtime", sentence: "no such file")),
    ]

    @Test(arguments: requests)
    func aRequestComesBackAsItWas(request: LauncherRequest) throws {
        let bytes = try request.frame().bytes
        #expect(try LauncherRequest(Frame(message: bytes[...])) == request)
    }

    @Test(arguments: reports)
    func aReportComesBackAsItWas(report: LauncherReport) throws {
        let bytes = try report.frame().bytes
        #expect(try LauncherReport(Frame(message: bytes[...])) == report)
    }

    @Test(arguments: requests)
    func aRequestCutAnywhereIsAnError(request: LauncherRequest) throws {
        let frame = try request.frame()
        for count in 0..<frame.bytes.count {
            #expect(throws: WireError(.truncated, "frame")) {
                try Frame(message: frame.bytes[..<count])
            }
        }
        for count in 0..<frame.payload.count {
            let cut = try Frame(
                kind: frame.kind, sequence: 0, payload: Array(frame.payload[..<count]))
            #expect(throws: WireError.self) { try LauncherRequest(cut) }
        }
    }

    @Test func aMessageIsOneFrameAndNoMore() throws {
        let bytes = try LauncherRequest.start(run: 1).frame().bytes
        #expect(throws: WireError(.trailingBytes, "frame")) {
            try Frame(message: (bytes + [0])[...])
        }
        let more = try Frame(kind: 202, sequence: 1, payload: [1])
        #expect(throws: WireError(.trailingBytes, "launcher request 202")) {
            try LauncherRequest(more)
        }
    }

    @Test(arguments: [1, 101, 200, 203, 300, 305, UInt16.max])
    func anotherKindIsAnError(kind: UInt16) throws {
        let frame = try Frame(kind: kind, sequence: 0, payload: [])
        #expect(throws: WireError(.unknownKind, "launcher request \(kind)")) {
            try LauncherRequest(frame)
        }
        #expect(throws: WireError(.unknownKind, "launcher report \(kind)")) {
            try LauncherReport(frame)
        }
    }

    @Test func textsAreBounded() throws {
        var setup = LauncherMessageTests.setup
        setup.namespaceRefusal = String(repeating: "x", count: WireBound.sentenceBytes)
        _ = try LauncherRequest(LauncherRequest.prepare(setup).frame())
        setup.namespaceRefusal += "x"
        #expect(throws: WireError(.tooLong, "launcher.refusal")) {
            try LauncherRequest(LauncherRequest.prepare(setup).frame())
        }
    }
}
