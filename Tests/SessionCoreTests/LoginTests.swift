import SceneModel
import Testing

@testable import SessionCore

private func options(_ fill: (inout LoginOptions) -> Void) -> LoginOptions {
    var options = LoginOptions()
    fill(&options)
    return options
}

@Suite struct LoginTests {
    private let stage = Stage()

    // MARK: One login

    @Test func whoIsSignedInGetsAnAnswerAtOnce() {
        let stage = Stage(accounts: 1)
        let call = stage.loginIfRequired(streams: false)
        #expect(stage.progress(of: call)?.state == .alreadySignedIn)
        #expect(stage.progress(of: call)?.account?.id == "a1")
        #expect(stage.progress(of: call)?.at == stage.session.cursor)
        #expect(stage.login == nil)
    }

    @Test func howeverManyAskOneLoginRuns() {
        let scene = stage.connect("s0")
        let calls = (0..<100).map { stage.loginIfRequired(streams: $0.isMultiple(of: 2)) }
        #expect(stage.login?.login == 1)
        #expect(stage.login?.host == AppPolicy.production)
        #expect(calls.allSatisfy { stage.outcomes[$0] == nil })
        stage.signIn()
        for call in calls {
            #expect(stage.progress(of: call)?.state == .signedIn)
            #expect(stage.progress(of: call)?.at == stage.session.cursor)
        }
        #expect(stage.kinds(scene) == [.snapshot, .loginStarted, .loggedIn, .currentUserChanged, .loginEnded])
        #expect(stage.session.nextLogin == 2)
        #expect(stage.ends[1] == .signedIn(name: "user-a1"))
        stage.expectNoFaults()
    }

    @Test func thePresenterIsToldTheAddressAndTheOthersWhoItIs() {
        stage.connect("s1")
        let first = stage.loginIfRequired("s1")
        let second = stage.loginIfRequired()
        stage.present()
        #expect(stage.told[first]?.map(\.state) == [.presenting])
        #expect(stage.told[first]?.last?.loginScreen == Stage.page.loginScreen)
        #expect(stage.told[first]?.last?.authorizationUri == Stage.page.authorizationUri)
        #expect(stage.told[second]?.map(\.state) == [.waiting])
        #expect(stage.told[second]?.last?.presenter == "s1")
        #expect(stage.told[second]?.last?.loginScreen == nil)
        stage.comeBack()
        #expect(stage.told[first]?.last?.state == .authorizing)
        #expect(stage.told[second]?.last?.state == .authorizing)
        #expect(stage.session.snapshot.presenter == "s1")
    }

