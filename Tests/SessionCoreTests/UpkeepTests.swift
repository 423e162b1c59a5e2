import SceneModel
import Testing

@testable import SessionCore

@Suite struct UpkeepTests {
    private let stage = Stage(accounts: 2)

    // MARK: Before anybody waits

    @Test func theSuccessorIsThereBeforeTheTokenEnds() {
        stage.token()
        stage.wait(seconds: 3200)
        #expect(stage.refreshes.isEmpty)
        stage.wait(seconds: 100)
        #expect(stage.refreshes.map(\.account.id) == ["a1"])
        // Nobody waits meanwhile, and nobody begins another.
        #expect(stage.token(of: stage.token())?.value == Secret("access-a1"))
        stage.refreshed("new", refreshToken: "rotated")
        #expect(stage.token(of: stage.token())?.value == Secret("access-new"))
        #expect(stage.ledger.accounts.first?.grant.refreshToken == Secret("rotated"))
        stage.expectNoFaults()
    }

    @Test func whatNobodyAsksForIsLeftAlone() {
        stage.token()
        stage.wait(seconds: 3500)
        stage.refreshed("new")
        stage.wait(seconds: 100_000)
        #expect(stage.refreshes.isEmpty)
        #expect(stage.session.nextDeadline == nil)
    }

    @Test func aCallerWhoCannotWaitForItsTurnJoins() {
        stage.token()
        stage.wait(seconds: 3500)
        stage.suspend(seconds: 50)
        let call = stage.token()
        #expect(stage.outcomes[call] == nil)
        #expect(stage.refreshes.count == 1)
        stage.refreshed("new")
        #expect(stage.token(of: call)?.value == Secret("access-new"))
        stage.expectNoFaults()
    }

    @Test(arguments: [(3600, 300), (86_400, 300), (1200, 120), (600, 90), (120, 60), (60, 30), (1, 0), (0, 0)])
    func howEarly(lifetime: Int, seconds: Int) {
        #expect(Bounds.renewal(of: lifetime) == seconds)
    }

    @Test func jitterSpreadsIt() {
        stage.random = 0
        stage.token("a1")
        stage.random = 0.99
        stage.token("a2")
        stage.wait(seconds: 3600 - 370)
        #expect(stage.refreshes.map(\.account.id) == ["a2"])
        stage.wait(seconds: 70)
        #expect(stage.refreshes.map(\.account.id) == ["a2", "a1"])
    }

    @Test(arguments: [false, true])
    func aSuspendOfEightHours(asksFirst: Bool) {
        stage.token()
        stage.suspend(seconds: 8 * 3600)
        // Whoever comes first, the timer or a caller: one refresh, and nobody gets the token that has ended.
        if asksFirst {
            let call = stage.token()
            #expect(stage.outcomes[call] == nil)
        }
        stage.wait(seconds: 0)
        #expect(stage.refreshes.count == 1)
        let calls = (0..<3).map { _ in stage.token() }
        stage.refreshed("new")
        for call in calls { #expect(stage.token(of: call)?.value == Secret("access-new")) }
        stage.expectNoFaults()
    }

    /// Set forward, the clock makes the token look old, and it is refreshed; set back, it does not make one look fresh.
    @Test(arguments: [3600, -3600])
    func aWallClockThatIsAnHourOff(step: Int) {
        stage.suspend(seconds: 1800)
        stage.stepClock(bySeconds: step)
        let call = stage.token()
        #expect(stage.refreshes.count == (step > 0 ? 1 : 0))
        if step > 0 {
            stage.refreshed("new")
            #expect(stage.token(of: call)?.expiresInSeconds == 3600)
        } else {
            #expect(stage.token(of: call)?.expiresInSeconds == 1800)
            stage.suspend(seconds: 1800)
            #expect(stage.outcomes[stage.token()] == nil)
        }
        // Set right again: nothing that is given out has ended by the clock that only goes on.
        stage.stepClock(bySeconds: -step)
        stage.suspend(seconds: 3600)
        #expect(stage.outcomes[stage.token()] == nil)
        stage.expectNoFaults()
    }

    /// A refresh for each call would not make the tokens of such a host live longer.
    @Test(arguments: [(30, nil), (3600, 7200), (3600, 3600), (2, nil)] as [(Int, Int?)])
    func shortLivedTokensAreNotRefreshedByEachCall(lifetime: Int, validity: Int?) {
        stage.suspend(seconds: 4000)
        let first = stage.token("a1", validity: validity)
        stage.refreshed("new", lives: lifetime)
        #expect(stage.token(of: first)?.value == Secret("access-new"))
        for _ in 0..<100 {
            #expect(stage.token(of: stage.token("a1", validity: validity))?.value == Secret("access-new"))
        }
        #expect(stage.refreshes.isEmpty)
        stage.suspend(seconds: lifetime / 10 + 1)
        stage.token("a1", validity: validity)
        #expect(stage.refreshes.count == 1)
    }

    @Test func aTokenThatLivesIsGivenOutThoughTheDiskIsFull() {
        stage.suspend(seconds: 3560)
        stage.disk = .full
        #expect(stage.token(of: stage.token())?.value == Secret("access-a1"))
        #expect(stage.failure(of: stage.token(rejected: "access-a1")) == .storageUnavailable(reason: "full"))
    }

    // MARK: After trouble

    @Test func aDegradedAccountRecoversByItself() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.unavailable()
        #expect(stage.session.current?.account.state == .degraded)
        stage.wait(seconds: 2)
        stage.refreshed("new")
        #expect(stage.session.current?.account.state == .active)
        stage.expectNoFaults()
    }

