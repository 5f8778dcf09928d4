import Foundation
import Glibc
import Testing
import TestSupport

/// The JUnit report and the record of `bahost conformance`, when all does not go well.
@Suite(.serialized) struct ConformanceReportTests {
    @Test func theRecordIsAsItsSchemaSays() throws {
        let fixture = try RunFixture()
        let result = try fixture.runPlain(
            ["conformance", "--json", "--filter", "a0-nothing", "--filter", "socketpair"])
        fixture.audit()
        #expect(result.status == 0, "\(result.errors)")
        try SchemaCheck.expectValid(result.output, against: "conformance-1.json")
    }

    @Test func aReportThatIsNoFileIsRefusedAtOnce() throws {
        let fixture = try RunFixture()
        let fifo = "\(fixture.scratch.path)/fifo"
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        for path in [fifo, fixture.scratch.path] {
            let result = try fixture.runPlain(
                ["conformance", "--filter", "socketpair", "--junit", path], atMost: .seconds(20))
            #expect(result.status == 73, "\(result.errors)")
            #expect(result.errors.contains("--junit: cannot make \(path): "), "\(result.errors)")
            #expect(result.output.isEmpty)
        }
        fixture.audit()
    }

    @Test func aReportThatCannotBeWrittenLosesNothingElse() throws {
        let fixture = try RunFixture()
        let result = try fixture.runPlain(
            ["conformance", "--json", "--filter", "socketpair", "--junit", "/dev/full"])
        fixture.audit()
        #expect(result.status == 73, "\(result.errors)")
        #expect(result.errors.contains("--junit: cannot write /dev/full"), "\(result.errors)")
        try SchemaCheck.expectValid(result.output, against: "conformance-1.json")
    }

    @Test func anEarlierReportStaysWhenNothingIsTried() throws {
        let fixture = try RunFixture()
        let report = try fixture.scratch.write("report.xml", "earlier")
        let result = try fixture.runPlain(
            ["conformance", "--filter", "socketpair", "--junit", report],
            environment: ["BAHOST_CONFORMANCE": "/nowhere"])
        #expect(result.status == 35)
        #expect(try String(contentsOfFile: report, encoding: .utf8) == "earlier")
        let next = try fixture.runPlain(
            ["conformance", "--filter", "socketpair", "--junit", report])
        #expect(next.status == 0, "\(next.errors)")
        #expect(try String(contentsOfFile: report, encoding: .utf8).hasPrefix("<?xml"))
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.scratch.path)
        #expect(!names.contains { $0.hasSuffix(".new") }, "\(names)")
        fixture.audit()
    }

    @Test func stoppedByTheUserTheReportSaysWhatWasNotTried() throws {
        let fixture = try RunFixture()
        let report = "\(fixture.scratch.path)/report.xml"
        let run = try fixture.startPlain(
            ["conformance", "--filter", "memory", "--junit", report])
        #expect(eventually { run.outputSoFar.split(separator: "\n").count > 2 })
        run.signal(SIGINT)
        let result = try run.wait()
        fixture.audit()
        #expect(result.status == 130)
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.contains("<skipped message=\"not tried\"/>"))
    }
}
