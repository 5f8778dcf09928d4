import ExtensionHost
import LinuxSystem
import Testing
import WireProtocol

struct OutputLinesTests {
    @Test func linesAreCutAtTheirEndsAcrossReads() {
        var lines = OutputLines()
        #expect(lines.feed(Array("one\r\ntw".utf8)[...]) == ["one"])
        #expect(lines.feed(Array("o\n\nthr".utf8)[...]) == ["two", ""])
        #expect(lines.flush() == ["thr"])
        #expect(lines.flush() == [])
    }

    @Test(arguments: [(4096, [4096]), (4097, [4096, 1]), (8192, [4096, 4096])])
    func aLongLineIsCut(length: Int, expected: [Int]) {
        var lines = OutputLines()
        let bytes = [UInt8](repeating: 65, count: length) + [10]
        #expect(lines.feed(bytes[...]).map(\.utf8.count) == expected)
        #expect(lines.flush() == [])
    }

    @Test func theTotalIsBoundedAndSaidOnce() {
        var lines = OutputLines()
        let line = [UInt8](repeating: 65, count: 1023) + [10]
        for _ in 0..<256 { #expect(lines.feed(line[...]).count == 1) }
        #expect(lines.feed(line[...]) == [OutputLines.suppressed])
        #expect(lines.feed(line[...]) == [])
        #expect(lines.flush() == [])
    }

    @Test func controlCharactersAreReplaced() {
        var lines = OutputLines()
        let raw: [UInt8] = [0x1B, 0x5D, 0x30, 0x07, 0x09, 0x41, 0xFF, 0x0A]
        #expect(lines.feed(raw[...]) == ["\u{FFFD}]0\u{FFFD}\tA\u{FFFD}"])
    }
}

struct LogTailTests {
    @Test func everythingIsKeptUpToTheBound() {
        var log = LogTail(bound: 6)
        log.append("abc")
        log.append("def")
        #expect(log.lines == ["abc", "def"])
    }

    @Test func theTailIsKeptPastTheBound() {
        var log = LogTail(bound: 6)
        for line in ["abc", "def", "g"] { log.append(line) }
        #expect(log.lines == ["… 1 earlier lines dropped, past 6 bytes", "def", "g"])
    }

    @Test func aFloodStaysBounded() {
        var log = LogTail()
        for number in 0..<50_000 { log.append("line \(number) of many") }
        let bytes = log.lines.dropFirst().reduce(0) { $0 + $1.utf8.count }
        #expect(bytes <= LogTail.defaultBound)
        #expect(bytes > LogTail.defaultBound - 100)
        #expect(log.lines.last == "line 49999 of many")
    }
}

struct EvidenceCollectorTests {
    private func record(_ signal: Int32) -> EvidenceRecord {
        var record = EvidenceRecord(kind: .signal)
        record.signal = signal
        return record
    }

    @Test func aRecordIsFoundHoweverItIsCut() {
        let bytes = record(11).bytes
        for cut in 0...bytes.count {
            var collector = EvidenceCollector()
            let first = collector.feed(bytes[..<cut])
            let second = collector.feed(bytes[cut...])
            #expect(first + second == [record(11)])
        }
    }

    @Test func bytesThatAreNoRecordAreSkipped() {
        var collector = EvidenceCollector()
        let noise = [UInt8](repeating: 0x42, count: 301)
        #expect(collector.feed((noise + record(6).bytes + noise)[...]) == [record(6)])
    }

    @Test func recordsAreBounded() {
        var collector = EvidenceCollector()
        var found = 0
        for _ in 0..<100 { found += collector.feed(record(6).bytes[...]).count }
        #expect(found == EvidenceCollector.recordBound)
    }

    @Test func noiseIsBounded() {
        var collector = EvidenceCollector()
        let noise = [UInt8](repeating: 0x42, count: EvidenceCollector.byteBound - 127)
        #expect(collector.feed((noise + record(6).bytes)[...]) == [])
        var other = EvidenceCollector()
        #expect(other.feed((noise.dropFirst() + record(6).bytes)[...]) == [record(6)])
    }
}

struct MemoryPeakTests {
    @Test func nothingCountsBeforeTheBaseline() {
        var peak = MemoryPeak()
        var memory = ProcessMemory()
        memory.heldBytes = 500
        peak.sample(memory)
        #expect(peak.bytes == 0)
        peak.start(baselineBytes: 600)
        peak.sample(memory)
        #expect(peak.bytes == 0)
    }

    @Test func theReportedPeakWinsWhenLarger() {
        var peak = MemoryPeak()
        peak.start(baselineBytes: 100)
        peak.report(heldBytes: 90)
        #expect(peak.bytes == 0)
        peak.report(heldBytes: 300)
        #expect(peak.bytes == 200)
        #expect(peak.source == .reported)
    }

    @Test func absurdNumbersDoNotOverflow() {
        var peak = MemoryPeak()
        peak.start(baselineBytes: 0)
        var memory = ProcessMemory()
        peak.sample(memory)
        memory.heldBytes = .max
        memory.pageTableBytes = .max
        peak.sample(memory)
        #expect(peak.bytes == .max)
    }
}