    /// A day offline: tried ever more rarely, every five minutes at last, and nobody is signed out.
    @Test func aDayOffline() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.unavailable()
        var tries = 1
        let end = stage.now.boot.advanced(bySeconds: 86_400)
        while let due = stage.session.nextDeadline, due < end {
            stage.wait(seconds: Double(due.nanoseconds - stage.now.boot.nanoseconds) / 1e9)
            stage.unavailable()
            tries += 1
        }
        #expect(86_400 / 300 < tries && tries < 86_400 / 150 + 20)
        #expect(stage.session.current?.account.state == .degraded)
        stage.happens { $0.networkChanged(world: $1) }
        stage.wait(seconds: 2)
        stage.refreshed("new")
        #expect(stage.token(of: stage.token())?.value == Secret("access-new"))
        stage.expectNoFaults()
    }

    @Test func theHostsRetryAfterIsKeptTo() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.unavailable(1000)
        for _ in 0..<100 {
            guard case .loginHostUnavailable(let seconds)? = stage.failure(of: stage.token()) else {
                Issue.record("not unavailable")
                return
            }
            #expect(seconds.map { 1000...1001 ~= $0 } == true)
        }
        stage.wait(seconds: 999)
        #expect(stage.refreshes.isEmpty)
        stage.wait(seconds: 2)
        #expect(stage.refreshes.count == 1)
    }

    @Test func anotherNetworkIsTriedAtOnce() {
        stage.suspend(seconds: 4000)
        stage.token()
        for _ in 0..<10 {
            stage.unavailable()
            stage.happens { $0.networkChanged(world: $1) }
            #expect(stage.refreshes.isEmpty)
            stage.wait(seconds: 2)
            #expect(stage.refreshes.count == 1)
        }
        stage.expectNoFaults()
    }

    /// It has answered, so it is not the network: where interfaces come and go all day, it would be asked all day.
    @Test func anotherNetworkIsNoReasonToAskAHostThatWantsToBeLeftAlone() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.unavailable(1000)
        for _ in 0..<99 {
            stage.happens { $0.networkChanged(world: $1) }
            stage.wait(seconds: 10)
        }
        #expect(stage.refreshes.isEmpty)
        stage.wait(seconds: 11)
        #expect(stage.refreshes.count == 1)
        stage.expectNoFaults()
    }

    @Test func anotherNetworkDisturbsNobodyWhoIsWell() {
        stage.token()
        stage.happens { $0.networkChanged(world: $1) }
        stage.wait(seconds: 10)
        #expect(stage.refreshes.isEmpty)
    }

    @Test func queuedRevocationsGoOutOnAnotherNetwork() {
        stage.logout("a1")
        let record = stage.finishRevocation(0)
        stage.happens { $0.revocationEnded(record.id, .unavailable(retryAfterSeconds: nil), world: $1) }
        stage.happens { $0.networkChanged(world: $1) }
        stage.wait(seconds: 2)
        #expect(stage.revocations.count == 1)
    }

    @Test func queuedRevocationsWaitForAHostThatWantsToBeLeftAlone() {
        stage.logout("a1")
        let record = stage.finishRevocation(0)
        stage.happens { $0.revocationEnded(record.id, .unavailable(retryAfterSeconds: 3000), world: $1) }
        stage.happens { $0.networkChanged(world: $1) }
        stage.wait(seconds: 2999)
        #expect(stage.revocations.isEmpty)
        stage.wait(seconds: 2)
        #expect(stage.revocations.count == 1)
    }

    @Test func aDegradedAccountIsTriedAfterARestart() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.unavailable(86_400)
        stage.crash()
        stage.wait(seconds: 2)
        #expect(stage.refreshes.count == 1)
        stage.expectNoFaults()
    }

    // MARK: An answer that was lost

    /// The token at hand is tried once more; the refusal then has a reason of its own.
    @Test(arguments: [false, true])
    func aLostAnswerIsNoSilentSignOut(crashes: Bool) {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.unavailable(mayBeSpent: true)
        if crashes { stage.crash() }
        stage.wait(seconds: 2)
        #expect(stage.refreshes.first?.refreshToken == Secret("refresh-a1"))
        let call = stage.token("a1")
        stage.refused()
        #expect(stage.failure(of: call) == .interactionRequired(reason: "refreshInterrupted"))
        #expect(stage.session.account("a1")?.reason == "refreshInterrupted")
        #expect(stage.session.account("a1")?.account.state == .loginRequired)
        stage.expectNoFaults()
    }

    @Test func anAnswerThatCameAfterAllClearsIt() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.unavailable(mayBeSpent: true)
        // Refused at the door this time: the first answer is as lost as before.
        stage.wait(seconds: 2)
        stage.unavailable()
        #expect(stage.ledger.accounts.first?.grant.isRefreshing == true)
        stage.wait(seconds: 4)
        stage.refreshed("new")
        #expect(stage.ledger.accounts.first?.grant.isRefreshing == false)
        stage.suspend(seconds: 4000)
        let call = stage.token("a1")
        stage.refused()
        #expect(stage.failure(of: call) == .interactionRequired(reason: "grantRefused"))
        stage.expectNoFaults()
    }
}
