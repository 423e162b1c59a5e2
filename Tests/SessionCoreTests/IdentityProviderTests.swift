import SceneModel
import Testing

@testable import SessionCore

private func options(_ fill: (inout LoginOptions) -> Void) -> LoginOptions {
    var options = LoginOptions()
    fill(&options)
    return options
}

/// A login of one app through another: asked, answered once, in time, by a scene of the provider's.
@Suite struct IdentityProviderTests {
    @Test func theSecondAppSignsInAsWhoWasPicked() throws {
        let apps = TwoApps()
        let call = apps.logIn()
        #expect(apps.asker.told[call]?.last?.state == .waiting)
        #expect(apps.asker.told[call]?.last?.identityProvider == "notes")
        #expect(apps.asker.login == nil)
        let event = try #require(apps.provider.session.history.newest(.authorizationRequested))
        #expect(event.requestingApp == "mail" && event.presenter == "p1")

        let answer = apps.approve("a2")
        let order = try #require(apps.asker.login)
        #expect(order.host == AppPolicy.production && order.loginHint == "user-a2")
        #expect(order.idTokenHint == Secret("id-a2"))
        #expect(apps.provider.outcomes[answer] == nil)
        apps.then { apps.asker.present() }
        #expect(apps.page(of: answer) == Stage.page)
        #expect(apps.asker.told[call]?.allSatisfy { $0.state == .waiting } == true)
        apps.then { apps.asker.signIn("a2") }
        #expect(apps.asker.progress(of: call)?.account?.username == "user-a2")
        #expect(apps.provider.session.authorizations.isEmpty)
        #expect(apps.provider.session.history.newest(.authorizationEnded)?.reason == "approved")
        #expect(apps.provider.session.accounts.count == 2)
        apps.expectNoFaults()
    }

    @Test func whoGoesBackFromTheLoginScreenIsAskedAgain() throws {
        let apps = TwoApps()
        let call = apps.logIn(nil, options { $0.local = true })
        apps.then { apps.asker.present() }
        #expect(apps.asker.session.canReturnToProvider && apps.request == nil)
        let started = apps.asker.session.history.newest(.loginStarted)?.at
        apps.then { _ = apps.asker.call { $0.returnedToProvider($1, world: $2) } }
        #expect(apps.asker.login == nil && apps.asker.keptPage == nil)
        #expect(apps.asker.told[call]?.last?.state == .waiting)
        #expect(apps.asker.told[call]?.last?.identityProvider == "notes")
        #expect(!apps.asker.session.canReturnToProvider)
        let first = try #require(apps.request)
        let answer = apps.approve("a2")
        apps.then { apps.asker.present() }
        #expect(apps.page(of: answer) == Stage.page)

        // Somebody else after all.
        apps.then { _ = apps.asker.call { $0.returnedToProvider($1, world: $2) } }
        #expect(apps.request != first)
        #expect(apps.provider.session.authorizations.keys.sorted() == [apps.request])
        apps.approve("a1")
        apps.then { apps.asker.present() }
        apps.then { apps.asker.signIn("a1") }
        #expect(apps.asker.progress(of: call)?.account?.username == "user-a1")
        // All that time it was one login.
        #expect(apps.asker.session.history.newest(.loginStarted)?.at == started)
        apps.expectNoFaults()
    }

    @Test func whoCannotGoBackStays() {
        let apps = TwoApps()
        _ = apps.logIn(nil, options { $0.force = true })
        apps.then { apps.asker.present() }
        #expect(!apps.asker.session.canReturnToProvider)
        apps.then { _ = apps.asker.call { $0.returnedToProvider($1, world: $2) } }
        #expect(apps.asker.login != nil && apps.request == nil)
        apps.expectNoFaults()
    }

