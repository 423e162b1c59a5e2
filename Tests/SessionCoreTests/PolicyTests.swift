import SceneModel
import Testing

@testable import SessionCore

/// Each way in which accounts leave, under each policy, with any number of accounts left: one decision, the same for all.
@Suite struct PolicyTests {
    enum Way: CaseIterable, Sendable {
        /// Of the current user, of another, and of a current user whose grant the login host had refused before.
        case logout, logoutOfAnother, logoutOfOneRefused
        case logoutAll, logoutUser
        /// No logout at all: the login host refuses the current user's grant, and the account stays.
        case refusal
    }

    struct Case: CustomStringConvertible, Sendable {
        var policy: AppPolicy.AfterLogout
        var left: Int
        var way: Way
        var description: String { "\(way) under \(policy), \(left) left" }
    }

    /// Of a logout of all, `left` is how many there are besides the current user.
    static let cases = AppPolicy.AfterLogout.allCases.flatMap { policy in
        Way.allCases.flatMap { way in
            // Where another leaves, the current user is left.
            ((way == .logoutOfAnother ? 1 : 0)...3).map { Case(policy: policy, left: $0, way: way) }
        }
    }

    private struct Expected {
        var kinds: [Event.Kind]
        var pending = Pending.nothing
        var current: String?
    }

    private func expected(_ test: Case) -> Expected {
        let decision: Expected
        let left = [.logoutAll, .logoutUser].contains(test.way) ? 0 : test.left
        switch (test.policy, left) {
        case (.follow, 1): decision = Expected(kinds: [], current: "a2")
        case (.none, _): decision = Expected(kinds: [])
        case (.login, _), (_, 0): decision = Expected(kinds: [.loginRequired], pending: .login)
        case (.follow, _), (.select, _): decision = Expected(kinds: [.selectionRequired], pending: .selection)
        }
        let gone: [Event.Kind] = [.loggedOut, .currentUserChanged]
        switch test.way {
        case .logout:
            return Expected(kinds: gone + decision.kinds, pending: decision.pending, current: decision.current)
        case .logoutOfOneRefused:
            return Expected(
                kinds: [.loginRequired] + gone + decision.kinds, pending: decision.pending, current: decision.current)
        case .logoutOfAnother: return Expected(kinds: [.loggedOut], current: "a1")
        case .logoutAll, .logoutUser:
            let all = Array(repeating: Event.Kind.loggedOut, count: test.left + 1)
            return Expected(kinds: all + [.currentUserChanged] + decision.kinds, pending: decision.pending)
        case .refusal: return Expected(kinds: [.loginRequired], pending: .login, current: "a1")
        }
    }

    private func refuse(_ stage: Stage) {
        stage.token("a1", rejected: "access-a1")
        let order = stage.finishRefresh(0)
        stage.happens { $0.refreshRefused(order.account, generation: 1, code: "invalid_grant", world: $1) }
    }

    private func happens(_ way: Way, _ stage: Stage) {
        switch way {
        case .logout: stage.logout("a1", reason: "enough")
        case .logoutOfAnother: stage.logout("a2")
        case .logoutOfOneRefused:
            refuse(stage)
            stage.logout("a1")
        case .logoutAll: stage.call { $0.logoutAllRequested($1, reason: nil, world: $2) }
        case .logoutUser: stage.call { $0.logoutAllRequested($1, reason: nil, byUser: true, world: $2) }
        case .refusal: refuse(stage)
        }
    }

