import SceneModel
import Testing

@testable import SessionCore

private func options(_ fill: (inout LoginOptions) -> Void) -> LoginOptions {
    var options = LoginOptions()
    fill(&options)
    return options
}

/// Who presents the login, who joins it, and who cannot.
@Suite struct PresenterTests {
    // MARK: Takeover

    private func activate(_ scene: String, _ activation: Activation, _ stage: Stage) {
        stage.call { session, caller, _ in
            session.sceneUpdated(caller, scene: scene, activation: activation, title: nil)
        }
    }

    /// How a presenter stops being one.
    enum Leaving: CaseIterable, Sendable {
        case call, scene, time
    }

    @Test(arguments: Leaving.allCases) func whoIsInForegroundTakesOverFirst(leaving: Leaving) {
        let stage = Stage()
        let streams = Dictionary(uniqueKeysWithValues: ["s1", "s2", "s3", "s4", "s5"].map { ($0, stage.connect($0)) })
        activate("s5", .foreground, stage)
        activate("s3", .foreground, stage)
        // Each one's time ends in the order in which they are to present.
        let order = ["s1", "s3", "s5", "s2", "s4"]
        let calls = Dictionary(
            uniqueKeysWithValues: ["s1", "s2", "s3", "s4", "s5"].map { scene in
                let place = order.firstIndex(of: scene) ?? 0
                return (scene, stage.loginIfRequired(scene, options { $0.timeoutSeconds = 10 * (place + 1) }))
            })
        stage.present()
        for (presenter, heir) in zip(order, order.dropFirst()) {
            guard let call = calls[presenter], let next = calls[heir], let stream = streams[presenter] else { return }
            #expect(stage.session.snapshot.presenter == presenter)
            switch leaving {
            case .call: stage.hangUp(call)
            case .scene: stage.hangUp(stream)
            case .time: stage.wait(seconds: 10)
            }
            #expect(stage.session.snapshot.presenter == heir)
            #expect(stage.told[next]?.last?.state == .presenting)
            #expect(stage.told[next]?.last?.loginScreen == Stage.page.loginScreen)
            for other in order
            where other != heir && !order.prefix(through: order.firstIndex(of: presenter) ?? 0).contains(other) {
                #expect(stage.told[calls[other] ?? next]?.last?.presenter == heir)
            }
        }
        stage.signIn()
        #expect(stage.progress(of: calls["s4"] ?? CallID(0))?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func whoComesToTheForegroundMeanwhileIsNext() {
        let stage = Stage()
        for scene in ["s1", "s2", "s3"] { stage.connect(scene) }
        let calls = ["s1", "s2", "s3"].map { stage.loginIfRequired($0) }
        stage.present()
        activate("s2", .foreground, stage)
        activate("s2", .background, stage)
        activate("s3", .foreground, stage)
        // Nobody is shown a second login screen for that.
        #expect(stage.session.snapshot.presenter == "s1")
        stage.hangUp(calls[0])
        #expect(stage.session.snapshot.presenter == "s3")
        stage.expectNoFaults()
    }

    @Test func aSceneInForegroundThatDoesNotWaitIsNotAsked() {
        let stage = Stage()
        stage.connect("idle", foreground: true)
        stage.connect("s")
        let first = stage.loginIfRequired()
        stage.loginIfRequired("s")
        stage.present()
        stage.hangUp(first)
        #expect(stage.session.snapshot.presenter == "s")
        stage.expectNoFaults()
    }