    @Test func signingInAgainKeepsTheAccountAndRevokesTheOldGrant() {
        let stage = Stage(accounts: 1)
        let call = stage.requestLogin()
        stage.signIn("a1")
        #expect(stage.progress(of: call)?.account?.id == "a1")
        #expect(stage.session.accounts.count == 1)
        #expect(stage.session.accounts.first?.grant.generation == 2)
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("refresh-a1")])
        #expect(stage.revocations.map(\.record.reason) == ["replaced"])
    }

    @Test func theSameRefreshTokenIsNotRevoked() {
        let stage = Stage(accounts: 1)
        stage.requestLogin()
        stage.signIn("a1", refreshToken: "refresh")
        #expect(stage.session.accounts.first?.grant.refreshToken == Secret("refresh-a1"))
        #expect(stage.revocations.isEmpty)
    }

    @Test func oneMoreUserIsNotAskedForTheCurrentOnesName() {
        let stage = Stage(accounts: 1)
        stage.requestLogin()
        #expect(stage.login?.loginHint == nil)
        stage.call { $0.loginCancelled($1, world: $2) }
        stage.loginIfRequired(nil, options { $0.force = true })
        #expect(stage.login?.loginHint == "user-a1")
    }

    @Test func optionsAreTheFirstAskers() {
        stage.requestLogin(
            nil,
            options {
                $0.loginHost = "test.example.com/"
                $0.loginHint = "me"
                $0.force = true
            })
        #expect(
            stage.login == LoginOrder(login: 1, host: AppPolicy.sandbox, loginHint: "me", force: true))
    }

    // MARK: Who cannot wait

    @Test func whoForbidsInteractionGetsItAtOnce() {
        let none = options { $0.presentation = LoginOptions.Presentation.none }
        for call in [stage.loginIfRequired(nil, none), stage.requestLogin(nil, none)] {
            if case .interactionRequired = stage.failure(of: call) {} else { Issue.record("waits") }
        }
        stage.loginIfRequired()
        if case .interactionRequired = stage.failure(of: stage.loginIfRequired(nil, none)) {
        } else {
            Issue.record("waits")
        }
        #expect(stage.session.waiters.count == 1)
    }

    @Test func aCallThatCannotBeToldTheAddressDoesNotBeginALogin() {
        for call in [stage.loginIfRequired(streams: false), stage.requestLogin(streams: false)] {
            if case .interactionRequired = stage.failure(of: call) {} else { Issue.record("waits") }
        }
        #expect(stage.login == nil)
        #expect(stage.session.cursor.sequence == 0)
    }

    @Test func joinersWithOtherWishesAreRefused() {
        let first = stage.requestLogin()
        let inProgress = Failure.loginFailed(code: "login_in_progress", description: nil)
        #expect(stage.failure(of: stage.loginIfRequired(nil, options { $0.force = true })) == inProgress)
        #expect(
            stage.failure(of: stage.requestLogin(nil, options { $0.loginHost = AppPolicy.sandbox })) == inProgress)
        let same = stage.loginIfRequired(
            nil,
            options {
                $0.loginHost = AppPolicy.production + "/"
                $0.loginHint = "other"
            })
        stage.signIn()
        #expect(stage.progress(of: first)?.state == .signedIn)
        #expect(stage.progress(of: same)?.state == .signedIn)
    }

    @Test func whatCannotBeIsRefused() {
        let long = String(repeating: "x", count: 257)
        #expect(
            stage.failure(of: stage.requestLogin(nil, options { $0.timeoutSeconds = 0 }))
                == .invalidParameter("options.timeoutSeconds"))
        #expect(
            stage.failure(of: stage.requestLogin(nil, options { $0.loginHint = long }))
                == .invalidParameter("options.loginHint"))
        #expect(
            stage.failure(of: stage.requestLogin(nil, options { $0.loginHost = "x.example" }))
                == .unknownLoginHost("x.example"))
        #expect(stage.failure(of: stage.requestLogin("nobody")) == .unknownScene("nobody"))
        #expect(stage.session.login == nil)
    }

    // MARK: Election

    @Test func anotherWaitingSceneTakesOver() {
        let first = stage.loginIfRequired()
        let second = stage.loginIfRequired()
        stage.present()
        stage.hangUp(first)
        #expect(stage.told[second]?.map(\.state) == [.waiting, .presenting])
        #expect(stage.login?.login == 1)
        // The first one's page still completes it.
        stage.signIn()
        #expect(stage.progress(of: second)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func theOneThatTheUserLooksAtTakesOver() {
        stage.connect("s1")
        stage.connect("s2", foreground: true)
        let first = stage.loginIfRequired()
        let background = stage.loginIfRequired("s1")
        let foreground = stage.loginIfRequired("s2")
        stage.present()
        stage.hangUp(first)
        #expect(stage.told[foreground]?.last?.state == .presenting)
        #expect(stage.told[background]?.last?.state == .waiting)
        #expect(stage.told[background]?.last?.presenter == "s2")
        #expect(stage.session.snapshot.presenter == "s2")
    }

    @Test func aCallThatCannotBeToldDoesNotTakeOver() {
        let first = stage.loginIfRequired()
        let silent = stage.loginIfRequired(streams: false)
        stage.present()
        stage.hangUp(first)
        #expect(stage.ends[1] == .abandoned)
        if case .interactionRequired = stage.failure(of: silent) {} else { Issue.record("waits") }
        #expect(stage.session.login == nil)
    }

    @Test func onceTheUserIsBackNobodyHasToPresent() {
        let first = stage.loginIfRequired()
        let silent = stage.loginIfRequired(streams: false)
        stage.present()
        stage.comeBack()
        stage.hangUp(first)
        #expect(stage.login?.login == 1)
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        #expect(stage.progress(of: silent)?.state == .signedIn)
    }

    @Test(arguments: [false, true])
    func withNobodyLeftTheLoginEnds(isPresented: Bool) {
        let scene = stage.connect("s")
        let call = stage.loginIfRequired()
        if isPresented { stage.present() }
        stage.hangUp(call)
        #expect(stage.ends[1] == .abandoned)
        #expect(stage.login == nil)
        #expect(stage.streams[scene]?.events.last?.reason == "abandoned")
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    @Test func aLoginWhoseAccountIsBeingStoredGoesOnWithoutAnybody() {
        let call = stage.loginIfRequired()
        stage.present()
        stage.comeBack()
        stage.disk = .held
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        stage.hangUp(call)
        stage.disk(works: true)
        #expect(stage.session.current?.account.issuer == AppPolicy.production)
        #expect(stage.ends[1] == .signedIn(name: "user-a1"))
        stage.expectNoFaults()
    }

    // MARK: Ends

    @Test func cancellingTellsEveryWaiter() {
        stage.connect("s")
        let calls = [stage.loginIfRequired(), stage.requestLogin("s"), stage.loginIfRequired(streams: false)]
        stage.present()
        let cancel = stage.call { $0.loginCancelled($1, world: $2) }
        #expect(stage.isDone(cancel))
        #expect(calls.allSatisfy { stage.failure(of: $0) == .loginCancelled })
        #expect(stage.ends[1] == .cancelled)
        let again = stage.call { $0.loginCancelled($1, world: $2) }
        #expect(stage.isDone(again))
        #expect(stage.failure(of: stage.call(scene: "x") { $0.loginCancelled($1, world: $2) }) == .unknownScene("x"))
        stage.expectNoFaults()
    }

    @Test func failingTellsEveryWaiter() {
        let calls = [stage.loginIfRequired(), stage.loginIfRequired()]
        let failure = Failure.loginFailed(code: "access_denied", description: nil)
        stage.happens { $0.loginFailed(1, failure, world: $1) }
        #expect(calls.allSatisfy { stage.failure(of: $0) == failure })
        // Late news of it are none.
        stage.happens { $0.loginFailed(1, failure, world: $1) }
        stage.happens { $0.loginReady(1, page: Stage.page, world: $1) }
        stage.happens { $0.userReturned(1, world: $1) }
        stage.expectNoFaults()
    }

    @Test func whatBelongsToACancelledLoginIsGoneBeforeTheReply() {
        stage.loginIfRequired()
        stage.present()
        var order: [String] = []
        stage.onAction = { action in
            switch action {
            case .endLogin: order.append("end")
            case .reply(_, .done): order.append("reply")
            default: break
            }
        }
        stage.call { $0.loginCancelled($1, world: $2) }
        #expect(order == ["end", "reply"])
    }

    @Test func oneJoinersTimeEndsItsOwnWait() {
        let patient = stage.loginIfRequired()
        let hasty = stage.loginIfRequired(nil, options { $0.timeoutSeconds = 5 })
        stage.wait(seconds: 4.9)
        #expect(stage.outcomes[hasty] == nil)
        stage.wait(seconds: 0.2)
        #expect(stage.failure(of: hasty) == .loginTimedOut)
        #expect(stage.login?.login == 1)
        stage.wait(seconds: 594)
        #expect(stage.outcomes[patient] == nil)
        stage.wait(seconds: 1)
        #expect(stage.failure(of: patient) == .loginTimedOut)
        #expect(stage.ends[1] == .timedOut)
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    @Test func whenThePresentersTimeIsUpAnotherTakesOver() {
        let hasty = stage.loginIfRequired(nil, options { $0.timeoutSeconds = 5 })
        let patient = stage.loginIfRequired()
        stage.present()
        stage.wait(seconds: 6)
        #expect(stage.failure(of: hasty) == .loginTimedOut)
        #expect(stage.told[patient]?.last?.state == .presenting)
    }

    @Test func whoWaitedForTheLockIsNotTimedOutByALoginThatEnds() {
        stage.requestLogin(nil, options { $0.timeoutSeconds = 20 })
        stage.call { $0.lockRequested($1, true, world: $2) }
        let patient = stage.loginIfRequired()
        stage.disk = .held
        stage.call { $0.lockRequested($1, false, world: $2) }
        stage.wait(seconds: 21)
        #expect(stage.ends[1] == .timedOut)
        // The lock goes while the end is on its way to the disk.
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.outcomes[patient] == nil)
        #expect(stage.login?.login == 2)
        stage.signIn()
        #expect(stage.progress(of: patient)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func anAbsurdTimeIsBounded() {
        let call = stage.loginIfRequired(nil, options { $0.timeoutSeconds = .max })
        stage.wait(seconds: Double(Bounds.longestLoginTimeout) + 1)
        #expect(stage.failure(of: call) == .loginTimedOut)
    }

    @Test func nothingOfALoginThatCouldNotBeginIsLeft() {
        let scene = stage.connect("s")
        stage.disk = .full
        let call = stage.loginIfRequired()
        #expect(stage.failure(of: call) == .storageUnavailable(reason: "full"))
        #expect(stage.session.login == nil)
        #expect(stage.kinds(scene) == [.snapshot])
    }

    @Test func tokensThatCannotBeStoredAreRevokedAndTheEndIsToldLater() {
        let scene = stage.connect("s")
        let call = stage.loginIfRequired()
        stage.disk = .full
        stage.signIn()
        #expect(stage.failure(of: call) == .storageUnavailable(reason: "full"))
        #expect(stage.ends[1] == .failed(.storageUnavailable(reason: "full")))
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("new-a1")])
        #expect(stage.session.accounts.isEmpty)
        stage.wait(seconds: 30)
        #expect(stage.streams[scene]?.loginUnderWay == true)
        stage.disk = .works
        stage.wait(seconds: 3)
        #expect(stage.kinds(scene) == [.snapshot, .loginStarted, .loginEnded])
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    @Test func anEndThatCannotBeStoredComesWithTheNextChange() {
        let scene = stage.connect("s")
        stage.loginIfRequired()
        stage.disk = .full
        let cancel = stage.call { $0.loginCancelled($1, world: $2) }
        #expect(stage.isDone(cancel))
        stage.disk = .works
        let call = stage.loginIfRequired()
        stage.signIn()
        #expect(stage.progress(of: call)?.state == .signedIn)
        #expect(
            stage.kinds(scene).dropFirst().prefix(4) == [.loginStarted, .loginEnded, .loginStarted, .loggedIn])
        stage.wait(seconds: 30)
        #expect(stage.kinds(scene).filter { $0 == .loginEnded }.count == 2)
        stage.expectNoFaults()
    }

    @Test func aLoginDoesNotOutliveTheDaemon() throws {
        let scene = stage.connect("s")
        stage.loginIfRequired()
        let cursor = try #require(stage.streams[scene]).at
        stage.crash()
        let back = stage.connect("s", after: cursor)
        #expect(stage.kinds(back) == [.resumed, .loginEnded])
        #expect(stage.session.snapshot.loginUnderWay == false)
        stage.crash()
        #expect(stage.session.cursor.sequence == 2)
        stage.expectNoFaults()
    }

    @Test func aSnapshotFitsOnWhatFollows() {
        stage.connect("s")
        stage.disk = .held
        stage.loginIfRequired()
        let scene = stage.connect("t")
        #expect(stage.streams[scene]?.events.first?.snapshot?.loginUnderWay == false)
        stage.disk(works: true)
        #expect(stage.kinds(scene) == [.snapshot, .loginStarted])
        stage.expectNoFaults()
    }

    // MARK: While a login is ending

    @Test func whoComesWhileOneIsEndingGetsTheNext() {
        stage.requestLogin()
        stage.present()
        stage.disk = .held
        let cancel = stage.call { $0.loginCancelled($1, world: $2) }
        #expect(stage.isDone(cancel))
        let next = stage.requestLogin()
        let another = stage.requestLogin(nil, options { $0.loginHost = AppPolicy.sandbox })
        #expect(stage.outcomes[next] == nil)
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.login?.login == 2)
        #expect(
            stage.failure(of: another) == .loginFailed(code: "login_in_progress", description: nil),
            "the next one has another host than this call asked for")
        stage.signIn()
        #expect(stage.progress(of: next)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test(arguments: [true, false])
    func cancelledWhileItsStartIsBeingStored(stored: Bool) {
        let scene = stage.connect("s")
        stage.disk = .held
        let call = stage.loginIfRequired()
        stage.call { $0.loginCancelled($1, world: $2) }
        stage.disk(works: stored)
        if stored { stage.disk(works: true) }
        stage.disk = .works
        #expect(stage.failure(of: call) == .loginCancelled)
        #expect(stage.login == nil)
        #expect(stage.change == nil)
        #expect(stage.kinds(scene) == (stored ? [.snapshot, .loginStarted, .loginEnded] : [.snapshot]))
        stage.expectNoFaults()
    }

    @Test func cancelledBeforeItsStartIsEvenOnItsWay() {
        let scene = stage.connect("s")
        stage.disk = .held
        stage.call { $0.lockRequested($1, false, world: $2) }
        stage.call { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        let call = stage.requestLogin()
        stage.call { $0.loginCancelled($1, world: $2) }
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.failure(of: call) == .loginCancelled)
        #expect(stage.kinds(scene) == [.snapshot, .loginHostChanged, .loginStarted, .loginEnded])
        stage.expectNoFaults()
    }

    @Test(arguments: [true, false])
    func cancelledWhileItsAccountIsBeingStored(stored: Bool) {
        let scene = stage.connect("s")
        let call = stage.loginIfRequired()
        stage.disk = .held
        stage.signIn()
        stage.call { $0.loginCancelled($1, world: $2) }
        stage.disk = .works
        stage.disk(works: stored)
        // Too late: it succeeds, or fails for the disk, and ends once.
        if stored {
            #expect(stage.progress(of: call)?.state == .signedIn)
        } else {
            #expect(stage.failure(of: call) == .storageUnavailable(reason: "full"))
            stage.wait(seconds: 5)
        }
        #expect(stage.kinds(scene).filter { $0 == .loginEnded }.count == 1)
        stage.expectNoFaults()
    }

    @Test func cancelledWhileItsAccountWaitsForTheDisk() {
        let call = stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.disk = .held
        stage.call { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        stage.call { $0.loginCancelled($1, world: $2) }
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.failure(of: call) == .loginCancelled)
        #expect(stage.session.accounts.isEmpty)
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("new-a1")])
        stage.expectNoFaults()
    }

    @Test func tokensOfALoginThatIsOverAreRevoked() {
        stage.loginIfRequired()
        stage.present()
        stage.comeBack()
        stage.call { $0.loginCancelled($1, world: $2) }
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        #expect(stage.session.accounts.isEmpty)
        #expect(stage.session.revocations.map(\.reason) == ["late"])
        #expect(stage.revocations.count == 1)
    }

    @Test func lateTokensAreRevokedEvenIfTheDiskIsFull() {
        stage.loginIfRequired()
        stage.present()
        stage.comeBack()
        stage.call { $0.loginCancelled($1, world: $2) }
        stage.disk = .full
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("new-a1")])
    }

    // MARK: Selection, locks, vanished apps

    private func selecting() -> Stage {
        let stage = Stage(accounts: 3)
        stage.logout("a1")
        return stage
    }

    @Test func withASelectionPendingItWaitsForTheChoice() {
        let stage = selecting()
        let call = stage.loginIfRequired()
        let silent = stage.loginIfRequired(streams: false)
        #expect(stage.told[call]?.map(\.state) == [.selecting])
        #expect(stage.told[call]?.last?.accounts?.map(\.id) == ["a2", "a3"])
        #expect(stage.login == nil)
        stage.call { $0.switchRequested($1, account: "a3", world: $2) }
        #expect(stage.progress(of: call)?.account?.id == "a3")
        #expect(stage.progress(of: silent)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func aLoginEndsASelectionToo() {
        let stage = selecting()
        let waits = stage.loginIfRequired()
        let login = stage.requestLogin()
        stage.call { $0.loginCancelled($1, world: $2) }
        #expect(stage.failure(of: login) == .loginCancelled)
        #expect(stage.outcomes[waits] == nil)
        stage.requestLogin()
        stage.signIn("b")
        #expect(stage.progress(of: waits)?.account?.subject == "sub-b")
        stage.expectNoFaults()
    }

    @Test func whoAsksForCredentialsIsNotServedByALoginWithout() {
        let stage = selecting()
        let forced = stage.loginIfRequired(nil, options { $0.force = true })
        stage.requestLogin()
        stage.signIn("b")
        #expect(stage.outcomes[forced] == nil)
        #expect(stage.login?.force == true)
        stage.signIn("b")
        #expect(stage.progress(of: forced)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func aLockedSessionSignsNobodyIn() {
        stage.call { $0.lockRequested($1, true, world: $2) }
        #expect(stage.failure(of: stage.requestLogin()) == .sessionLocked)
        let none = options { $0.presentation = LoginOptions.Presentation.none }
        #expect(stage.failure(of: stage.loginIfRequired(nil, none)) == .sessionLocked)
        let waits = stage.loginIfRequired()
        #expect(stage.login == nil)
        stage.call { $0.lockRequested($1, false, world: $2) }
        #expect(stage.login != nil)
        stage.signIn()
        #expect(stage.progress(of: waits)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func whoWaitsInALockedSessionIsNotCompletedBeforeItIsUnlocked() {
        let login = stage.requestLogin()
        let waits = stage.loginIfRequired()
        stage.present()
        stage.call { $0.lockRequested($1, true, world: $2) }
        stage.signIn()
        #expect(stage.progress(of: login)?.state == .signedIn)
        #expect(stage.outcomes[waits] == nil)
        stage.call { $0.lockRequested($1, false, world: $2) }
        #expect(stage.progress(of: waits)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func whenTheAppVanishesEveryWaiterIsTold() {
        let stage = selecting()
        let selects = stage.loginIfRequired()
        let login = stage.requestLogin()
        stage.present()
        stage.happens { $0.appVanished(world: $1) }
        #expect(stage.failure(of: selects) == .unknownApp("notes"))
        #expect(stage.failure(of: login) == .unknownApp("notes"))
        #expect(stage.ends[1] == .failed(.unknownApp("notes")))
        #expect(stage.session.login == nil)
        stage.expectNoFaults()
    }

    @Test func anAccountThatIsSignedOutMeanwhileDoesNotComeBack() {
        let stage = Stage(accounts: 1)
        let call = stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.logout("a1")
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        #expect(stage.session.accounts.isEmpty)
        #expect(stage.failure(of: call) == .loginFailed(code: "signedOut", description: nil))
        #expect(stage.revocations.contains { $0.record.refreshToken == Secret("new-a1") })
        // Whoever signs in after that may.
        stage.requestLogin()
        stage.signIn("a1")
        #expect(stage.session.accounts.count == 1)
        stage.expectNoFaults()
    }

    @Test func norWhileItsAccountWaitsForTheDisk() {
        let stage = Stage(accounts: 1)
        let call = stage.requestLogin()
        stage.present()
        stage.comeBack()
        stage.disk = .held
        stage.logout("a1")
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.session.accounts.isEmpty)
        #expect(stage.failure(of: call) == .loginFailed(code: "signedOut", description: nil))
        #expect(stage.revocations.contains { $0.record.refreshToken == Secret("new-a1") })
        stage.expectNoFaults()
    }
}
