import SceneModel
import Testing

@testable import SessionCore

@Suite struct LifetimeTests {
    private static let then = Moment(boot: Instant(nanoseconds: 1_000_000_000_000), wall: 1_800_000_000)

    @Test(arguments: [
        // boot passed, wall passed, same boot, left
        (0, 0, true, 3600), (100, 100, true, 3500), (3600, 3600, true, 0), (4000, 4000, true, -400),
        // Suspend counts on both clocks; a step of the wall clock makes nothing look fresh.
        (100, -100_000, true, 3500), (100, 5000, true, -1400), (4000, 0, true, -400),
        // After a reboot only the wall clock tells, unless it has gone back.
        (-900, 100, false, 3500), (5_000_000, 100, false, 3500), (-900, -1, false, 0), (-900, 0, false, 3600),
    ])
    func isTheShorterOfBothClocks(boot: Int, wall: Int, isSameBoot: Bool, left: Int) {
        let lifetime = Lifetime.test(3600, at: Self.then)
        #expect(lifetime.remaining(world(boot: boot, wall: wall, bootID: isSameBoot ? "boot-1" : "boot-2")) == left)
    }

    @Test(arguments: [Int.min, .max], [Int.min, .max])
    func absurdValuesDoNotTrap(seconds: Int, wall: Int) {
        for boot in [Int64.min, .max] {
            let obtained = Moment(boot: Instant(nanoseconds: boot), wall: wall)
            _ = Lifetime.test(seconds, at: obtained).remaining(world(boot: 0, wall: 0, bootID: "boot-1"))
        }
    }

    private func world(boot: Int, wall: Int, bootID: String) -> World {
        World(
            now: Moment(boot: Self.then.boot.advanced(bySeconds: boot), wall: Self.then.wall + wall), bootID: bootID,
            newIdentifier: { "" }, random: { 0 })
    }
}

@Suite struct TokensTests {
    private let stage = Stage(accounts: 2)

