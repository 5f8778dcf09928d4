import BackgroundAssets
import Testing

struct DownloadValueTests {
    private let url = URL(fileURLWithPath: "/a")

    @Test
    func namesThreePrioritiesAndTakesAnyOther() {
        #expect(BADownload.Priority.min.rawValue == -1000)
        #expect(BADownload.Priority.default.rawValue == 0)
        #expect(BADownload.Priority.max.rawValue == 1000)
        #expect(BADownload.Priority(5) > .default)
        #expect(BADownload.Priority(.max) > .max)
    }

    @Test
    func hasApplesNumbersForStates() {
        let states: [BADownload.State] = [.failed, .created, .waiting, .downloading, .finished]
        #expect(states.map(\.rawValue) == [-1, 0, 1, 2, 3])
    }

    @Test
    func beginsCreatedWithANameOfItsOwn() {
        let one = BAURLDownload(identifier: "a", url: url)
        let other = BAURLDownload(identifier: "a", url: url)
        #expect(one.state == .created)
        #expect(one.uniqueIdentifier != other.uniqueIdentifier)
        #expect(one != other)
        #expect(Set<BADownload>([one, one, other]).count == 2)
    }

    @Test
    func copiesAllButEssential() {
        let essential = BAURLDownload(
            identifier: "a", url: url, headers: ["A": "1"], essential: true, fileSize: 4,
            applicationGroupIdentifier: "g", priority: .max, sha256: Data(0..<32), mirrors: [url],
            allowsMeteredNetwork: true)
        let plain = essential.removingEssential()
        #expect(essential.isEssential)
        #expect(!plain.isEssential)
        #expect(plain.uniqueIdentifier != essential.uniqueIdentifier)
        #expect(plain.identifier == "a")
        #expect(plain.url == url)
        #expect(plain.headers == ["A": "1"])
        #expect(plain.fileSize == 4)
        #expect(plain.applicationGroupIdentifier == "g")
        #expect(plain.priority == .max)
        #expect(plain.sha256 == Data(0..<32))
        #expect(plain.mirrors == [url])
        #expect(plain.allowsMeteredNetwork)
    }

    @Test
    func takesApplesFourForms() {
        var request = URLRequest(url: url)
        request.setValue("1", forHTTPHeaderField: "A")
        let full = BAURLDownload(
            identifier: "a", request: request, essential: true, fileSize: 4,
            applicationGroupIdentifier: "g", priority: .min)
        let sized = BAURLDownload(
            identifier: "a", request: request, fileSize: 4, applicationGroupIdentifier: "g")
        let plain = BAURLDownload(
            identifier: "a", request: request, applicationGroupIdentifier: "g")
        let ordered = BAURLDownload(
            identifier: "a", request: request, applicationGroupIdentifier: "g", priority: .max)
        let all = [full, sized, plain, ordered]
        #expect(all.map(\.isEssential) == [true, false, false, false])
        #expect(all.map(\.fileSize) == [4, 4, 0, 0])
        #expect(all.map(\.priority) == [.min, .default, .default, .max])
        #expect(all.allSatisfy { $0.url == url && $0.headers == ["A": "1"] })
        #expect(all.allSatisfy { $0.applicationGroupIdentifier == "g" })
    }

    @Test
    func namesItsErrors() {
        #expect("\(BAError(.downloadWouldExceedAllowance))" == "112 (downloadWouldExceedAllowance)")
        #expect("\(BAError(BAErrorCode(rawValue: 7), message: "x"))" == "7: x")
        #expect(BAErrorDomain == "com.apple.backgroundassets.error")
        #expect((BAError(.hostNoSpace) as NSError).code == 1005)
        #expect("\(BATransferError(kind: .http, number: 404))" == "http 404")
    }
}
