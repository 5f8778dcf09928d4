import Conformance
import Testing

/// What a technique says of itself.
@Suite struct AttemptTests {
    @Test(arguments: [
        ("allowed 32 descriptors", Attempt.allowed("32 descriptors")),
        (
            "refused socket(AF_INET, SOCK_STREAM): EPERM",
            .refused("socket(AF_INET, SOCK_STREAM)", code: "EPERM")
        ),
        ("refused open of a:b: ENOENT", .refused("open of a:b", code: "ENOENT")),
        ("refused schedule: 1001", .refused("schedule", code: "1001")),
        ("hole fork", .hole("fork")), ("not here call of x32", .notHere("call of x32")),
    ])
    func aLineOfTheGrammarIsRead(line: String, attempt: Attempt) {
        #expect(Attempt(line: line) == attempt)
    }

    @Test(arguments: [
        "", "allowed", "allowed ", "hole", "hole ", "refused", "refused open", "refused open:",
        "refused open: ", "refused : EPERM", "Allowed x", "allowedx y", "holding 3 kB by a0-map",
        "hello", "not here", "not here ", "not there x", "nothere x",
    ])
    func anythingElseIsNoAttempt(line: String) {
        #expect(Attempt(line: line) == nil)
    }
}