    @Test(arguments: [nil, #"{"sub":"a1","exp":2}"#])
    func claimsAreThoseOfTheLastIDToken(claims: String?) {
        let former = stage.session.accounts[0].claims
        _ = stage.token(rejected: "access-a1")
        let order = stage.finishRefresh(0)
        #expect(order.claims == former)
        var tokens = Refreshed.test("new")
        tokens.claims = claims
        stage.happens { [tokens] in
            $0.tokensRefreshed(order.account, generation: order.generation, tokens, world: $1)
        }
        #expect(stage.session.accounts[0].claims == claims ?? former)
    }

    /// Two refreshes are begun for an account whose grant was replaced meanwhile, and only one is its. That the other is none
    /// any more is known when all that was stored with it is.
    @Test func whatIsStoredTogetherIsKnownBeforeMoreIsDecided() {
        _ = stage.token("a2", rejected: "access-a2")
        _ = stage.requestLogin()
        stage.disk = .held
        stage.signIn("a1")
        stage.refreshed("a2-new")
        let waits = [stage.token("a1", rejected: "access-a1"), stage.token("a2", rejected: "access-a2")]
        stage.wait(seconds: 4000)
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.refreshes.map(\.account.id).sorted() == ["a1", "a2"])
        while !stage.refreshes.isEmpty { stage.refreshed("newer") }
        for call in waits { #expect(stage.token(of: call)?.value == Secret("access-newer")) }
        stage.expectNoFaults()
    }

    // MARK: Answers at once

    @Test func aTokenThatLivesIsGivenOut() {
        let call = stage.token()
        #expect(stage.token(of: call)?.value == Secret("access-a1"))
        #expect(stage.token(of: call)?.expiresInSeconds == 3600)
        #expect(stage.token(of: call)?.account.id == "a1")
        #expect(stage.token(of: stage.token("a2"))?.value == Secret("access-a2"))
        #expect(stage.refreshes.isEmpty)
    }

    @Test func whatCannotBeIsRefused() {
        let empty = Stage()
        #expect(empty.failure(of: empty.token()) == .notSignedIn)
        #expect(stage.failure(of: stage.token("x")) == .unknownAccount("x"))
        #expect(stage.failure(of: stage.token(validity: -1)) == .invalidParameter("minimumValiditySeconds"))
        stage.call { $0.lockRequested($1, true, world: $2) }
        #expect(stage.failure(of: stage.token()) == .sessionLocked)
    }

    @Test func aScopeThatWasNotGrantedNeedsTheUser() {
        var record = AccountRecord.test("a1")
        record.grant.scope = "openid email"
        let stage = Stage(
            StoredSession(key: .test, record: SessionRecord(epoch: "epoch", current: "a1"), accounts: [record]),
            policy: .test())
        #expect(stage.token(of: stage.token(scope: "email"))?.scope == "openid email")
        #expect(
            stage.failure(of: stage.token(scope: "email files"))
                == .interactionRequired(reason: "scopeNotGranted"))
    }

    @Test func withoutAnExpiryTheTokenIsTakenForGood() {
        var record = AccountRecord.test("a1")
        record.grant.lifetime = nil
        let stage = Stage(
            StoredSession(key: .test, record: SessionRecord(epoch: "epoch", current: "a1"), accounts: [record]),
            policy: .test())
        stage.suspend(seconds: 1_000_000)
        #expect(stage.token(of: stage.token(validity: 10_000)) != nil)
        #expect(stage.token(of: stage.token(validity: 10_000))?.expiresInSeconds == nil)
    }

    // MARK: One refresh

    @Test func oneRefreshServesAll() {
        stage.suspend(seconds: 3541)
        let calls = (0..<200).map { _ in stage.token() }
        #expect(stage.refreshes.count == 1)
        #expect(stage.refreshes.first?.refreshToken == Secret("refresh-a1"))
        #expect(stage.ledger.accounts.first?.grant.isRefreshing == true)
        stage.refreshed("new", refreshToken: "rotated")
        for call in calls { #expect(stage.token(of: call)?.value == Secret("access-new")) }
        let grant = stage.ledger.accounts.first?.grant
        #expect(grant?.refreshToken == Secret("rotated"))
        #expect(grant?.generation == 2)
        #expect(grant?.isRefreshing == false)
        #expect(grant?.idToken == Secret("id-a1"))
        stage.expectNoFaults()
    }

    @Test(arguments: [(3539, false), (3540, false), (3541, true)])
    func theMarginIsAMinute(passed: Int, refreshes: Bool) {
        stage.suspend(seconds: passed)
        stage.token()
        #expect(stage.refreshes.isEmpty == !refreshes)
    }

    @Test func neitherSuspendNorAClockStepMakesATokenLookFresh() {
        stage.stepClock(bySeconds: -100_000)
        stage.suspend(seconds: 3600)
        stage.token()
        #expect(stage.refreshes.count == 1)
    }

    @Test func nothingGoesOutBeforeTheIntentIsStored() {
        stage.disk = .held
        stage.suspend(seconds: 4000)
        let call = stage.token()
        #expect(stage.refreshes.isEmpty)
        stage.disk(works: true)
        #expect(stage.refreshes.count == 1)
        stage.refreshed("new")
        #expect(stage.outcomes[call] == nil)
        stage.disk(works: true)
        #expect(stage.token(of: call)?.value == Secret("access-new"))
    }

    @Test func withoutARotationTheRefreshTokenStays() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.refreshed("new")
        #expect(stage.ledger.accounts.first?.grant.refreshToken == Secret("refresh-a1"))
    }

    @Test func aRefusedTokenIsReplacedOnce() {
        let first = stage.token(rejected: "access-a1")
        let second = stage.token(rejected: "access-a1")
        #expect(stage.refreshes.count == 1)
        stage.refreshed("new")
        #expect(stage.token(of: first)?.value == Secret("access-new"))
        #expect(stage.token(of: second)?.value == Secret("access-new"))
        // One that heard late of the refusal gets what there is.
        #expect(stage.token(of: stage.token(rejected: "access-a1"))?.value == Secret("access-new"))
        #expect(stage.refreshes.isEmpty)
    }

    @Test func accountsAreRefreshedEachByItself() {
        stage.suspend(seconds: 4000)
        stage.token("a1")
        stage.token("a2")
        #expect(Set(stage.refreshes.map(\.account.id)) == ["a1", "a2"])
    }

    @Test func refreshesThatWaitTheirTurnAreStoredTogether() {
        let stage = Stage(accounts: 20)
        stage.suspend(seconds: 4000)
        stage.disk = .held
        let calls = (1...20).map { stage.token("a\($0)") }
        stage.disk(works: true)
        #expect(stage.refreshes.count == 1)
        stage.disk(works: true)
        #expect(stage.refreshes.map(\.account.id) == (1...20).map { "a\($0)" })
        for number in 1...20 { stage.refreshed("new\(number)") }
        stage.disk(works: true)
        stage.disk(works: true)
        #expect(stage.change == nil)
        #expect(
            calls.map { stage.token(of: $0)?.value } == (1...20).map { Secret("access-new\($0)") })
        #expect(stage.ledger.accounts.map(\.grant.generation) == Array(repeating: 2, count: 20))
        stage.expectNoFaults()
    }

