import Foundation
import Testing
import TestSupport

/// The part of a check's record that tests look at.
struct CheckOutput: Decodable {
    struct Plugin: Decodable {
        struct Rule: Decodable {
            let rule: String
            let level: String
            let seen: String
        }

        struct Skip: Decodable {
            let verdict: String
            let detail: String
        }

        let file: String
        let rules: [Rule]
        let skipped: Skip?
        let workers: Int
        let wallTimeMs: Int

        func names(_ level: String) -> [String] {
            rules.filter { $0.level == level }.map(\.rule)
        }

        func seen(_ rule: String) -> String {
            rules.first { $0.rule == rule }?.seen ?? ""
        }

        var failures: String {
            rules.filter { $0.level == "failed" }.map { "\($0.rule): \($0.seen)" }
                .joined(separator: "; ")
        }
    }

    let schema: Int
    let plugins: [Plugin]
    let failed: Int
}

extension RunFixture {
    /// Runs `bahost check --json` and reads its one line.
    func check(_ words: String...) throws -> (CheckOutput, ProgramResult) {
        let result = try runPlain(["check", "--json"] + words)
        try #require(result.lines.count == 1, "\(result.errors)")
        let output = try JSONDecoder().decode(
            CheckOutput.self, from: Data(result.output.utf8))
        expectNoProcess()
        #expect(scratch.contents(of: "tmp").isEmpty, "TMPDIR is not empty")
        return (output, result)
    }
}