    @Test func whatIsDeniedEndsSoForWhoAskedOnly() {
        let apps = TwoApps()
        let call = apps.logIn()
        let answer = apps.deny()
        #expect(apps.asker.failure(of: call) == .loginFailed(code: "access_denied", description: nil))
        if case .reply(.denied) = apps.provider.outcomes[answer] {} else { Issue.record("not answered") }
        #expect(apps.asker.session.history.newest(.loginEnded)?.reason == "access_denied")
        #expect(apps.provider.session.history.newest(.authorizationEnded)?.reason == "denied")
        let other = apps.logIn()
        apps.deny(code: "account_unusable", description: "ask the office")
        #expect(
            apps.asker.failure(of: other)
                == .loginFailed(code: "account_unusable", description: "ask the office"))
        apps.expectNoFaults()
    }

    @Test func nobodyAnswersInTime() {
        let apps = TwoApps()
        let call = apps.logIn()
        let request = apps.request
        apps.wait(seconds: Double(Bounds.authorization) - 1)
        #expect(apps.asker.outcomes[call] == nil)
        apps.wait(seconds: 1)
        #expect(apps.asker.failure(of: call) == .loginFailed(code: "authorizationExpired", description: nil))
        #expect(apps.provider.session.history.newest(.authorizationEnded)?.reason == "expired")
        let late = apps.approve(request: request)
        #expect(apps.provider.failure(of: late) == .unknownRequest(request ?? ""))
        #expect(apps.asker.session.login == nil)
        apps.expectNoFaults()
    }

    /// The machine slept through it: no timer has fired, and the answer is late all the same.
    @Test func timeCountsWhereNoTimerFired() {
        let apps = TwoApps()
        _ = apps.logIn()
        apps.provider.suspend(seconds: Bounds.authorization)
        let late = apps.approve()
        #expect(apps.provider.failure(of: late) == .unknownRequest(apps.request ?? ""))
    }

    @Test func anAnswerCountsOnce() {
        let apps = TwoApps()
        let call = apps.logIn()
        let request = apps.request ?? ""
        apps.approve("a1")
        for again in [apps.approve("a2", request: request), apps.deny(request: request)] {
            #expect(apps.provider.failure(of: again) == .unknownRequest(request))
        }
        apps.then { apps.asker.signIn("a1") }
        #expect(apps.asker.progress(of: call)?.state == .signedIn)
        // Nor for the next login.
        apps.asker.logout()
        _ = apps.logIn()
        #expect(apps.request != request)
        let replayed = apps.approve(request: request)
        #expect(apps.provider.failure(of: replayed) == .unknownRequest(request))
        apps.expectNoFaults()
    }

    @Test func onlyAScenesOfTheProvidersMayAnswer() {
        let apps = TwoApps()
        apps.asker.connect("m1")
        let call = apps.logIn("m1")
        for scene in [nil, "m1", "p2"] {
            #expect(apps.provider.failure(of: apps.approve(scene: scene)) == .unknownScene(scene ?? ""))
            #expect(apps.provider.failure(of: apps.deny(scene: scene)) == .unknownScene(scene ?? ""))
        }
        #expect(apps.asker.outcomes[call] == nil)
        // Any of them, whichever was named.
        apps.provider.connect("p2")
        apps.approve(scene: "p2")
        apps.then { apps.asker.signIn("a1") }
        #expect(apps.asker.progress(of: call)?.state == .signedIn)
        apps.expectNoFaults()
    }

    @Test(arguments: [true, false]) func withoutASceneTheLoginIsLocal(allows: Bool) {
        let apps = TwoApps(scene: allows ? nil : "p1", allows: allows ? ["mail"] : [])
        let call = apps.logIn()
        #expect(apps.asker.login?.idTokenHint == nil)
        apps.then { apps.asker.present() }
        let told = apps.asker.told[call]?.last
        #expect(told?.state == .presenting && told?.reason == "noIdentityProviderScene")
        #expect(told?.identityProvider == nil)
        // Nobody was picked, so anybody may come.
        apps.then { apps.asker.signIn("b9") }
        #expect(apps.asker.progress(of: call)?.state == .signedIn)
        #expect(apps.provider.session.history.newest(.authorizationRequested) == nil)
        apps.expectNoFaults()
    }

    @Test func theProviderIsStartedAndAsked() {
        let apps = TwoApps(scene: nil, canBeStarted: true)
        let call = apps.logIn()
        #expect(apps.provider.starts == 1)
        #expect(apps.asker.told[call]?.last?.identityProvider == "notes")
        #expect(apps.provider.session.openAuthorizations(world: apps.provider.world).isEmpty)
        apps.wait(seconds: Double(Bounds.providerStart) - 1)
        apps.then { apps.provider.connect("p1") }
        #expect(apps.provider.session.history.newest(.authorizationRequested)?.presenter == "p1")
        // It has its own time from there.
        apps.wait(seconds: Double(Bounds.authorization) - 1)
        apps.approve("a1")
        apps.then { apps.asker.signIn("a1") }
        #expect(apps.asker.progress(of: call)?.state == .signedIn)
        apps.expectNoFaults()
    }

    @Test(arguments: [true, false]) func theProviderDoesNotStart(says: Bool) {
        let apps = TwoApps(scene: nil, canBeStarted: true)
        let call = apps.logIn()
        if says {
            apps.then { apps.provider.happens { session, _ in session.startFailed() } }
        } else {
            apps.wait(seconds: Double(Bounds.providerStart))
        }
        apps.then { apps.asker.present() }
        #expect(apps.asker.told[call]?.last?.reason == "noIdentityProviderScene")
        apps.then { apps.provider.connect("late") }
        #expect(apps.provider.session.history.newest(.authorizationRequested) == nil)
        apps.then { apps.asker.signIn("b9") }
        #expect(apps.asker.progress(of: call)?.state == .signedIn)
        apps.expectNoFaults()
    }

    @Test func aLoginThatEndsIsNotAskedOfWhoStartsThen() {
        let apps = TwoApps(scene: nil, canBeStarted: true)
        _ = apps.logIn()
        apps.then { apps.asker.call { $0.loginCancelled($1, world: $2) } }
        #expect(apps.provider.session.authorizations.isEmpty)
        apps.then { apps.provider.connect("p1") }
        #expect(apps.provider.session.history.newest(.authorizationRequested) == nil)
        apps.expectNoFaults()
    }

    @Test func whenTheAskedSceneLeavesTheNextIsAsked() {
        let apps = TwoApps(scene: nil)
        let first = apps.provider.connect("p1")
        let second = apps.provider.connect("p2", foreground: true)
        let call = apps.logIn()
        #expect(apps.provider.session.history.newest(.authorizationRequested)?.presenter == "p2")
        let request = apps.request
        apps.then { apps.provider.hangUp(second) }
        #expect(apps.provider.session.history.newest(.authorizationRequested)?.presenter == "p1")
        #expect(apps.request == request)
        apps.then { apps.provider.hangUp(first) }
        apps.then { apps.asker.present() }
        #expect(apps.asker.told[call]?.last?.reason == "noIdentityProviderScene")
        #expect(apps.provider.session.history.newest(.authorizationEnded)?.reason == "abandoned")
        apps.expectNoFaults()
    }

    enum Leaving: CaseIterable, Sendable {
        case call, sceneBefore, sceneAfter
    }

    /// Whoever asked shows the login screen then.
    @Test(arguments: Leaving.allCases) func whoWasToOpenTheLoginScreenLeaves(leaving: Leaving) {
        let apps = TwoApps(scene: nil)
        let stream = apps.provider.connect("p1")
        let call = apps.logIn()
        let answer = apps.approve()
        switch leaving {
        case .call:
            apps.then { apps.provider.hangUp(answer) }
            apps.then { apps.asker.present() }
        case .sceneBefore:
            apps.then { apps.provider.hangUp(stream) }
            #expect(apps.provider.failure(of: answer) == .unknownScene("p1"))
            apps.then { apps.asker.present() }
        case .sceneAfter:
            apps.then { apps.asker.present() }
            #expect(apps.page(of: answer) != nil)
            apps.then { apps.provider.hangUp(stream) }
        }
        #expect(apps.asker.told[call]?.last?.loginScreen == Stage.page.loginScreen)
        apps.then { apps.asker.signIn("a1") }
        #expect(apps.asker.progress(of: call)?.state == .signedIn)
        #expect(apps.provider.session.authorizations.isEmpty)
        apps.expectNoFaults()
    }

    @Test func aLoginThatEndsTakesItsRequestBack() {
        let apps = TwoApps()
        let call = apps.logIn()
        apps.then { apps.asker.call { $0.loginCancelled($1, world: $2) } }
        #expect(apps.asker.failure(of: call) == .loginCancelled)
        #expect(apps.provider.session.history.newest(.authorizationEnded)?.reason == "cancelled")
        #expect(apps.provider.failure(of: apps.approve()) == .unknownRequest(apps.request ?? ""))

        _ = apps.logIn()
        let answer = apps.approve()
        apps.then { apps.asker.call { $0.loginCancelled($1, world: $2) } }
        #expect(apps.provider.failure(of: answer) == .loginCancelled)
        apps.expectNoFaults()
    }

    /// An approval that crosses the login's end finds nothing.
    @Test func anApprovalOnItsWayMeetsNoLogin() {
        let apps = TwoApps()
        _ = apps.logIn()
        apps.isHeld = true
        let answer = apps.approve()
        apps.asker.call { $0.loginCancelled($1, world: $2) }
        apps.deliver()
        #expect(apps.asker.session.login == nil)
        #expect(apps.provider.failure(of: answer) == .loginCancelled)
        #expect(apps.provider.session.authorizations.isEmpty)
        apps.expectNoFaults()
    }

    @Test func somebodyElseSignsInAtTheLoginHost() {
        let apps = TwoApps()
        let call = apps.logIn()
        apps.approve("a1")
        apps.then { apps.asker.signIn("a2") }
        #expect(apps.asker.failure(of: call) == .loginFailed(code: "otherAccount", description: nil))
        #expect(apps.asker.session.accounts.isEmpty)
        #expect(apps.asker.revocations.map(\.record.refreshToken) == [Secret("new-a2")])
        apps.expectNoFaults()
    }

    @Test func aSubjectForEachClientIsNoOtherAccount() {
        var one = Account.test("a1")
        var other = Account.test("a1")
        other.subject = "pairwise"
        #expect(one.isUser(of: other))
        one.username = nil
        #expect(!one.isUser(of: other))
        one.email = "a1@example.com"
        other.email = "a1@example.com"
        #expect(one.isUser(of: other))
        other.issuer = AppPolicy.sandbox
        #expect(!one.isUser(of: other))
    }

    @Test func onlyAnAccountThatTheAskingAppCanUse() {
        let apps = TwoApps(accounts: 2)
        let call = apps.logIn(nil, options { $0.loginHost = AppPolicy.sandbox })
        #expect(apps.provider.failure(of: apps.approve("a1")) == .unknownLoginHost(AppPolicy.production))
        #expect(apps.provider.failure(of: apps.approve("nobody")) == .unknownAccount("nobody"))
        apps.provider.call { $0.lockRequested($1, true, world: $2) }
        #expect(apps.provider.failure(of: apps.approve("a1")) == .sessionLocked)
        #expect(apps.provider.failure(of: apps.deny()) == .sessionLocked)
        #expect(apps.asker.outcomes[call] == nil)
        apps.expectNoFaults()
    }

    @Test(arguments: [LoginOptions.Presentation?.none, .browser], [true, false])
    func somebodyWantsToSignInWithout(presentation: LoginOptions.Presentation?, asksFirst: Bool) {
        let apps = TwoApps()
        let first = asksFirst ? apps.logIn() : nil
        let local = apps.logIn(
            nil,
            options {
                $0.presentation = presentation
                $0.local = true
            })
        if asksFirst { #expect(apps.provider.session.history.newest(.authorizationEnded)?.reason == "cancelled") }
        apps.then { apps.asker.present() }
        let shown = [first, local].compactMap { $0 }.filter { apps.asker.told[$0]?.last?.state == .presenting }
        #expect(shown.count == 1)
        apps.then { apps.asker.signIn("b9") }
        for call in [first, local].compactMap({ $0 }) { #expect(apps.asker.progress(of: call)?.state == .signedIn) }
        #expect(asksFirst || apps.provider.session.history.newest(.authorizationRequested) == nil)
        apps.expectNoFaults()
    }

    @Test func somebodyWantsToSignInWithoutWhenItIsApproved() {
        let apps = TwoApps()
        let first = apps.logIn()
        let answer = apps.approve("a1")
        let local = apps.logIn(nil, options { $0.local = true })
        #expect(apps.provider.failure(of: answer) == .loginCancelled)
        apps.then { apps.asker.present() }
        #expect([first, local].filter { apps.asker.told[$0]?.last?.state == .presenting }.count == 1)
        #expect(apps.asker.session.login?.chosen?.username == "user-a1")
        apps.then { apps.asker.signIn("a1") }
        #expect(apps.asker.progress(of: first)?.state == .signedIn)
        #expect(apps.provider.session.authorizations.isEmpty)
        apps.expectNoFaults()
    }

    @Test func forceAsksTheLoginHostItself() {
        let apps = TwoApps()
        _ = apps.logIn(nil, options { $0.force = true })
        #expect(apps.asker.login?.force == true)
        #expect(apps.provider.session.history.newest(.authorizationRequested) == nil)
    }

    @Test func whatCannotBeStoredIsNotAsked() {
        let apps = TwoApps()
        apps.provider.disk = .full
        let call = apps.logIn()
        #expect(apps.asker.failure(of: call) == .storageUnavailable(reason: "full"))
        #expect(apps.provider.session.authorizations.isEmpty)
        apps.expectNoFaults()
    }

    @Test func theProviderVanishes() {
        let apps = TwoApps()
        let call = apps.logIn()
        apps.then { apps.provider.happens { $0.appVanished(world: $1) } }
        apps.then { apps.asker.present() }
        #expect(apps.asker.told[call]?.last?.state == .presenting)
        apps.expectNoFaults()
    }

    // MARK: Begun by the provider

    @Test func theProviderBeginsALogin() throws {
        let apps = TwoApps()
        let answer = apps.begin("a2")
        #expect(apps.asker.login?.loginHint == "user-a2")
        apps.then { apps.asker.present() }
        #expect(apps.page(of: answer) == Stage.page)
        // Who comes now joins it, and shows nothing.
        let call = apps.logIn()
        #expect(apps.asker.told[call]?.last?.state == .waiting)
        apps.then { apps.asker.signIn("a2") }
        #expect(apps.asker.progress(of: call)?.account?.username == "user-a2")
        #expect(apps.asker.session.current?.account.username == "user-a2")
        apps.expectNoFaults()
    }

    @Test func nobodyEndsTheLoginThatTheProviderBegan() {
        let apps = TwoApps()
        let answer = apps.begin()
        apps.then { apps.asker.present() }
        #expect(apps.page(of: answer) != nil)
        apps.wait(seconds: Double(Bounds.authorization))
        #expect(apps.asker.session.login == nil)
        #expect(apps.provider.session.authorizations.isEmpty)
        apps.expectNoFaults()
    }

    @Test func theProviderBeginsNoLoginWhereItMayNot() {
        let apps = TwoApps()
        _ = apps.logIn()
        #expect(
            apps.provider.failure(of: apps.begin())
                == .loginFailed(code: "login_in_progress", description: nil))
        apps.deny()
        if case .accessDenied = apps.provider.failure(of: apps.begin(app: "maps")) {} else { Issue.record("allowed") }
        apps.asker.call { $0.lockRequested($1, true, world: $2) }
        #expect(apps.provider.failure(of: apps.begin()) == .sessionLocked)
        apps.asker.call { $0.lockRequested($1, false, world: $2) }
        apps.asker.disk = .full
        #expect(apps.provider.failure(of: apps.begin()) == .storageUnavailable(reason: "full"))
        var policy = apps.asker.session.policy
        policy.identityProvider = "other"
        apps.asker.mayBecome(policy)
        if case .accessDenied = apps.provider.failure(of: apps.begin()) {} else { Issue.record("allowed") }
        #expect(apps.provider.session.authorizations.isEmpty)
        apps.expectNoFaults()
    }

    // MARK: Over a restart

    @Test func whoWasPickedIsKnownAfterARestart() {
        let apps = TwoApps()
        apps.asker.connect("m1")
        _ = apps.logIn("m1")
        apps.approve("a1")
        apps.then { apps.asker.present() }
        apps.asker.keptPage = Stage.page
        apps.asker.crash(login: true)
        #expect(apps.asker.session.login?.chosen?.username == "user-a1")
        apps.asker.comeBack()
        apps.asker.signIn("a2")
        #expect(apps.asker.session.accounts.isEmpty)
        #expect(apps.asker.session.history.newest(.loginEnded)?.reason == "otherAccount")
        apps.asker.expectNoFaults()
    }

    /// One that was answered had its end before, and a scene that was there all the while hears of each once.
    @Test func whatWaitedForAnAnswerIsWithdrawnByARestart() {
        let apps = TwoApps()
        var scene = apps.provider.connect("p2")
        _ = apps.logIn()
        apps.deny()
        _ = apps.logIn()
        let asked = apps.request
        for _ in 0..<2 {
            apps.provider.crash(keeping: [scene])
            scene = apps.provider.session.scenes["p2"]?.call ?? scene
            let ends = apps.provider.streams[scene]?.events.filter { $0.kind == .authorizationEnded } ?? []
            #expect(ends.map(\.reason) == ["denied", "abandoned"])
            #expect(ends.last?.request == asked && ends.last?.requestingApp == "mail")
        }
        apps.expectNoFaults()
    }
}
