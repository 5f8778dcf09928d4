import ExtensionHost
import Testing
import URLPolicy
import WireProtocol

struct BrokerQuotaTests {
    @Test func allowancesHoldExactlyTheirBytes() throws {
        var broker = try broker {
            $0.plainAllowance = 200
            $0.essentialAllowance = 100
        }
        #expect(broker.judge(wish("a") { $0.isEssential = true }, entry: .install).status == 0)
        #expect(broker.judge(wish("b") { $0.sizeBytes = 200 }, entry: .install).status == 0)
        let past = broker.judge(wish("c") { $0.sizeBytes = 1 }, entry: .install).refusal
        #expect(past?.code == .downloadWouldExceedAllowance)
        #expect(past?.hint == "--download-allowance 201")
        let essential = broker.judge(
            wish("d") {
                $0.isEssential = true
                $0.sizeBytes = 1
            }, entry: .install
        ).refusal
        #expect(essential?.code == .downloadWouldExceedAllowance)
        #expect(essential?.hint == "--essential-allowance 101")
    }

    @Test func aTransferOfUnknownSizeHoldsAllThatIsLeft() throws {
        var broker = try broker { $0.plainAllowance = 250 }
        for name in ["a", "b"] {
            _ = broker.judge(wish(name) { $0.sizeBytes = 0 }, entry: .install)
        }
        let answer1 = broker.holdOpenSize("a")
        #expect(answer1 == .bytes(250))
        let answer2 = broker.holdOpenSize("b")
        #expect(answer2 == .heldByOthers)
        broker.settleOpenSize("a", receivedBytes: 60)
        let answer3 = broker.holdOpenSize("b")
        #expect(answer3 == .bytes(190))
        broker.downloadEnded("b", receivedBytes: 190)
        let answer4 = broker.holdOpenSize("c")
        #expect(answer4 == .nothingLeft)
    }

    @Test func aDownloadOfAnEarlierRunIsChargedOnce() throws {
        var broker = try broker { $0.plainAllowance = 250 }
        let answer5 = broker.chargeEarlier("old", isEssential: false, sizeBytes: 250)
        #expect(answer5)
        let answer6 = broker.chargeEarlier("old", isEssential: false, sizeBytes: 250)
        #expect(answer6)
        let answer7 = broker.chargeEarlier("older", isEssential: false, sizeBytes: 1)
        #expect(!answer7)
        #expect(broker.remaining(what: 1) == 0)
    }

    @Test func withoutAnAllowanceThereIsNoBound() throws {
        var broker = try broker()
        _ = broker.judge(wish("a") { $0.sizeBytes = 0 }, entry: .install)
        let answer8 = broker.holdOpenSize("a")
        #expect(answer8 == .unlimited)
        for name in ["b", "c"] {
            let huge = broker.judge(
                wish(name) { $0.sizeBytes = UInt64(Int64.max) }, entry: .install)
            #expect(huge.status == 0)
        }
        #expect(broker.remaining(what: 1) == -1)
        #expect(broker.remaining(what: 2) == -1)
        #expect(broker.remaining(what: 3) == nil)
    }

    @Test func theGreatestSizeIsRefusedByAnyAllowance() throws {
        var broker = try broker { $0.plainAllowance = 10 }
        let greatest = UInt64(Int64.max)
        let refusal = broker.judge(wish("a") { $0.sizeBytes = greatest }, entry: .install).refusal
        #expect(refusal?.code == .downloadWouldExceedAllowance)
        #expect(refusal?.hint == "--download-allowance 9223372036854775807")
    }

    @Test func aSizePastTheGreatestIsABadArgument() throws {
        var broker = try broker()
        let past = UInt64(Int64.max) + 1
        let refusal = broker.judge(wish("a") { $0.sizeBytes = past }, entry: .install).refusal
        #expect(refusal?.code == .badArgument)
    }

    @Test func theManifestCountsAsPlain() throws {
        var broker = try broker { $0.plainAllowance = 150 }
        #expect(broker.chargeManifest(50) == nil)
        #expect(broker.remaining(what: 1) == 100)
        let refusal = broker.chargeManifest(101)
        #expect(refusal?.code == .sessionDownloadAllowanceExceeded)
        #expect(refusal?.hint == "--download-allowance 151")
        #expect(broker.judge(wish("a"), entry: .install).status == 0)
    }

    @Test func everyWishCountsAgainstTheRunsQuota() throws {
        var broker = try broker { $0.requestsPerRun = 2 }
        #expect(broker.judge(wish("a"), entry: .install).status == 0)
        #expect(broker.judge(wish("b") { $0.url = "x" }, entry: .install).status == 1003)
        #expect(broker.judge(wish("c"), entry: .install).status == 1001)
    }

    @Test func theRunsQuotaIsTenThousand() throws {
        var broker = try broker()
        for number in 0..<10_000 {
            guard broker.judge(wish("\(number)"), entry: .install).status == 0 else {
                Issue.record("request \(number) was refused")
                return
            }
        }
        #expect(broker.judge(wish("last"), entry: .install).status == 1001)
        #expect(broker.takeCollected().count == 10_000)
    }

