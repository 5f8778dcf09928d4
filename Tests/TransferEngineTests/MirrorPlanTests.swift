import Testing
import TransferEngine

struct MirrorPlanTests {
    @Test(arguments: [(0, 0), (2, 0), (3, 1), (5, 1), (6, 2), (8, 2), (9, 0), (-1, 0)])
    func twoRetriesAtEachAddressRoundAndRound(retries: Int, address: Int) {
        #expect(MirrorPlan(retries: retries, addresses: 3).current == address)
    }

    @Test func aFailureForGoodLeadsToEveryOtherAddressOnce() {
        var plan = MirrorPlan(retries: 3, addresses: 3)
        var asked = [plan.current]
        while plan.advance() { asked.append(plan.current) }
        #expect(asked == [1, 2, 0])
    }

    @Test(arguments: [0, 1])
    func oneAddressIsTheOnlyOne(addresses: Int) {
        var plan = MirrorPlan(retries: 7, addresses: addresses)
        #expect(plan.current == 0)
        #expect(plan.advance() == false)
    }
}