    @Test(arguments: cases) func oneDecisionIsToldToAllScenes(_ test: Case) {
        let stage = Stage(accounts: test.left + 1, policy: .test(test.policy))
        let scenes = ["s", "t", "u"].map { stage.connect($0) }
        var changes = 0
        stage.onStored = { if !$0.events.isEmpty { changes += 1 } }
        happens(test.way, stage)
        let expected = expected(test)
        #expect(stage.session.pending == expected.pending)
        #expect(stage.session.current?.account.id == expected.current)
        // Whatever goes, it is one change, so that nobody sees half of it.
        #expect(changes == (test.way == .logoutOfOneRefused ? 2 : 1))
        for scene in scenes {
            #expect(Array(stage.kinds(scene).dropFirst()) == expected.kinds)
            let event = stage.streams[scene]?.events.first { $0.kind == .loggedOut }
            switch test.way {
            case .logout: #expect(event?.account?.id == "a1" && event?.reason == "enough")
            case .logoutOfAnother: #expect(event?.account?.id == "a2" && event?.reason == "signedOut")
            case .logoutOfOneRefused, .logoutAll, .logoutUser: #expect(event?.account?.id == "a1")
            case .refusal: #expect(event == nil)
            }
            #expect(stage.streams[scene]?.events.dropFirst() == stage.streams[scenes[0]]?.events.dropFirst())
        }
        stage.expectNoFaults()

        // And it stays, whoever leaves, and whatever happens to the daemon.
        for scene in scenes { stage.hangUp(scene) }
        stage.crash()
        #expect(stage.session.pending == expected.pending)
        #expect(stage.session.current?.account.id == expected.current)
        let back = stage.connect("s")
        #expect(stage.streams[back]?.events.first?.snapshot?.pending == expected.pending)
        stage.expectNoFaults()
    }

    @Test(arguments: cases) func handleLogoutCompletesAsThePolicySays(_ test: Case) {
        let stage = Stage(accounts: test.left + 1, policy: .test(test.policy))
        stage.connect("s")
        happens(test.way, stage)
        let handling = stage.call(scene: "s", streams: true) {
            $0.logoutHandled($1, options: LoginOptions(), world: $2)
        }
        let expected = expected(test)
        switch expected.pending {
        case .nothing where expected.current == nil:
            #expect(stage.failure(of: handling) == .notSignedIn)
        case .nothing:
            #expect(stage.progress(of: handling)?.account?.id == expected.current)
        case .selection:
            #expect(stage.told[handling]?.map(\.state) == [.selecting])
            #expect(stage.login == nil)
            stage.call { $0.switchRequested($1, account: "a\(test.left + 1)", world: $2) }
            #expect(stage.progress(of: handling)?.account?.id == "a\(test.left + 1)")
        case .login:
            // Who has to sign in again, rather than anybody.
            #expect(stage.login?.loginHint == expected.current.map { "user-\($0)" })
            stage.signIn("b")
            #expect(stage.progress(of: handling)?.account?.subject == "sub-b")
        }
        stage.expectNoFaults()
    }

    // MARK: While something is pending

    @Test(arguments: AppPolicy.AfterLogout.allCases) func whoLeavesWhileNobodyIsCurrent(policy: AppPolicy.AfterLogout) {
        let stage = Stage(accounts: 4, policy: .test(policy))
        stage.logout("a1")
        let scene = stage.connect("s")
        stage.logout("a2")
        let kinds: [Event.Kind] = [.snapshot, .loggedOut]
        let isChoice = policy == .follow || policy == .select
        #expect(stage.kinds(scene) == kinds + (isChoice ? [.selectionRequired] : []))
        stage.call { $0.logoutAllRequested($1, reason: nil, world: $2) }
        let last = stage.kinds(scene).dropFirst(isChoice ? 3 : 2)
        #expect(last == [.loggedOut, .loggedOut] + (isChoice ? [.loginRequired] : []))
        #expect(stage.session.pending == (policy == .none ? .nothing : .login))
        stage.expectNoFaults()
    }

    @Test func whoIsLeftAndHasNoGrantBecomesCurrentAndHasToSignIn() {
        let records = [AccountRecord.test("a1"), .test("a2", state: .loginRequired)]
        let stage = Stage(
            StoredSession(key: .test, record: SessionRecord(epoch: "epoch", current: "a1"), accounts: records),
            policy: .test())
        let scene = stage.connect("s")
        stage.logout("a1")
        #expect(stage.streams[scene]?.events.last?.current?.state == .loginRequired)
        #expect(stage.session.pending == .login)
        let call = stage.loginIfRequired("s")
        #expect(stage.login?.loginHint == "user-a2")
        stage.signIn("a2")
        #expect(stage.progress(of: call)?.account?.id == "a2")
        stage.expectNoFaults()
    }

