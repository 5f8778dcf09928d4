import Testing
import WireProtocol

struct InspectionBoundTests {
    private static let bounds: [(Int, WireError.Code?)] = [(0, nil), (1, .tooLong)]

    private func expect(
        refusedWith code: WireError.Code?, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout PluginFacts) -> Void
    ) {
        var facts = PluginFacts()
        facts.image = ImageFacts()
        change(&facts)
        do {
            let back = try WorkerMessage(WorkerMessage.inspected(facts).frame())
            #expect(back == .inspected(facts), sourceLocation: sourceLocation)
            #expect(code == nil, sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == code, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: bounds)
    func listsAreGoodAtTheirBoundAndNotPast(extra: Int, code: WireError.Code?) {
        let export = ExportFacts(name: "a", kind: .function)
        expect(refusedWith: code) {
            $0.exports = Array(repeating: export, count: WireBound.exportCount + extra)
        }
        let refusal = RefusalFacts(code: "noTag", sentence: "s")
        expect(refusedWith: code) {
            $0.refusals = Array(repeating: refusal, count: WireBound.refusalCount + extra)
        }
        expect(refusedWith: code) {
            $0.oddities = Array(repeating: "o", count: WireBound.oddityCount + extra)
        }
        expect(refusedWith: code) { $0.entryPoints = Array(repeating: "e", count: 16 + extra) }
        let need = NeedFacts(name: "n", origin: .system)
        expect(refusedWith: code) {
            $0.image?.needs = Array(repeating: need, count: WireBound.listCount + extra)
        }
        let version = VersionFacts.Version(name: "v", isWeak: false)
        expect(refusedWith: code) {
            $0.image?.versions = [
                VersionFacts(
                    library: "l",
                    versions: Array(repeating: version, count: WireBound.versionCount + extra))
            ]
        }
        expect(refusedWith: code) {
            $0.image?.versions = Array(
                repeating: VersionFacts(library: "l", versions: []),
                count: WireBound.listCount + extra)
        }
        expect(refusedWith: code) {
            $0.image?.segments = Array(
                repeating: SegmentFacts(), count: WireBound.segmentCount + extra)
        }
        expect(refusedWith: code) { $0.image?.runPaths = Array(repeating: "r", count: 16 + extra) }
    }

    @Test(arguments: bounds)
    func textsAreGoodAtTheirBoundAndNotPast(extra: Int, code: WireError.Code?) {
        func text(_ count: Int) -> String { String(repeating: "x", count: count + extra) }
        expect(refusedWith: code) { $0.kind = text(128) }
        expect(refusedWith: code) {
            $0.exports = [ExportFacts(name: text(WireBound.exportBytes), kind: .other)]
        }
        expect(refusedWith: code) {
            $0.refusals = [RefusalFacts(code: text(64), sentence: "")]
        }
        expect(refusedWith: code) {
            $0.refusals = [RefusalFacts(code: "", sentence: text(WireBound.sentenceBytes))]
        }
        expect(refusedWith: code) { $0.image?.soname = text(WireBound.pathBytes) }
        expect(refusedWith: code) {
            $0.tag = TagFacts()
            $0.tag?.name = text(64)
        }
    }

    /// All lists full of the longest names that a worker keeps.
    @Test func theLargestFactsFitOneFrame() throws {
        var facts = MessageSamples.facts
        let name = String(repeating: "n", count: 64)
        facts.exports = Array(
            repeating: ExportFacts(name: name, kind: .function), count: WireBound.exportCount)
        facts.image?.versions = [
            VersionFacts(
                library: name,
                versions: Array(
                    repeating: .init(name: String(repeating: "v", count: 256), isWeak: false),
                    count: WireBound.versionCount))
        ]
        let sentence = String(repeating: "s", count: WireBound.sentenceBytes)
        facts.refusals = Array(
            repeating: RefusalFacts(code: "noTag", sentence: sentence), count: 48)
        facts.oddities = Array(repeating: sentence, count: 14)
        let frame = try WorkerMessage.inspected(facts).frame()
        #expect(try WorkerMessage(frame) == .inspected(facts))
    }
}