    @Test func refreshesThatAreStoredTogetherFailTogether() {
        let stage = Stage(accounts: 20)
        stage.suspend(seconds: 4000)
        stage.disk = .held
        let calls = (1...20).map { stage.token("a\($0)") }
        stage.disk(works: true)
        stage.disk(works: false)
        #expect(stage.refreshes.count == 1)
        #expect(calls.filter { stage.failure(of: $0) == .storageUnavailable(reason: "full") }.count == 19)
        stage.disk = .works
        stage.refreshed("new1")
        #expect(stage.token(of: calls[0])?.value == Secret("access-new1"))
        stage.token("a2")
        #expect(stage.refreshes.map(\.account.id) == ["a2"])
        stage.expectNoFaults()
    }

    @Test func whoLeavesDoesNotStopTheRefresh() {
        stage.suspend(seconds: 4000)
        let call = stage.token()
        stage.hangUp(call)
        stage.refreshed("new")
        #expect(stage.ledger.accounts.first?.grant.accessToken == Secret("access-new"))
        stage.expectNoFaults()
    }

    // MARK: Trouble

    @Test func networkTroubleSignsNobodyOut() {
        let scene = stage.connect("s")
        stage.suspend(seconds: 3550)
        let call = stage.token()
        stage.unavailable()
        #expect(stage.token(of: call)?.value == Secret("access-a1"))
        #expect(stage.session.current?.account.state == .degraded)
        #expect(stage.session.pending == .nothing)
        #expect(stage.kinds(scene) == [.snapshot, .accountChanged])
        #expect(stage.audits.map(\.kind) == [.degraded])
        #expect(stage.ledger.accounts.first?.grant.isRefreshing == false)
        // No request while it backs off; a live token is given out, and an expired one is not.
        #expect(stage.token(of: stage.token()) != nil)
        stage.suspend(seconds: 1)
        #expect(stage.refreshes.isEmpty)
        stage.suspend(seconds: 100)
        let late = stage.token()
        #expect(stage.refreshes.count == 1)
        stage.unavailable(30)
        #expect(stage.failure(of: late) == .loginHostUnavailable(retryAfterSeconds: 30))
        #expect(stage.ledger.accounts.first?.grant.isRefreshing == false)
        if case .loginHostUnavailable(let seconds?) = stage.failure(of: stage.token()) {
            #expect((30...31).contains(seconds))
        } else {
            Issue.record("no answer at once")
        }
        stage.suspend(seconds: 31)
        stage.token()
        stage.refreshed("new")
        #expect(stage.session.current?.account.state == .active)
        #expect(stage.audits.last?.kind == .recovered)
        #expect(stage.kinds(scene) == [.snapshot, .accountChanged, .accountChanged])
        stage.expectNoFaults()
    }

    @Test func aRefusedTokenIsNotGivenOutAgain() {
        let call = stage.token(rejected: "access-a1")
        let other = stage.token(validity: 5000)
        stage.unavailable(60)
        #expect(stage.failure(of: call) == .loginHostUnavailable(retryAfterSeconds: 60))
        #expect(stage.token(of: other)?.value == Secret("access-a1"))
        if case .loginHostUnavailable = stage.failure(of: stage.token(rejected: "access-a1")) {
        } else {
            Issue.record("was answered")
        }
    }