    @Test func waitsFollowADecisionThatIsTakenAgain() {
        let stage = Stage(accounts: 3)
        stage.logout("a1")
        let call = stage.loginIfRequired()
        #expect(stage.told[call]?.last?.accounts?.map(\.id) == ["a2", "a3"])
        stage.call { $0.logoutAllRequested($1, reason: nil, world: $2) }
        // The choice is gone; what it waits for is a login now.
        stage.present()
        #expect(stage.told[call]?.map(\.state) == [.selecting, .presenting])
        stage.signIn("b")
        #expect(stage.progress(of: call)?.account?.subject == "sub-b")
        stage.expectNoFaults()
    }

    // MARK: Somebody else than expected

    @Test func whoSignsInInPlaceOfTheOneHintedIsCurrent() {
        let stage = Stage(accounts: 2, policy: .test(.follow))
        refuse(stage)
        let calls = [stage.loginIfRequired(), stage.loginIfRequired(streams: false)]
        #expect(stage.login?.loginHint == "user-a1")
        stage.signIn("b")
        for call in calls { #expect(stage.progress(of: call)?.account?.subject == "sub-b") }
        // The one who was to sign in is there as before, and nobody's tokens were revoked.
        #expect(stage.session.accounts.map(\.account.state) == [.loginRequired, .active, .active])
        #expect(stage.revocations.isEmpty)
        stage.expectNoFaults()
    }

    @Test(arguments: [true, false]) func signingABackgroundAccountInAgainMakesItCurrent(isSelecting: Bool) {
        let stage = Stage(accounts: 3, policy: .test(.select))
        if isSelecting { stage.logout("a1") }
        let scene = stage.connect("s")
        let call = stage.requestLogin()
        stage.signIn("a3")
        #expect(stage.progress(of: call)?.account?.id == "a3")
        #expect(stage.session.current?.account.id == "a3")
        #expect(stage.session.pending == .nothing)
        #expect(
            stage.kinds(scene) == [.snapshot, .loginStarted, .loggedIn, .currentUserChanged, .loginEnded])
        #expect(stage.revocations.filter { $0.record.reason == "replaced" }.count == 1)
        #expect(stage.revocations.last?.record.refreshToken == Secret("refresh-a3"))
        stage.expectNoFaults()
    }

    @Test func aSwitchLeavesALoginThatSomebodyAskedFor() {
        let stage = Stage(accounts: 2, policy: .test(.login))
        stage.logout("a1")
        stage.connect("s")
        let required = stage.loginIfRequired("s")
        let added = stage.requestLogin()
        stage.present()
        stage.call { $0.switchRequested($1, account: "a2", world: $2) }
        #expect(stage.progress(of: required)?.account?.id == "a2")
        // It has its presenter no more, and goes on with another.
        #expect(stage.told[added]?.last?.state == .presenting)
        stage.signIn("b")
        #expect(stage.progress(of: added)?.account?.subject == "sub-b")
        #expect(stage.session.current?.account.subject == "sub-b")
        stage.expectNoFaults()
    }

    // MARK: Tokens that come late

    /// What is under way for the account when it is signed out, and how far it has got.
    enum UnderWay: CaseIterable, Sendable {
        case login, loginBeingStored, refresh, refreshBeingStored
    }

