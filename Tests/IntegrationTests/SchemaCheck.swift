import Foundation
import Testing
import TestSupport

/// A published schema, and Debian's python3-jsonschema.
enum SchemaCheck {
    /// Expects that a line of `--json` is one line, and valid.
    static func expectValid(
        _ text: String, against schema: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            text.hasSuffix("\n") && text.dropLast().allSatisfy { $0 != "\n" }, "\(text)",
            sourceLocation: sourceLocation)
        let folder = try ScratchFolder("schema")
        let file = try folder.write("record.json", text)
        let script =
            "import json,jsonschema,sys;"
            + "jsonschema.validate(json.load(open(sys.argv[2])),json.load(open(sys.argv[1])))"
        let check = try runProgram(
            "/usr/bin/python3", ["-c", script, "\(Products.root)/docs/schema/\(schema)", file])
        #expect(check.status == 0, "\(check.errors)", sourceLocation: sourceLocation)
    }
}