    @Test func historyNamesWhoPresentsWhenTheLoginBegins() {
        let stage = Stage()
        let watching = stage.connect("watches")
        let first = stage.connect("s1")
        stage.connect("s2")
        stage.disk = .held
        stage.call { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        stage.loginIfRequired("s1")
        stage.loginIfRequired("s2")
        stage.hangUp(first)
        stage.disk = .works
        stage.disk(works: true)
        let started = stage.streams[watching]?.events.last { $0.kind == .loginStarted }
        #expect(started?.presenter == "s2")
        #expect(stage.session.snapshot.presenter == "s2")
        stage.expectNoFaults()
    }

    // MARK: Options of joiners

    /// The three calls that wait for a user.
    enum Method: CaseIterable, Sendable {
        case loginIfRequired, login, handleLogout
    }

    private func call(_ method: Method, _ stage: Stage, streams: Bool = true, _ options: LoginOptions) -> CallID {
        stage.call(streams: streams) { session, caller, world in
            switch method {
            case .loginIfRequired: session.loginIfRequired(caller, options: options, world: world)
            case .login: session.loginRequested(caller, options: options, world: world)
            case .handleLogout: session.logoutHandled(caller, options: options, world: world)
            }
        }
    }

    /// A session that wants a login, and has one under way for one call.
    private func loggingIn(_ first: LoginOptions = LoginOptions()) -> (Stage, CallID) {
        let stage = Stage(accounts: 1)
        stage.logout("a1")
        let call = stage.loginIfRequired(nil, first)
        stage.present()
        return (stage, call)
    }

    @Test(arguments: Method.allCases) func aJoinerThatForbidsInteractionHearsSoAtOnce(method: Method) {
        let (stage, first) = loggingIn()
        let joiner = call(method, stage, options { $0.presentation = LoginOptions.Presentation.none })
        if case .interactionRequired = stage.failure(of: joiner) {} else { Issue.record("it waits") }
        stage.signIn()
        #expect(stage.progress(of: first)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test(arguments: Method.allCases, [true, false])
    func aJoinerThatWantsAnotherLoginIsRefused(method: Method, byHost: Bool) {
        let (stage, first) = loggingIn()
        let joiner = call(
            method, stage, options { if byHost { $0.loginHost = AppPolicy.sandbox } else { $0.force = true } })
        #expect(stage.failure(of: joiner) == .loginFailed(code: "login_in_progress", description: nil))
        #expect(stage.told[first]?.map(\.state) == [.presenting])
        stage.signIn()
        #expect(stage.progress(of: first)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test(arguments: Method.allCases) func aJoinerThatWantsTheSameOrLessJoins(method: Method) {
        let (stage, first) = loggingIn(
            options {
                $0.force = true
                $0.loginHost = AppPolicy.sandbox
                $0.loginHint = "me"
            })
        let wishes = [
            LoginOptions(), options { $0.force = true }, options { $0.loginHost = "TEST.example.com/" },
            options { $0.loginHint = "you" }, options { $0.presentation = .browser }, options { $0.force = false },
        ]
        let joiners = wishes.map { call(method, stage, $0) } + [call(method, stage, streams: false, LoginOptions())]
        #expect(stage.login == LoginOrder(login: 1, host: AppPolicy.sandbox, loginHint: "me", force: true))
        stage.signIn()
        for call in [first] + joiners { #expect(stage.progress(of: call)?.state == .signedIn) }
        stage.expectNoFaults()
    }

    @Test(arguments: Method.allCases) func eachJoinersTimeIsItsOwn(method: Method) {
        let (stage, first) = loggingIn(options { $0.timeoutSeconds = 20 })
        let hasty = call(method, stage, options { $0.timeoutSeconds = 5 })
        let patient = call(method, stage, options { $0.timeoutSeconds = 30 })
        stage.wait(seconds: 6)
        #expect(stage.failure(of: hasty) == .loginTimedOut)
        #expect(stage.outcomes[first] == nil && stage.outcomes[patient] == nil)
        stage.wait(seconds: 15)
        // The first one's time is not the login's.
        #expect(stage.failure(of: first) == .loginTimedOut)
        #expect(stage.told[patient]?.last?.state == .presenting)
        stage.wait(seconds: 10)
        #expect(stage.failure(of: patient) == .loginTimedOut)
        #expect(stage.ends[1] == .timedOut)
        stage.expectNoFaults()
    }

    @Test(arguments: [Method.loginIfRequired, .handleLogout])
    func whoWaitsForAChoiceJoinsNoLogin(method: Method) {
        let stage = Stage(accounts: 3)
        stage.logout("a1")
        stage.requestLogin()
        stage.present()
        let selects = call(
            method, stage,
            options {
                $0.loginHost = AppPolicy.sandbox
                $0.force = method == .handleLogout
            })
        #expect(stage.told[selects]?.map(\.state) == [.selecting])
        stage.call { $0.switchRequested($1, account: "a2", world: $2) }
        if method == .loginIfRequired { #expect(stage.progress(of: selects)?.account?.id == "a2") }
        stage.expectNoFaults()
    }

    // MARK: A login that is kept over a restart

    private func kept(accounts: Int = 0, secondsAgo: Int = 0) -> Stage {
        let stage = Stage(accounts: accounts)
        if accounts > 0 { stage.logout("a1") }
        stage.happens { session, world in
            _ = session.loginRestored(
                RestoredLogin(
                    host: AppPolicy.production, force: false, loginHint: nil, presenter: "s", shown: .page(Stage.page)),
                since: world.now.boot.advanced(bySeconds: -secondsAgo), world: world)
            return []
        }
        return stage
    }

    @Test func whatWaitedForTheStoreHasHadThatTime() {
        let stage = kept(secondsAgo: 20)
        stage.wait(seconds: 9)
        #expect(stage.ends.isEmpty)
        stage.wait(seconds: 1)
        #expect(stage.ends[1] == .abandoned)
    }

    @Test func aSilentJoinersTimeDoesNotEndAKeptLogin() {
        let stage = kept()
        let silent = stage.loginIfRequired(streams: false, options { $0.timeoutSeconds = 5 })
        stage.wait(seconds: 6)
        #expect(stage.failure(of: silent) == .loginTimedOut)
        #expect(stage.ends.isEmpty)
        let asks = stage.loginIfRequired()
        #expect(stage.told[asks]?.last?.state == .presenting)
        stage.expectNoFaults()
    }

    @Test func norDoesTheTimeOfWhoWaitsForAChoice() {
        let stage = kept(accounts: 3)
        let selects = stage.loginIfRequired(nil, options { $0.timeoutSeconds = 5 })
        stage.wait(seconds: 6)
        #expect(stage.failure(of: selects) == .loginTimedOut)
        #expect(stage.ends.isEmpty)
        stage.wait(seconds: 25)
        #expect(stage.ends[1] == .abandoned)
    }

    /// A login that has lasted longer than the history is ended for all the same.
    @Test func aLoginWhoseBeginningIsForgottenEndsOverARestart() throws {
        let stage = Stage(accounts: 1)
        let scene = stage.connect("s")
        stage.requestLogin()
        for index in 0..<historyLimit + 1 { stage.call { $0.lockRequested($1, index.isMultiple(of: 2), world: $2) } }
        let at = try #require(stage.streams[scene]).at
        stage.crash()
        #expect(stage.kinds(stage.connect("s", after: at)).last == .loginEnded)
        #expect(!stage.session.snapshot.loginUnderWay)
        stage.expectNoFaults()
    }
}