    @Test func backoffGrowsAndIsForgotten() {
        stage.suspend(seconds: 4000)
        stage.random = 1
        for expected in [2, 4, 8, 16] {
            let call = stage.token()
            stage.unavailable()
            #expect(stage.failure(of: call) == .loginHostUnavailable(retryAfterSeconds: expected))
            stage.suspend(seconds: expected + 1)
        }
        stage.token()
        stage.refreshed("new", lives: 1)
        stage.suspend(seconds: 10)
        let call = stage.token()
        stage.unavailable()
        #expect(stage.failure(of: call) == .loginHostUnavailable(retryAfterSeconds: 2))
    }

    @Test func anAnswerThatIsNotInOrderIsToldAndSignsNobodyOut() {
        let failure = Failure.loginFailed(code: "invalid_token_response", description: "no access_token")
        stage.suspend(seconds: 4000)
        let call = stage.token()
        let order = stage.finishRefresh(0)
        stage.happens {
            $0.refreshUnavailable(
                order.account, generation: order.generation, retryAfterSeconds: nil, failure: failure, world: $1)
        }
        #expect(stage.failure(of: call) == failure)
        // Who asks while it is not asked again hears the same.
        #expect(stage.failure(of: stage.token()) == failure)
        #expect(stage.refreshes.isEmpty)
        #expect(stage.session.current?.account.state == .degraded)
        stage.suspend(seconds: 4)
        stage.token()
        stage.refreshed("new")
        #expect(stage.session.current?.account.state == .active)
        stage.expectNoFaults()
    }

    /// Of an answer that is not in order the refresh token is kept: the one before may be spent.
    @Test(arguments: [false, true]) func aRotatedRefreshTokenIsNotLost(isStoredLater: Bool) {
        let scene = stage.connect("s")
        let call = stage.token(rejected: "access-a1")
        let order = stage.finishRefresh(0)
        let faulty = Refreshed.faulty(refreshToken: "rotated")
        if isStoredLater { stage.disk = .full }
        stage.happens { $0.tokensRefreshed(order.account, generation: order.generation, faulty, world: $1) }
        if isStoredLater {
            guard case .storageUnavailable? = stage.failure(of: call) else {
                Issue.record("\(String(describing: stage.failure(of: call)))")
                return
            }
            stage.disk = .works
            stage.wait(seconds: 2.5)
        } else {
            #expect(stage.failure(of: call) == faulty.fault)
        }
        #expect(stage.session.current?.grant.refreshToken == Secret("rotated"))
        #expect(stage.session.current?.grant.isRefreshing == false)
        // What lives is given out; what came with it is not.
        #expect(stage.token(of: stage.token())?.value == Secret("access-a1"))
        #expect(stage.failure(of: stage.token(rejected: "access-a1")) == faulty.fault)
        #expect(stage.kinds(scene) == [.snapshot, .accountChanged])
        #expect(stage.streams[scene]?.events.last?.account?.state == .degraded)
        // It is tried again by itself, with the new one.
        stage.wait(seconds: 3)
        #expect(stage.refreshes.first?.refreshToken == Secret("rotated"))
        stage.refreshed("new")
        #expect(stage.session.current?.account.state == .active)
        #expect(stage.revocations.isEmpty)
        stage.expectNoFaults()
    }

