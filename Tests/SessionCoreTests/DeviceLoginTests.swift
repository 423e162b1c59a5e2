import SceneModel
import Testing

@testable import SessionCore

@Suite struct DeviceLoginTests {
    private let stage = Stage()
    private let device: LoginOptions = {
        var options = LoginOptions()
        options.presentation = .device
        options.timeoutSeconds = 3600
        return options
    }()

    /// Lets time go by until the login host is asked, and says after how many seconds that was.
    private func nextPoll() -> Double? {
        let start = stage.now.boot
        while stage.polls.isEmpty, let deadline = stage.session.nextDeadline, stage.login != nil {
            stage.wait(seconds: Double(deadline.nanoseconds - stage.now.boot.nanoseconds) / 1e9)
        }
        return stage.polls.first.map { Double($0.at.nanoseconds - start.nanoseconds) / 1e9 }
    }

    private func grant(_ user: String = "a1", to id: Int = 1) {
        stage.polls.removeAll { $0.login == id }
        stage.happens { $0.tokensReceived(id, .test(user), world: $1) }
    }

    // MARK: The code

    @Test func theCodeIsShownAndItsTokensComplete() {
        let scene = stage.connect("s")
        let call = stage.loginIfRequired("s", device)
        #expect(stage.login?.presentation == .device)
        stage.showCode()
        let shown = stage.told[call]?.last
        #expect(shown?.state == .presenting && shown?.loginScreen == nil && shown?.authorizationUri == nil)
        #expect(shown?.userCode == "WDJB-MJHT" && shown?.verificationUri == "https://login.example.com/device")
        #expect(shown?.verificationUriComplete == "https://login.example.com/device?user_code=WDJB-MJHT")
        #expect(shown?.expiresInSeconds == 900)
        #expect(nextPoll() == 5)
        grant()
        #expect(stage.progress(of: call)?.state == .signedIn)
        #expect(stage.kinds(scene) == [.snapshot, .loginStarted, .loggedIn, .currentUserChanged, .loginEnded])
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    /// Who chooses another login host while they show a code get one of that host's.
    @Test(arguments: [false, true]) func anotherHostGivesACodeOfItsOwn(isAsking: Bool) {
        stage.connect("s")
        let call = stage.loginIfRequired("s", device)
        stage.showCode()
        if isAsking { #expect(nextPoll() == 5) }
        stage.call(scene: "s") { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        #expect(stage.login?.host == AppPolicy.sandbox && stage.login?.presentation == .device)
        stage.showCode { $0.userCode = "OTHER" }
        #expect(stage.told[call]?.last?.userCode == "OTHER")
        #expect(nextPoll() == 5)
        grant()
        #expect(stage.progress(of: call)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func everyWaiterIsToldTheCodeOnce() {
        stage.connect("s1")
        let presenter = stage.loginIfRequired("s1", device)
        stage.showCode()
        stage.wait(seconds: 20)
        let joiner = stage.loginIfRequired(nil, device)
        #expect(stage.told[joiner]?.map(\.state) == [.waiting])
        #expect(stage.told[joiner]?.last?.userCode == "WDJB-MJHT" && stage.told[joiner]?.last?.presenter == "s1")
        #expect(stage.told[joiner]?.last?.expiresInSeconds == 880)
        // Who waits for less has no more time than that.
        let hasty = stage.loginIfRequired(nil, options(timeout: 100))
        #expect(stage.told[hasty]?.last?.expiresInSeconds == 100)
        stage.answer(.pending)
        stage.requestLogin()
        #expect(stage.told[presenter]?.count == 1)
        #expect(stage.told[joiner]?.count == 1)
    }

    @Test func whoTakesOverIsSentTheCodeAndTheLoginGoesOn() {
        let first = stage.loginIfRequired(nil, device)
        let second = stage.loginIfRequired(nil, device)
        stage.showCode()
        stage.wait(seconds: 60)
        stage.answer(.pending)
        stage.hangUp(first)
        #expect(stage.told[second]?.map(\.state) == [.waiting, .waiting, .presenting])
        #expect(stage.told[second]?.last?.userCode == "WDJB-MJHT")
        #expect(stage.told[second]?.last?.expiresInSeconds == 840)
        _ = nextPoll()
        grant()
        #expect(stage.progress(of: second)?.state == .signedIn)
        stage.expectNoFaults()
    }

    // MARK: When it is asked

    @Test func theIntervalIsKept() {
        stage.loginIfRequired(nil, device)
        stage.showCode { $0.interval = 7 }
        for _ in 0..<5 {
            #expect(nextPoll() == 7)
            // However long the answer takes, the pause comes after it.
            stage.wait(seconds: 3)
            #expect(stage.polls.count == 1)
            stage.answer(.pending)
        }
    }

    @Test func slowDownCountsFromThenOn() {
        stage.loginIfRequired(nil, device)
        stage.showCode()
        #expect(nextPoll() == 5)
        stage.answer(.slowDown)
        #expect(nextPoll() == 10)
        stage.answer(.pending)
        #expect(nextPoll() == 10)
        stage.answer(.slowDown)
        #expect(nextPoll() == 15)
        stage.answer(.pending)
        #expect(nextPoll() == 15)
    }

    @Test func troubleBacksOffAndPasses() {
        stage.loginIfRequired(nil, device)
        stage.showCode()
        #expect(nextPoll() == 5)
        for seconds in [10.0, 20, 40, 60, 60] {
            stage.answer(.unavailable(retryAfterSeconds: nil))
            #expect(nextPoll() == seconds)
        }
        stage.answer(.pending)
        #expect(nextPoll() == 5)
        stage.answer(.unavailable(retryAfterSeconds: 123))
        #expect(nextPoll() == 123)
        stage.answer(.unavailable(retryAfterSeconds: 1))
        #expect(nextPoll() == 20)
        grant()
        #expect(stage.session.current?.account.username == "user-a1")
    }

    @Test(arguments: [(0, 1.0), (-5, 1), (3600, 900), (.max, 900)])
    func anOddIntervalIsBounded(interval: Int, first: Double) {
        let call = stage.loginIfRequired(nil, options(timeout: 86_400))
        stage.showCode { $0.interval = interval }
        let start = stage.now.boot
        if first < 900 {
            #expect(nextPoll() == first)
        } else {
            stage.wait(seconds: 901)
            #expect(stage.polls.isEmpty && start < stage.now.boot)
            #expect(stage.failure(of: call) == LoginEnd.codeExpired.failure)
        }
    }

    private func options(timeout: Int) -> LoginOptions {
        var options = device
        options.timeoutSeconds = timeout
        return options
    }

    // MARK: Ends

    @Test func aCodeThatNobodyUsesExpires() {
        let scene = stage.connect("s")
        let call = stage.loginIfRequired(nil, options(timeout: 3600))
        stage.showCode { $0.interval = 400 }
        for _ in 0..<2 {
            #expect(nextPoll() == 400)
            stage.answer(.pending)
        }
        stage.wait(seconds: 99.9)
        #expect(stage.outcomes[call] == nil)
        stage.wait(seconds: 0.2)
        guard case .loginFailed("expired_token", _?) = stage.failure(of: call) else {
            Issue.record("\(String(describing: stage.failure(of: call)))")
            return
        }
        #expect(stage.streams[scene]?.events.last?.reason == "expired_token")
        #expect(stage.polls.isEmpty && stage.session.login == nil && stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    @Test func aQuestionAskedBeforeTheCodesEndIsWaitedFor() {
        let call = stage.loginIfRequired(nil, options(timeout: 3600))
        stage.showCode { $0.interval = 899 }
        #expect(nextPoll() == 899)
        stage.wait(seconds: 10)
        #expect(stage.outcomes[call] == nil)
        grant()
        #expect(stage.progress(of: call)?.state == .signedIn)
    }

    @Test func aLatePendingAtTheCodesEndIsItsEnd() {
        let call = stage.loginIfRequired(nil, options(timeout: 3600))
        stage.showCode { $0.interval = 899 }
        #expect(nextPoll() == 899)
        stage.wait(seconds: 10)
        stage.answer(.pending)
        #expect(stage.failure(of: call) == LoginEnd.codeExpired.failure)
        #expect(stage.polls.isEmpty)
    }

    enum End: CaseIterable { case cancel, timeout, hangUp, logoutOfNobody, deny }

    @Test(arguments: End.allCases, [false, true])
    func nothingIsAskedAfterTheEndAndLateTokensAreRevoked(end: End, isAsking: Bool) {
        let call = stage.loginIfRequired(nil, options(timeout: 100))
        stage.showCode()
        if isAsking { #expect(nextPoll() == 5) }
        switch end {
        case .cancel: stage.call { $0.loginCancelled($1, world: $2) }
        case .timeout:
            while stage.outcomes[call] == nil {
                stage.wait(seconds: 1)
                if !isAsking { stage.answer(.pending) }
            }
        case .hangUp: stage.hangUp(call)
        case .logoutOfNobody: stage.happens { $0.appVanished(world: $1) }
        case .deny:
            let failure = Failure.loginFailed(code: "access_denied", description: nil)
            stage.happens { $0.loginFailed(1, failure, world: $1) }
            #expect(stage.failure(of: call) == failure)
        }
        #expect(stage.session.login == nil && stage.ends[1] != nil)
        stage.polls = []
        stage.wait(seconds: 900)
        #expect(stage.polls.isEmpty && stage.session.nextDeadline == nil)
        stage.happens { $0.deviceAnswered(1, .pending, world: $1) }
        #expect(stage.revocations.isEmpty)
        grant()
        #expect(stage.session.accounts.isEmpty)
        #expect(stage.revocations.map(\.record.refreshToken) == [Secret("new-a1")])
        #expect(stage.revocations.map(\.record.reason) == ["late"])
        stage.expectNoFaults()
    }

    @Test func tokensOfAnEarlierLoginDoNotCompleteTheNext() {
        stage.loginIfRequired(nil, device)
        stage.showCode()
        _ = nextPoll()
        stage.call { $0.loginCancelled($1, world: $2) }
        let call = stage.loginIfRequired(nil, device)
        stage.showCode()
        grant(to: 1)
        #expect(stage.outcomes[call] == nil && stage.session.accounts.isEmpty)
        #expect(stage.revocations.count == 1)
        stage.polls = []
        #expect(nextPoll() == 5)
        grant("a2", to: 2)
        #expect(stage.progress(of: call)?.account?.username == "user-a2")
    }

    @Test func tokensThatNobodyAskedForAreNotTaken() {
        let call = stage.loginIfRequired(nil, device)
        stage.showCode()
        grant()
        #expect(stage.outcomes[call] == nil)
        #expect(stage.revocations.count == 1)
    }

    @Test(arguments: [false, true])
    func aUserSignedOutWhileTheyAreAskedForStaysOut(isAsking: Bool) {
        let stage = Stage(accounts: 1)
        let call = stage.requestLogin(nil, device)
        stage.showCode()
        if isAsking { stage.wait(seconds: 5) }
        #expect(stage.polls.count == (isAsking ? 1 : 0))
        stage.logout("a1")
        if !isAsking { stage.wait(seconds: 5) }
        stage.polls = []
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        if isAsking {
            #expect(stage.failure(of: call) == .loginFailed(code: "signedOut", description: nil))
            #expect(stage.session.accounts.isEmpty)
        } else {
            #expect(stage.progress(of: call)?.state == .signedIn)
        }
        stage.expectNoFaults()
    }

    @Test func whoWasSignedOutMaySignInWithTheCodeLater() {
        let stage = Stage(accounts: 1)
        let call = stage.requestLogin(nil, device)
        stage.showCode()
        stage.wait(seconds: 5)
        stage.logout("a1")
        stage.answer(.pending)
        stage.wait(seconds: 5)
        stage.polls = []
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        #expect(stage.progress(of: call)?.state == .signedIn)
    }

    @Test func aStopWaitsForAnAnswerOnItsWay() {
        stage.loginIfRequired(nil, device)
        stage.showCode()
        #expect(!stage.session.isBusy)
        _ = nextPoll()
        #expect(stage.session.isBusy)
    }

    // MARK: A lost answer

    private static let spent = Failure.loginFailed(code: "invalid_grant", description: nil)

    private func refuse(_ stage: Stage, _ id: Int = 1) {
        stage.polls = []
        stage.happens { $0.loginFailed(id, Self.spent, world: $1) }
    }

    private func isInterrupted(_ stage: Stage, _ call: CallID) -> Bool {
        if case .loginFailed("loginInterrupted", _?) = stage.failure(of: call) { true } else { false }
    }

    /// The tokens may have been in it, and the code is used up then.
    @Test(arguments: [true, false]) func aCodeWhoseAnswerWasLostIsToBeUsedAgain(isLost: Bool) {
        let scene = stage.connect("s")
        let call = stage.loginIfRequired("s", device)
        stage.showCode()
        stage.wait(seconds: 5)
        stage.answer(.unavailable(retryAfterSeconds: nil, mayBeSpent: isLost))
        _ = nextPoll()
        stage.answer(.unavailable(retryAfterSeconds: nil))
        _ = nextPoll()
        refuse(stage)
        #expect(isInterrupted(stage, call) == isLost)
        #expect(isLost || stage.failure(of: call) == Self.spent)
        #expect(
            stage.streams[scene]?.events.last?.reason == (isLost ? "loginInterrupted" : "invalid_grant"))
        // Whoever asks again has a new code.
        stage.loginIfRequired("s", device)
        #expect(stage.login?.login == 2)
        stage.expectNoFaults()
    }

    @Test(arguments: [DeviceAnswer.pending, .slowDown]) func whatIsNotUsedYetIsNotLost(answer: DeviceAnswer) {
        let call = stage.loginIfRequired(nil, device)
        stage.showCode()
        stage.wait(seconds: 5)
        stage.answer(.unavailable(retryAfterSeconds: nil, mayBeSpent: true))
        _ = nextPoll()
        stage.answer(answer)
        _ = nextPoll()
        refuse(stage)
        #expect(stage.failure(of: call) == Self.spent)
    }

    // MARK: Restart

    /// The daemon dies while a code is shown, and takes the login up again.
    private func dieWithACode() -> Int {
        stage.loginIfRequired(nil, device)
        stage.showCode()
        stage.crash()
        var id = 0
        let restored = RestoredLogin(
            host: AppPolicy.production, force: false, loginHint: nil, presenter: nil, shown: .code(Stage.prompt))
        stage.happens {
            id = $0.loginRestored(restored, since: $1.now.boot, world: $1)
            return $0.restarted(world: $1)
        }
        stage.takeUp(id)
        return id
    }

    @Test(arguments: [true, false]) func whoDiesMayHaveLostTheAnswer(isPending: Bool) {
        let id = dieWithACode()
        let call = stage.loginIfRequired(nil, device)
        stage.wait(seconds: 5)
        if isPending {
            stage.answer(.pending, to: id)
            stage.wait(seconds: 5)
        }
        refuse(stage, id)
        #expect(isInterrupted(stage, call) == !isPending)
    }

    @Test func itGoesOnAfterARestart() {
        let id = dieWithACode()
        stage.wait(seconds: 4)
        let call = stage.loginIfRequired(nil, device)
        #expect(stage.told[call]?.map(\.state) == [.presenting])
        #expect(stage.told[call]?.last?.userCode == "WDJB-MJHT")
        #expect(stage.told[call]?.last?.expiresInSeconds == 896)
        stage.wait(seconds: 1)
        #expect(stage.polls.count == 1)
        grant(to: id)
        #expect(stage.progress(of: call)?.state == .signedIn)
    }
}
