import HostEngine
import Testing

@Suite struct FileNameTests {
    @Test(arguments: [
        ("level-1.bin", "level-1.bin"), ("a b", "a%20b"), (".hidden", "%2Ehidden"),
        ("..", "%2E."), ("a/b", "a%2Fb"), ("é", "%C3%A9"), ("50%", "50%25"), ("~", "%7E"),
    ])
    func encodesWhatIsNotPlain(identifier: String, name: String) {
        #expect(FileName.forIdentifier(identifier) == name)
    }

    @Test func aNameIsCutPastTheBoundOnly() {
        let longest = String(repeating: "a", count: FileName.longestBytes)
        #expect(FileName.forIdentifier(longest) == longest)
        let longer = longest + "a"
        let name = FileName.forIdentifier(longer)
        #expect(name.utf8.count == FileName.longestBytes)
        #expect(name.hasSuffix("~" + FileName.hash(longer)))
    }

    /// An identifier that spells out another's cut name gets a name of its own.
    @Test func aCutNameCannotBeForged() {
        let long = String(repeating: "a", count: 250)
        let forged = FileName.forIdentifier(long)
        #expect(FileName.forIdentifier(forged) != forged)
    }
}
