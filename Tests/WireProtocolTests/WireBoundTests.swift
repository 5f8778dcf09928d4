import Testing
import WireProtocol

struct WireBoundTests {
    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private func expect(
        _ message: HostMessage, refusedWith code: WireError.Code?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        check(code, sourceLocation) { () throws in _ = try HostMessage(message.frame()) }
    }

    private func expect(
        _ call: HostCall, refusedWith code: WireError.Code?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        check(code, sourceLocation) { () throws in
            _ = try WorkerMessage(WorkerMessage.hostCall(call).frame())
        }
    }

    private func check(
        _ code: WireError.Code?, _ location: SourceLocation, _ body: () throws -> Void
    ) {
        do {
            try body()
            #expect(code == nil, sourceLocation: location)
        } catch {
            #expect((error as? WireError)?.code == code, sourceLocation: location)
        }
    }

    private func scheduled(_ change: (inout DownloadWish) -> Void) -> HostCall {
        var wish = DownloadWish()
        change(&wish)
        return .schedule(wish)
    }

    @Test(arguments: [(0, nil), (1, .tooLong)] as [(Int, WireError.Code?)])
    func textsAreGoodAtTheirBoundAndNotPast(extra: Int, code: WireError.Code?) {
        let identifier = text(WireBound.identifierBytes + extra)
        let url = text(WireBound.urlBytes + extra)
        expect(.cancel(identifier: identifier), refusedWith: code)
        expect(.currentDownloads(after: identifier, capacity: 1), refusedWith: code)
        expect(.log(level: 0, text: text(WireBound.logLineBytes + extra)), refusedWith: code)
        expect(.refused(identifier: identifier, code: 1, sentence: ""), refusedWith: code)
        expect(
            .refused(identifier: "", code: 1, sentence: text(WireBound.sentenceBytes + extra)),
            refusedWith: code)
        expect(scheduled { $0.identifier = identifier }, refusedWith: code)
        expect(scheduled { $0.group = identifier }, refusedWith: code)
        expect(scheduled { $0.url = url }, refusedWith: code)
        expect(scheduled { $0.mirrors = [url] }, refusedWith: code)
        let path = text(WireBound.pathBytes + extra)
        expect(.setup(WorkerSetup(pluginPath: path, containerPath: "")), refusedWith: code)
        expect(.setup(WorkerSetup(pluginPath: "", containerPath: path)), refusedWith: code)
        expect(.call(.finished(DownloadDescription(), path: path)), refusedWith: code)
    }

    @Test(arguments: [(0, nil), (1, .tooLong)] as [(Int, WireError.Code?)])
    func listsAreGoodAtTheirBoundAndNotPast(extra: Int, code: WireError.Code?) {
        let header = RequestHeader(name: "n", value: "v")
        expect(
            scheduled {
                $0.headers = Array(repeating: header, count: WireBound.headerCount + extra)
            }, refusedWith: code)
        expect(
            scheduled { $0.mirrors = Array(repeating: "m", count: WireBound.mirrorCount + extra) },
            refusedWith: code)
        let downloads = Array(
            repeating: DownloadDescription(), count: WireBound.listCount + extra)
        expect(.reply(.downloads(downloads)), refusedWith: code)
    }

    @Test(arguments: [(31, .badValue), (32, nil), (33, .tooLong)] as [(Int, WireError.Code?)])
    func aDigestHas32Bytes(count: Int, code: WireError.Code?) {
        expect(scheduled { $0.sha256 = Array(repeating: 1, count: count) }, refusedWith: code)
    }

    @Test func aLengthOf4GiBAllocatesNothing() throws {
        let frame = try Frame(
            kind: 105, sequence: 0, payload: [3, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: WireError(.tooLong, "cancel.identifier")) { try WorkerMessage(frame) }
    }

    @Test(arguments: [[0x61, 0], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF]] as [[UInt8]])
    func textIsUTF8WithoutNUL(bytes: [UInt8]) throws {
        let frame = try Frame(
            kind: 105, sequence: 0, payload: [3, UInt8(bytes.count), 0, 0, 0] + bytes)
        #expect(throws: WireError(.badText, "cancel.identifier")) { try WorkerMessage(frame) }
    }

    @Test func aFlagIsZeroOrOne() throws {
        var payload = try WorkerMessage.returned(
            EntryReturn(status: 0, heldBytes: 0, wasCalled: true)
        ).frame().payload
        payload[12] = 2
        let frame = try Frame(kind: 106, sequence: 0, payload: payload)
        #expect(throws: WireError(.badValue, "return.called")) { try WorkerMessage(frame) }
    }

    @Test func theLastByteOfASetupIsAFlag() throws {
        let frame = try HostMessage.setup(MessageSamples.setup).frame()
        #expect(frame.payload.last == 1)
        let payload = Array(frame.payload.dropLast()) + [2]
        let changed = try Frame(kind: frame.kind, sequence: 0, payload: payload)
        #expect(throws: WireError(.badValue, "setup.holdings")) { try HostMessage(changed) }
    }

    @Test(arguments: [(256, true), (257, false)] as [(UInt32, Bool)])
    func countedFilesHaveABound(count: UInt32, isWithin: Bool) throws {
        var result = EntryReturn(status: 0, heldBytes: 0, wasCalled: true)
        result.holdings.openFiles = count
        let frame = try WorkerMessage.returned(result).frame()
        guard !isWithin else {
            #expect(try WorkerMessage(frame) == .returned(result))
            return
        }
        #expect(throws: WireError(.badValue, "holdings.files")) { try WorkerMessage(frame) }
    }

    @Test(arguments: [0, 7, 8, 9] as [UInt8])
    func onlySomeEntryPointsCanBeCalled(number: UInt8) throws {
        let frame = try Frame(kind: 2, sequence: 0, payload: [number])
        #expect(throws: WireError(.badValue, "call.entry")) { try HostMessage(frame) }
    }

    @Test func errorsReadAsSentences() {
        #expect("\(WireError(.badText, "log.text"))" == "log.text is not UTF-8 without NUL")
        #expect("\(WireError(.tooLong, "frame"))" == "frame is longer than its bound")
    }
}