    @Test(arguments: [Way.logout, .logoutAll, .logoutUser], UnderWay.allCases)
    func whatIsUnderWayDoesNotBringAUserBack(way: Way, underWay: UnderWay) {
        let stage = Stage(accounts: 2)
        let scene = stage.connect("s")
        let isLogin = underWay == .login || underWay == .loginBeingStored
        let call = isLogin ? stage.requestLogin("s") : stage.token("a1", rejected: "access-a1")
        stage.present()
        stage.comeBack()
        // The logout is decided first, and what comes meanwhile waits for its turn behind it.
        if underWay == .loginBeingStored || underWay == .refreshBeingStored { stage.disk = .held }
        happens(way, stage)
        if isLogin {
            stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        } else {
            let order = stage.finishRefresh(0)
            stage.happens {
                $0.tokensRefreshed(order.account, generation: 1, .test("late", refreshToken: "new-a1"), world: $1)
            }
        }
        if stage.change != nil {
            stage.disk = .works
            stage.disk(works: true)
        }
        let left = way == .logout ? ["a2"] : []
        #expect(stage.session.accounts.map(\.account.id) == left)
        #expect(stage.kinds(scene).filter { $0 == .loggedIn }.isEmpty)
        #expect(
            stage.failure(of: call)
                == (isLogin ? .loginFailed(code: "signedOut", description: nil) : .unknownAccount("a1")))
        // Both grants end at the login host, and each is told once.
        let revoked = stage.revocations.map(\.record.refreshToken).filter { $0 != Secret("refresh-a2") }
        #expect(revoked == [Secret("refresh-a1"), Secret("new-a1")])
        stage.expectNoFaults()
    }

    /// Somebody new has signed in at the login host, or is about to, when everybody is signed out.
    @Test(arguments: [Way.logoutAll, .logoutUser], [(0, true), (0, false), (1, true), (1, false)])
    func everybodyIsWhoeverHasSignedIn(way: Way, before: (accounts: Int, isBack: Bool)) {
        let isBack = before.isBack
        let stage = Stage(accounts: before.accounts)
        let call = stage.requestLogin()
        stage.present()
        if isBack { stage.comeBack() }
        happens(way, stage)
        stage.signIn("new")
        if isBack {
            #expect(stage.failure(of: call) == .loginFailed(code: "signedOut", description: nil))
            #expect(stage.session.accounts.isEmpty)
            #expect(stage.revocations.contains { $0.record.refreshToken == Secret("new-new") })
        } else {
            #expect(stage.progress(of: call)?.account?.username == "user-new")
        }
        stage.expectNoFaults()
    }

    /// The sign-in waits for the disk behind the logout.
    @Test(arguments: [Way.logoutAll, .logoutUser], [0, 1])
    func alsoWhileTheyWaitForTheDisk(way: Way, accounts: Int) {
        let stage = Stage(accounts: accounts)
        let call = stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.disk = .held
        stage.call { $0.lockRequested($1, true, world: $2) }
        happens(way, stage)
        stage.happens { $0.tokensReceived(1, .test("new"), world: $1) }
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.failure(of: call) == .loginFailed(code: "signedOut", description: nil))
        #expect(stage.session.accounts.isEmpty)
        stage.expectNoFaults()
    }

    @Test func whoIsSignedOutForAnotherReasonIsNobodyElse() {
        let stage = Stage(accounts: 1)
        let call = stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.logout("a1")
        stage.signIn("new")
        #expect(stage.progress(of: call)?.account?.username == "user-new")
        stage.expectNoFaults()
    }

    @Test func lateTokensAreRevokedAsTheClientThatAskedForThem() {
        let stage = Stage(accounts: 1)
        stage.token("a1", rejected: "access-a1")
        let order = stage.finishRefresh(0)
        stage.logout("a1")
        var tokens = Refreshed.test("late", refreshToken: "late")
        tokens.clientID = "former"
        stage.happens { $0.tokensRefreshed(order.account, generation: 1, tokens, world: $1) }
        #expect(stage.session.accounts.isEmpty)
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("refresh-a1"), Secret("late")])
        #expect(stage.revocations.map(\.record.clientID) == ["scene", "former"])
        stage.expectNoFaults()
    }
}
