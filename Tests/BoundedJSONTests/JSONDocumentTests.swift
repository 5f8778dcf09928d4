import BoundedJSON
import Testing

@Suite struct JSONDocumentTests {
    private func read(_ text: String, _ bound: JSONBound = JSONBound()) throws -> FieldReader {
        try JSONDocument.read(untrusted: Array(text.utf8), path: "f.json", bound: bound)
    }

    private func fault(_ text: String, _ bound: JSONBound = JSONBound()) -> BoundedJSONError? {
        do throws(BoundedJSONError) {
            _ = try JSONDocument.read(untrusted: Array(text.utf8), path: "f.json", bound: bound)
            return nil
        } catch { return error }
    }

    @Test func keepsTheOrderAndTheBytesOfItsFields() throws {
        let top = try read(#" {"b" : [1, 2] , "a":null,"c":"\u0041"} "#)
        #expect(top.allNames == ["b", "a", "c"])
        #expect(top.names == ["b", "c"])
        #expect(top.bytes("b").map(Array.init) == Array("[1, 2]".utf8))
        #expect(top.bytes("a").map(Array.init) == Array("null".utf8))
        #expect(top.value("a") == nil)
        #expect(top.bytes("d") == nil)
        #expect(try top.text("c", atMost: 1) == "A")
    }

    @Test func readsTruthValues() throws {
        let top = try read(#"{"t":true,"f":false,"n":1,"s":"true"}"#)
        #expect(top.value("t")?.boolean == true)
        #expect(top.value("f")?.boolean == false)
        #expect(top.value("n")?.boolean == nil)
        #expect(top.value("s")?.boolean == nil)
    }

    @Test(arguments: ["[]", "1", "null", "\"\"", "true"])
    func refusesATopThatIsNoObject(text: String) {
        #expect(fault(text)?.code == .wrongType)
        #expect(fault(text)?.field == nil)
    }

    @Test func boundsTheSize() {
        let bound = JSONBound(size: 1 << 20)
        let most = "{" + String(repeating: " ", count: (1 << 20) - 2) + "}"
        #expect(fault(most, bound) == nil)
        let found = fault(most + " ", bound)
        #expect(found?.description == "f.json: is larger than 1 MiB (1048577 bytes)")
        #expect(found?.code == .tooLarge)
    }

    @Test func boundsTheDepth() {
        let bound = JSONBound(depth: 3)
        #expect(fault(#"{"a":[[]]}"#, bound) == nil)
        #expect(fault(#"{"a":[[[]]]}"#, bound)?.message == "is nested deeper than 3 levels")
    }

    @Test func boundsTheFields() {
        let bound = JSONBound(fields: 2)
        #expect(fault(#"{"a":1,"b":2}"#, bound) == nil)
        #expect(fault(#"{"a":1,"b":2,"c":3}"#, bound)?.code == .tooMuch)
    }

    @Test(arguments: ["", "{", "{]", #"{"a":}"#, "{} x", #"{"a":01}"#, "// {}"])
    func refusesWhatIsNotJSON(text: String) {
        #expect(fault(text)?.code == .malformed)
    }

    @Test func boundsTexts() throws {
        let top = try read(#"{"a":"xyz","n":"a\nb","h":"\ud800"}"#)
        #expect(try top.text("a", atMost: 3) == "xyz")
        for (name, bound) in [("a", 2), ("n", 9), ("h", 9)] {
            #expect(throws: BoundedJSONError.self) { try top.text(name, atMost: bound) }
        }
    }
}