    @Test func aRotatedRefreshTokenThatComesLateIsRevoked() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.logout("a1")
        let order = stage.finishRefresh(0)
        let faulty = Refreshed.faulty(refreshToken: "rotated")
        stage.happens { $0.tokensRefreshed(order.account, generation: order.generation, faulty, world: $1) }
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("refresh-a1"), Secret("rotated")])
        stage.expectNoFaults()
    }

    @Test func tokensOfNobodyKnownAreRevoked() {
        let tokens = RevocableTokens(clientID: "scene", accessToken: Secret("a"), refreshToken: Secret("r"))
        stage.happens { $0.unusableTokensReceived(Account(loginHost: "h"), tokens, world: $1) }
        #expect(stage.revocations.map(\.record.reason) == ["notVerified"])
        #expect(stage.session.revocations.map(\.refreshToken) == [Secret("r")])
        let none = RevocableTokens(clientID: "scene", accessToken: nil, refreshToken: nil)
        stage.happens { $0.unusableTokensReceived(Account(loginHost: "h"), none, world: $1) }
        #expect(stage.revocations.count == 1)
        stage.expectNoFaults()
    }

    /// A login host whose tokens have ended when they come is asked once a second, however many ask.
    @Test func tokensThatHaveEndedWhenTheyComeAreNoStorm() {
        let first = stage.token(rejected: "access-a1")
        stage.refreshed("0", lives: 0)
        #expect(stage.token(of: first)?.expiresInSeconds == 0)
        for second in 1...5 {
            for _ in 0..<10 {
                #expect(stage.token(of: stage.token())?.value == Secret("access-\(second - 1)"))
                #expect(stage.refreshes.isEmpty)
            }
            stage.wait(seconds: 1)
            let calls = (0..<10).map { _ in stage.token() }
            #expect(stage.refreshes.count == 1)
            stage.refreshed("\(second)", lives: 0)
            for call in calls { #expect(stage.token(of: call)?.value == Secret("access-\(second)")) }
        }
        // What a resource has refused is another matter.
        stage.token(rejected: "access-5")
        #expect(stage.refreshes.count == 1)
        stage.expectNoFaults()
    }

    @Test func theLoginHostsOwnRefusalNeedsTheUser() {
        let scene = stage.connect("s")
        stage.suspend(seconds: 3550)
        let call = stage.token()
        stage.refused()
        #expect(stage.failure(of: call) == .interactionRequired(reason: "grantRefused"))
        #expect(stage.failure(of: stage.token()) == .interactionRequired(reason: "grantRefused"))
        #expect(stage.session.pending == .login)
        #expect(stage.kinds(scene) == [.snapshot, .loginRequired])
        #expect(stage.streams[scene]?.events.last?.account?.id == "a1")
        #expect(stage.streams[scene]?.events.last?.reason == "grantRefused")
        let login = stage.loginIfRequired()
        #expect(stage.login?.loginHint == "user-a1")
        stage.signIn("a1")
        #expect(stage.progress(of: login)?.account?.state == .active)
        #expect(stage.token(of: stage.token()) != nil)
        stage.expectNoFaults()
    }

    @Test func aBackgroundRefusalDisturbsNobody() {
        let scene = stage.connect("s")
        stage.suspend(seconds: 4000)
        stage.token("a2")
        stage.refused()
        #expect(stage.session.pending == .nothing)
        #expect(stage.kinds(scene) == [.snapshot, .loginRequired])
        stage.expectNoFaults()
    }

    @Test func aRefreshThatWasCutShortIsNamed() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.crash()
        #expect(stage.session.current?.grant.isRefreshing == true)
        let call = stage.token()
        stage.refused()
        #expect(stage.failure(of: call) == .interactionRequired(reason: "refreshInterrupted"))
        // What happens to the next grant has nothing to do with it.
        stage.loginIfRequired()
        stage.signIn("a1")
        let next = stage.token(rejected: "access-new-a1")
        stage.refused()
        #expect(stage.failure(of: next) == .interactionRequired(reason: "grantRefused"))
    }

    @Test func aNewSignInForgetsTheInterruption() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.crash()
        stage.requestLogin()
        stage.signIn("a1")
        let call = stage.token(rejected: "access-new-a1")
        stage.refused()
        #expect(stage.failure(of: call) == .interactionRequired(reason: "grantRefused"))
    }

    @Test func withoutARefreshTokenALiveTokenIsAllThereIs() {
        let record = AccountRecord.test("a1", refreshToken: nil)
        let stage = Stage(
            StoredSession(key: .test, record: SessionRecord(epoch: "epoch", current: "a1"), accounts: [record]),
            policy: .test())
        stage.suspend(seconds: 3590)
        #expect(stage.token(of: stage.token())?.expiresInSeconds == 10)
        stage.suspend(seconds: 10)
        #expect(stage.failure(of: stage.token()) == .interactionRequired(reason: "noRefreshToken"))
        #expect(stage.session.pending == .login)
        #expect(stage.refreshes.isEmpty)
    }

    @Test func tokensThatExpireBeforeTheyAreStoredAreRefreshedOnceMore() {
        stage.suspend(seconds: 4000)
        let call = stage.token()
        stage.disk = .held
        for name in ["first", "second"] {
            while stage.refreshes.isEmpty { stage.disk(works: true) }
            stage.refreshed(name, lives: 60)
            #expect(stage.outcomes[call] == nil)
            stage.suspend(seconds: 61)
            stage.disk(works: true)
        }
        // A login host whose tokens never live long enough is not asked for ever.
        #expect(stage.failure(of: call) == .loginHostUnavailable(retryAfterSeconds: 1))
        #expect(stage.refreshes.isEmpty)
        stage.expectNoFaults()
    }

    @Test func tokensThatCouldNotBeStoredAreRevokedWhenANewSignInReplacesThem() {
        stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.suspend(seconds: 4000)
        stage.token()
        stage.disk = .full
        stage.refreshed("kept", refreshToken: "kept")
        stage.disk = .works
        var signIn = SignIn.test("a1")
        signIn.grant.lifetime = .test(3600, at: stage.now)
        stage.happens { $0.tokensReceived(1, signIn, world: $1) }
        #expect(stage.revocations.contains { $0.record.refreshToken == Secret("kept") })
        // Nothing is left that could take the place of what the new grant's refresh may have to keep.
        stage.token(rejected: "access-new-a1")
        stage.disk = .full
        stage.refreshed("newer", refreshToken: "newer")
        stage.disk = .works
        stage.wait(seconds: 10)
        #expect(stage.session.current?.grant.refreshToken == Secret("newer"))
        stage.expectNoFaults()
    }

    // MARK: Fences

    @Test func aLogoutFencesARefreshOff() {
        stage.suspend(seconds: 4000)
        let call = stage.token()
        stage.logout("a1")
        #expect(stage.failure(of: call) == .unknownAccount("a1"))
        stage.refreshed("late", refreshToken: "late")
        #expect(!stage.session.accounts.contains { $0.account.id == "a1" })
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("refresh-a1"), Secret("late")])
        stage.expectNoFaults()
    }

    @Test func aLogoutBehindNewTokensFencesThemOff() {
        stage.suspend(seconds: 4000)
        let call = stage.token()
        stage.disk = .held
        stage.logout("a1")
        stage.refreshed("late", refreshToken: "late")
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.failure(of: call) == .unknownAccount("a1"))
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("refresh-a1"), Secret("late")])
        stage.expectNoFaults()
    }

    @Test func aNewSignInFencesARefreshOff() {
        stage.suspend(seconds: 4000)
        let call = stage.token()
        stage.requestLogin()
        stage.signIn("a1")
        #expect(stage.token(of: call)?.value == Secret("access-new-a1"))
        let order = stage.finishRefresh(0)
        stage.happens {
            $0.refreshRefused(order.account, generation: order.generation, code: "invalid_grant", world: $1)
        }
        stage.happens {
            $0.refreshUnavailable(order.account, generation: order.generation, retryAfterSeconds: nil, world: $1)
        }
        #expect(stage.session.current?.account.state == .active)
        stage.happens {
            $0.tokensRefreshed(
                order.account, generation: order.generation, .test("late", refreshToken: "late"), world: $1)
        }
        #expect(stage.session.current?.grant.accessToken == Secret("access-new-a1"))
        #expect(stage.revocations.contains { $0.record.refreshToken == Secret("late") })
        stage.expectNoFaults()
    }

    @Test func troubleWithAnOldGrantIsNoTroubleWithANewOne() {
        stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.suspend(seconds: 4000)
        stage.token()
        stage.disk = .held
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        // While the new grant is on its way to the disk.
        stage.unavailable()
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.session.current?.grant.generation == 2)
        #expect(stage.session.current?.account.state == .active)
        stage.expectNoFaults()
    }

    @Test func aRefreshBeforeAndOneAfterASignInAreOneAtATime() {
        let stage = Stage(accounts: 1)
        stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.suspend(seconds: 4000)
        stage.disk = .held
        // In flight and in the queue: the sign-in, another change, the old grant's refresh.
        var signIn = SignIn.test("a1")
        signIn.grant.lifetime = .test(3600, at: stage.now)
        stage.happens { $0.tokensReceived(1, signIn, world: $1) }
        stage.call { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        let old = stage.token("a1")
        stage.disk(works: true)
        // The new grant is there, and the old intent's turn has not come: another one behind it.
        #expect(stage.outcomes[old] != nil)
        let new = stage.token("a1", rejected: "access-new-a1")
        while stage.change != nil { stage.disk(works: true) }
        #expect(stage.refreshes.count == 1)
        stage.disk = .works
        let order = stage.finishRefresh(0)
        #expect(order.generation == 2)
        stage.happens {
            $0.tokensRefreshed(order.account, generation: 2, .test("newest"), world: $1)
        }
        #expect(stage.token(of: new)?.value == Secret("access-newest"))
        stage.expectNoFaults()
    }

    @Test func lateTokensDoNotAnswerForANewerRefresh() {
        let stage = Stage(accounts: 1)
        stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.suspend(seconds: 4000)
        stage.token("a1")
        let order = stage.finishRefresh(0)
        stage.disk = .held
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        stage.happens {
            $0.tokensRefreshed(
                order.account, generation: 1, .test("late", refreshToken: "late"), world: $1)
        }
        stage.disk(works: true)
        let call = stage.token("a1", rejected: "access-new-a1")
        while stage.change != nil { stage.disk(works: true) }
        #expect(stage.outcomes[call] == nil)
        #expect(stage.refreshes.map(\.generation) == [2])
        #expect(stage.revocations.contains { $0.record.refreshToken == Secret("late") })
        stage.expectNoFaults()
    }

    // MARK: A disk that does not work

    @Test func anIntentThatCannotBeStoredSendsNothing() {
        stage.suspend(seconds: 4000)
        stage.disk = .full
        #expect(stage.failure(of: stage.token()) == .storageUnavailable(reason: "full"))
        #expect(stage.refreshes.isEmpty)
        stage.disk = .works
        stage.token()
        #expect(stage.refreshes.count == 1)
    }

    @Test func tokensThatCannotBeStoredAreKept() {
        stage.suspend(seconds: 4000)
        let call = stage.token()
        stage.disk = .full
        stage.refreshed("new", refreshToken: "rotated")
        #expect(stage.failure(of: call) == .storageUnavailable(reason: "full"))
        let waits = stage.token()
        #expect(stage.refreshes.isEmpty)
        stage.wait(seconds: 3)
        #expect(stage.failure(of: waits) == .storageUnavailable(reason: "full"))
        stage.disk = .works
        let last = stage.token()
        stage.wait(seconds: 3)
        #expect(stage.token(of: last)?.value == Secret("access-new"))
        #expect(stage.ledger.accounts.first?.grant.refreshToken == Secret("rotated"))
        stage.expectNoFaults()
    }

    @Test func keptTokensOfSomebodyWhoSignedOutAreRevoked() {
        stage.suspend(seconds: 4000)
        stage.token()
        stage.disk = .full
        stage.refreshed("new", refreshToken: "rotated")
        stage.disk = .works
        stage.logout("a1")
        // A stop waits for them.
        #expect(stage.session.isBusy)
        stage.wait(seconds: 3)
        #expect(!stage.session.isBusy)
        #expect(stage.revocations.contains { $0.record.refreshToken == Secret("rotated") })
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    @Test func aRefusalThatCannotBeStoredIsTriedAgain() {
        stage.suspend(seconds: 4000)
        let call = stage.token()
        stage.disk = .full
        stage.refused()
        #expect(stage.failure(of: call) == .storageUnavailable(reason: "full"))
        stage.disk = .works
        let again = stage.token()
        stage.refused()
        #expect(stage.failure(of: again) == .interactionRequired(reason: "grantRefused"))
    }

    @Test func aLockedSessionGivesOutNoToken() {
        stage.suspend(seconds: 4000)
        let call = stage.token()
        stage.call { $0.lockRequested($1, true, world: $2) }
        #expect(stage.failure(of: call) == .sessionLocked)
        stage.refreshed("new", refreshToken: "rotated")
        #expect(stage.ledger.accounts.first?.grant.refreshToken == Secret("rotated"))
        stage.expectNoFaults()
    }
}
