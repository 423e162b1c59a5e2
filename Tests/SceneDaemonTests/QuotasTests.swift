import SceneModel
import Testing

@testable import SceneDaemon

@Suite struct QuotasTests {
    private func quotas(
        isSystem: Bool = true, _ settings: Quota.Settings = [:], descriptors: Int = 131_072
    ) -> Quotas {
        Quotas(isSystem: isSystem, settings: settings, descriptors: descriptors)
    }

    /// Opens so many connections, as far as it may; why not more.
    private func open(_ quotas: Quotas, uid: UInt32, _ count: Int) -> Failure? {
        for _ in 0..<count {
            if let refusal = quotas.refusal(of: uid) { return refusal }
            quotas.opened(quotas.account(of: uid))
        }
        return nil
    }

    @Test func tenThousandScenesThatAllWaitAreNoCrowd() {
        let quotas = quotas(isSystem: false)
        #expect(open(quotas, uid: 1000, 20_000) == nil)
        #expect(quotas[.scenes] >= 10_000 && quotas[.calls] >= 10_000)
    }

    @Test func oneUserHasNoMoreThanHalfOfThemAllAndRootHasTheLast() {
        let quotas = quotas(descriptors: 1024)
        #expect(open(quotas, uid: 1000, 500) == .quotaExceeded(resource: "connections", limit: 432))
        #expect(open(quotas, uid: 1001, 432) == nil)
        #expect(open(quotas, uid: 1002, 1) == .quotaExceeded(resource: "descriptors", limit: 864))
        #expect(open(quotas, uid: 0, 32) == nil)
        #expect(open(quotas, uid: 0, 1) == .quotaExceeded(resource: "descriptors", limit: 896))
        quotas.closed(quotas.account(of: 1000))
        #expect(open(quotas, uid: 0, 1) == nil)
    }

    @Test func aUsersOwnInstanceIsAllTheirs() {
        #expect(open(quotas(isSystem: false, descriptors: 1024), uid: 1000, 864) == nil)
    }

    @Test func callsAreCountedWhileTheyLast() {
        let quotas = quotas([.calls: 2])
        let account = quotas.account(of: 1000)
        #expect(account.callBegan() && account.callBegan() && !account.callBegan())
        account.callEnded()
        account.callEnded()
        #expect(account.callBegan())
        quotas.apply([.calls: 3])
        #expect(account.callBegan() && !account.callBegan())
    }

    @Test func aTurnHasAnEnd() {
        let account = quotas().account(of: 1000)
        var calls = 0
        while account.hasTime(inTurn: 1), calls < 10_000 {
            _ = account.callBegan()
            account.callEnded()
            calls += 1
        }
        #expect((2..<10_000).contains(calls))
        #expect(!account.hasTime(inTurn: 1) && account.hasTime(inTurn: 2))
        // A long answer takes longer.
        _ = account.callBegan()
        account.callEnded(bytes: 1 << 20)
        #expect(!account.hasTime(inTurn: 2) && account.hasTime(inTurn: 3))
    }

    @Test func whoWasRefusedIsShownToThemAndToRoot() {
        let quotas = quotas([.scenes: 9])
        _ = quotas.exceeded(.scenes, 1000)
        _ = quotas.exceeded(.scenes, 1000)
        _ = quotas.exceeded(.logins, 1001)
        #expect(quotas.problems(of: 1000) == ["uid 1000 was refused 2 times: at most 9 scenes"])
        #expect(quotas.problems(of: nil).count == 2 && quotas.problems(of: 1002).isEmpty)
        #expect(quotas.tally.sum(of: nil)[.quotaRefusals] == 3)
        #expect(quotas.tally.sum(of: 1000)[.quotaRefusals] == 2)
        quotas.apply([:])
        #expect(quotas.problems(of: nil).isEmpty && quotas.tally.sum(of: nil)[.quotaRefusals] == 3)
    }
}