    @Test func theAppsQuotaCountsWhatIsUnfinished() throws {
        var broker = try broker {
            $0.admittedPerApp = 3
            $0.unfinished["old"] = UnfinishedDownload(
                url: "https://cdn.example.com/x", sizeBytes: 1, sha256: nil, group: "group.app")
        }
        #expect(broker.judge(wish("a"), entry: .install).status == 0)
        #expect(broker.judge(wish("b"), entry: .install).status == 0)
        #expect(broker.judge(wish("c"), entry: .install).status == 1001)
        _ = broker.takeCollected()
        broker.downloadEnded("a", receivedBytes: 100)
        #expect(broker.judge(wish("c"), entry: .downloadFinished).status == 0)
        broker.downloadEnded("old", receivedBytes: 1)
        #expect(broker.judge(wish("d"), entry: .downloadFinished).status == 0)
        #expect(broker.judge(wish("e"), entry: .downloadFinished).status == 1001)
    }

    /// What differs from the unfinished download, and what becomes of it.
    @Test(
        arguments: [
            ("nothing", .adopted), ("url", .replaced), ("size", .replaced), ("sha256", .replaced),
            ("group", .replaced),
        ] as [(String, AdmittedRequest.Relation)])
    func anUnfinishedDownloadIsAdoptedOrReplaced(
        difference: String, relation: AdmittedRequest.Relation
    ) throws {
        var broker = try broker {
            $0.otherGroups = ["group.two"]
            $0.unfinished["a"] = UnfinishedDownload(
                url: "https://cdn.example.com/1", sizeBytes: 100, sha256: nil, group: "group.app")
        }
        let same = wish("a") {
            switch difference {
            case "url": $0.url += "x"
            case "size": $0.sizeBytes = 101
            case "sha256": $0.sha256 = [UInt8](repeating: 1, count: 32)
            case "group": $0.group = "group.two"
            default: break
            }
        }
        #expect(broker.judge(same, entry: .install).request?.relation == relation)
        #expect(broker.judge(same, entry: .install).status == 100)
    }

    @Test func anEndedDownloadIsNotAdopted() throws {
        var broker = try broker {
            $0.unfinished["a"] = UnfinishedDownload(
                url: "https://cdn.example.com/1", sizeBytes: 100, sha256: nil, group: "group.app")
        }
        #expect(broker.judge(wish("A"), entry: .install).status == 100)
        broker.downloadEnded("a", receivedBytes: 5)
        #expect(broker.judge(wish("a"), entry: .downloadFailed).request?.relation == .new)
    }

    @Test(arguments: [(64, 0), (65, 1002)] as [(Int, Int32)])
    func headersAreBoundedInNumber(count: Int, status: Int32) throws {
        var broker = try broker()
        let headers = (0..<count).map { RequestHeader(name: "X-\($0)", value: "v") }
        #expect(broker.judge(wish("a") { $0.headers = headers }, entry: .install).status == status)
    }

    @Test(arguments: [(16 << 10, 0), (16 << 10 + 1, 1002)] as [(Int, Int32)])
    func headersAreBoundedInBytes(bytes: Int, status: Int32) throws {
        var broker = try broker()
        let header = RequestHeader(name: "X", value: String(repeating: "v", count: bytes - 1))
        #expect(broker.judge(wish("a") { $0.headers = [header] }, entry: .install).status == status)
    }

    @Test(arguments: [1, 255])
    func identifiersOfTheBoundsAreGood(length: Int) throws {
        var broker = try broker()
        let name = String(repeating: "x", count: length)
        #expect(broker.judge(wish(name), entry: .install).status == 0)
    }
}

struct RefusalCodeTests {
    @Test func namesAndDomainsAreThoseOfTheTable() {
        #expect(RefusalCode.sessionDownloadDisallowedByDomain.rawValue == 202)
        #expect(
            RefusalCode.sessionDownloadDisallowedByDomain.name
                == "sessionDownloadDisallowedByDomain")
        #expect(RefusalCode.sessionDownloadDisallowedByDomain.domain == .apple)
        #expect(RefusalCode.groupNotYours.rawValue == 1008)
        #expect(RefusalCode.groupNotYours.name == "groupNotYours")
        #expect(RefusalCode.groupNotYours.domain == .bahost)
    }

    @Test func onlyDownloadInvalidHasAnotherStatus() {
        for code in RefusalCode.allCases {
            #expect(code.status == (code == .downloadInvalid ? 1 : code.rawValue))
        }
    }

    @Test(arguments: [(1002, .badString), (77, .badArgument)] as [(Int32, RefusalCode)])
    func aRefusalOfTheWorkersIsTakenOver(number: Int32, code: RefusalCode) {
        let refusal = Refusal(reportedBy: "a\u{1B}", code: number, sentence: "bad\n")
        #expect(refusal.code == code)
        #expect(refusal.identifier == "a\u{FFFD}")
        #expect(refusal.message == "bad\u{FFFD}")
    }
}
