import SceneModel
import Testing

@testable import SessionCore

@Suite struct LoginHostsTests {
    private let stage = Stage()

    private func add(_ url: String, _ label: String? = nil) -> CallID {
        stage.call { $0.loginHostAdded($1, url: url, label: label, world: $2) }
    }

    private func select(_ url: String) -> CallID {
        stage.call { $0.loginHostSelected($1, url: url, world: $2) }
    }

    private func remove(_ url: String) -> CallID {
        stage.call { $0.loginHostRemoved($1, url: url, world: $2) }
    }

    private func host(_ call: CallID) -> LoginHost? {
        if case .reply(.loginHost(let host)) = stage.outcomes[call] { host } else { nil }
    }

    @Test func oneIsAddedOnceHoweverItIsWritten() {
        let first = host(add("Own.example.com/", "Own"))
        #expect(first?.url == "https://own.example.com")
        #expect(first?.origin == .user)
        #expect(first?.removable == true)
        #expect(host(add("https://own.example.com", "Other"))?.label == "Own")
        #expect(host(add(AppPolicy.production))?.origin == .app)
        #expect(stage.session.loginHosts.count == 3)
        #expect(stage.ledger.loginHosts.map(\.url) == ["https://own.example.com"])
    }

    @Test func oneThatIsNoneIsRefused() {
        if case .invalidLoginHost = stage.failure(of: add("http://a.example")) {} else { Issue.record("was added") }
        #expect(stage.failure(of: add("a.example", "")) == .invalidParameter("label"))
        #expect(stage.failure(of: select("https://nowhere.example")) == .unknownLoginHost("https://nowhere.example"))
        #expect(stage.failure(of: remove("http://:")) == .unknownLoginHost("http://:"))
        #expect(stage.failure(of: remove(AppPolicy.sandbox)) == .loginHostNotRemovable(AppPolicy.sandbox))
    }

    @Test func theNumberIsBounded() {
        for index in 0..<Bounds.loginHosts { #expect(host(add("h\(index).example")) != nil) }
        #expect(stage.failure(of: add("more.example")) == .quotaExceeded(resource: "loginHosts", limit: 100))
        #expect(host(add("h7.example")) != nil)
    }

    @Test func selectionIsToldToEveryScene() {
        let scene = stage.connect("s")
        #expect(stage.session.selectedLoginHost == AppPolicy.production)
        #expect(stage.isDone(select(AppPolicy.sandbox)))
        #expect(stage.isDone(select(AppPolicy.sandbox + "/")))
        let events = stage.streams[scene]?.events.filter { $0.kind == .loginHostChanged } ?? []
        #expect(events.map(\.loginHost) == [AppPolicy.sandbox])
        #expect(events.map(\.previousLoginHost) == [AppPolicy.production])
        #expect(stage.session.loginHosts.filter(\.selected).map(\.url) == [AppPolicy.sandbox])
        stage.expectNoFaults()
    }

    @Test func theSelectedOneCanBeRemoved() {
        _ = add("own.example")
        _ = select("own.example")
        let scene = stage.connect("s")
        #expect(stage.isDone(remove("own.example")))
        #expect(stage.session.selectedLoginHost == AppPolicy.production)
        #expect(stage.kinds(scene).last == .loginHostChanged)
        #expect(stage.ledger.loginHosts.isEmpty)
    }

    @Test func oneThatTheAppDropsIsNoLongerSelected() {
        _ = select(AppPolicy.sandbox)
        var policy = AppPolicy.test()
        policy.loginHosts.removeLast()
        let scene = stage.connect("s")
        stage.mayBecome(policy)
        #expect(stage.session.selectedLoginHost == AppPolicy.production)
        #expect(hostChanges(scene) == [AppPolicy.production])
        // It comes back, and the choice counts again.
        stage.mayBecome(.test())
        #expect(hostChanges(scene) == [AppPolicy.production, AppPolicy.sandbox])
        stage.expectNoFaults()
    }

    private func hostChanges(_ scene: CallID) -> [String?] {
        stage.streams[scene]?.events.filter { $0.kind == .loginHostChanged }.map(\.loginHost) ?? []
    }

    @Test func whoChoseNoneFollowsTheFirst() {
        let scene = stage.connect("s")
        var policy = AppPolicy.test()
        policy.loginHosts.reverse()
        stage.mayBecome(policy)
        stage.mayBecome(policy)
        #expect(hostChanges(scene) == [AppPolicy.sandbox])
        stage.expectNoFaults()
    }

    @Test func aRestartWithAnotherConfigurationIsTold() {
        _ = select(AppPolicy.sandbox)
        let scene = stage.connect("s")
        var policy = AppPolicy.test()
        policy.loginHosts.removeLast()
        stage.crash(keeping: [scene], policy: policy)
        let kept = stage.streams.first { $0.value.isOpen }
        #expect(kept?.value.events.last?.kind == .loginHostChanged)
        #expect(kept?.value.events.last?.previousLoginHost == AppPolicy.sandbox)
        stage.expectNoFaults()
        let sequence = stage.session.record.sequence
        stage.crash()
        #expect(stage.session.record.sequence == sequence)
    }

    @Test func anotherHostIsToldWhenTheDiskCanHoldItAgain() {
        let scene = stage.connect("s")
        stage.disk = .full
        var policy = AppPolicy.test()
        policy.loginHosts.reverse()
        stage.mayBecome(policy)
        #expect(hostChanges(scene) == [])
        #expect(stage.session.snapshot.loginHost == AppPolicy.production)
        stage.disk = .works
        stage.wait(seconds: 3)
        #expect(hostChanges(scene) == [AppPolicy.sandbox])
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    @Test func anAppThatVanishesSelectsNothingElse() {
        let scene = stage.connect("s")
        stage.mayBecome(AppPolicy(app: "notes", afterLogout: .none, loginHosts: [], canChangeLoginHost: false))
        stage.mayBecome(.test())
        #expect(hostChanges(scene) == [])
        stage.expectNoFaults()
    }

    @Test func onlyTheAdministratorsMayBeAllowed() {
        _ = add("own.example")
        _ = select("own.example")
        let scene = stage.connect("s")
        stage.mayBecome(.test(onlyManagedLoginHosts: true))
        #expect(stage.session.loginHosts.map(\.url) == [AppPolicy.production, AppPolicy.sandbox])
        #expect(hostChanges(scene) == [AppPolicy.production])
        if case .accessDenied = stage.failure(of: add("more.example")) {} else { Issue.record("was added") }
        for call in [select("own.example"), remove("own.example")] {
            #expect(stage.failure(of: call) == .unknownLoginHost("own.example"))
        }
        #expect(stage.failure(of: remove(AppPolicy.sandbox)) == .loginHostNotRemovable(AppPolicy.sandbox))
        #expect(stage.isDone(select(AppPolicy.sandbox)))
        // What the user added is theirs again afterwards.
        stage.mayBecome(.test())
        #expect(stage.session.loginHosts.count == 3)
        stage.expectNoFaults()
    }

    @Test func manyHostsCostNoMoreThanTheirNumber() {
        let hosts = (0..<100_000).map { LoginHost(url: "https://h\($0).example") }
        for index in 0..<50 { _ = add("h\(index).example") }
        _ = select("h49.example")
        let policy = AppPolicy(app: "notes", loginHosts: hosts)
        let time = ContinuousClock().measure {
            stage.mayBecome(policy)
            for _ in 0..<1_000 { _ = stage.session.selectedLoginHost }
            #expect(stage.session.loginHosts.count == hosts.count)
        }
        // Each host compared with each would take minutes.
        #expect(time < .seconds(20))
    }

    @Test func hiddenMeansRefused() {
        stage.mayBecome(.test(canChangeLoginHost: false))
        for call in [add("a.example"), select(AppPolicy.sandbox), remove("a.example")] {
            if case .accessDenied = stage.failure(of: call) {} else { Issue.record("was allowed") }
        }
    }

    @Test func anUnknownSceneChangesNothing() {
        let call = stage.call(scene: "x") { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        #expect(stage.failure(of: call) == .unknownScene("x"))
    }

    @Test func whatCannotBeStoredIsNotThere() {
        stage.disk = .full
        for call in [add("a.example"), select(AppPolicy.sandbox)] {
            #expect(stage.failure(of: call) == .storageUnavailable(reason: "full"))
        }
        stage.disk = .works
        _ = add("a.example")
        stage.disk = .full
        #expect(stage.failure(of: remove("a.example")) == .storageUnavailable(reason: "full"))
        #expect(stage.session.loginHosts.count == 3)
        #expect(stage.session.selectedLoginHost == AppPolicy.production)
    }

    // MARK: A login under way

    private func selectOnScreen(_ url: String, login: Int = 1) -> CallID {
        let call = stage.call { $0.loginHostSelected(Caller(call: $1.call, login: login), url: url, world: $2) }
        stage.expectNoFaults()
        return call
    }

    @Test func aLoginMovesWithTheOneWhoShowsIt() {
        stage.connect("s")
        let call = stage.loginIfRequired("s")
        stage.present()
        stage.call(scene: "s") { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        #expect(stage.login?.host == AppPolicy.sandbox)
        #expect(stage.session.login?.host == AppPolicy.sandbox)
        stage.present()
        #expect(stage.lastTold[call]?.state == .presenting)
        stage.signIn()
        #expect(stage.progress(of: call)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func aLoginMovesWithAChoiceOnItsScreen() {
        stage.loginIfRequired()
        stage.present()
        #expect(stage.isDone(selectOnScreen(AppPolicy.sandbox)))
        #expect(stage.login?.host == AppPolicy.sandbox)
        #expect(stage.session.login?.awaitsUser == false)
        stage.expectNoFaults()
    }

    @Test func itStaysWhereItIsForOthers() {
        stage.connect("s")
        stage.connect("other")
        stage.loginIfRequired("s")
        stage.present()
        stage.call(scene: "other") { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        #expect(stage.isDone(selectOnScreen(AppPolicy.sandbox, login: 7)))
        #expect(stage.login?.host == AppPolicy.production)
        // On its screen, the host that is selected by now can be chosen all the same.
        #expect(stage.isDone(selectOnScreen(AppPolicy.sandbox)))
        #expect(stage.login?.host == AppPolicy.sandbox)
        stage.expectNoFaults()
    }

    @Test func itMovesToTheFirstWhenItsHostIsRemoved() {
        _ = add("own.example")
        _ = select("own.example")
        stage.loginIfRequired()
        stage.present()
        #expect(stage.login?.host == "https://own.example")
        let call = stage.call {
            $0.loginHostRemoved(Caller(call: $1.call, login: 1), url: "own.example", world: $2)
        }
        #expect(stage.isDone(call))
        #expect(stage.login?.host == AppPolicy.production)
        stage.expectNoFaults()
    }

    /// It was begun with a host of its own choice.
    @Test(arguments: ["own.example", "other.example"])
    func itStaysWhereAnotherHostIsRemoved(removed: String) {
        for own in ["own.example", "other.example"] { _ = add(own) }
        _ = select("own.example")
        stage.connect("s")
        var options = LoginOptions()
        options.loginHost = AppPolicy.sandbox
        let call = stage.loginIfRequired("s", options)
        stage.present()
        let removal = stage.call(scene: "s") { $0.loginHostRemoved($1, url: removed, world: $2) }
        #expect(stage.isDone(removal))
        #expect(stage.login?.host == AppPolicy.sandbox && stage.session.login?.awaitsUser == true)
        stage.signIn()
        #expect(stage.progress(of: call)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func itDoesNotMoveOnceTheUserIsBack() {
        let call = stage.loginIfRequired()
        stage.present()
        stage.comeBack()
        #expect(stage.isDone(selectOnScreen(AppPolicy.sandbox)))
        #expect(stage.login?.host == AppPolicy.production)
        stage.happens { $0.tokensReceived(1, .test("a1"), world: $1) }
        #expect(stage.progress(of: call)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func whoAskedForItsHostGoesWithIt() {
        var options = LoginOptions()
        options.loginHost = AppPolicy.production
        let call = stage.call(streams: true) { $0.loginIfRequired($1, options: options, world: $2) }
        stage.present()
        #expect(stage.isDone(selectOnScreen(AppPolicy.sandbox)))
        stage.present()
        #expect(stage.failure(of: call) == nil)
        #expect(stage.lastTold[call]?.state == .presenting)
        stage.expectNoFaults()
    }

    @Test func aLoginThatHasYetToBeginBeginsThere() {
        stage.connect("s")
        stage.disk = .held
        stage.call(scene: "s") { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        stage.loginIfRequired("s")
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.login?.host == AppPolicy.sandbox)
        stage.expectNoFaults()
    }
}

@Suite struct LoginAtAnotherHostTests {
    private let stage = Stage()

    /// A call that presents a login, whose screen is up.
    private func presenting(_ scene: String?, _ options: LoginOptions = LoginOptions()) -> CallID {
        if let scene { stage.connect(scene) }
        let call = stage.loginIfRequired(scene, options)
        stage.present()
        return call
    }

    private func select(_ url: String, scene: String?) {
        let call = stage.call(scene: scene) { $0.loginHostSelected($1, url: url, world: $2) }
        #expect(stage.isDone(call))
    }

    @Test(arguments: ["s", nil])
    func theLoginOfWhoChoseItBeginsAgain(scene: String?) throws {
        let call = presenting(scene)
        let login = try #require(stage.login?.login)
        select(AppPolicy.sandbox, scene: scene)
        #expect(stage.login == LoginOrder(login: login, host: AppPolicy.sandbox, loginHint: nil, force: false))
        // What comes of the authorization before counts no longer.
        stage.happens { $0.userReturned(login, world: $1) }
        if case .preparing = stage.session.login?.state {} else { Issue.record("the former state counted") }
        let page = LoginPage(loginScreen: Stage.page.loginScreen, authorizationUri: "https://test.example.com/a")
        stage.happens { $0.loginReady(login, page: page, world: $1) }
        #expect(stage.told[call]?.last?.authorizationUri == page.authorizationUri)
        stage.signIn()
        #expect(stage.progress(of: call)?.state == .signedIn)
        let events = (1...stage.session.record.sequence).compactMap { stage.session.history[$0]?.kind }
        #expect(events.filter { $0 == .loginStarted || $0 == .loginEnded }.count == 2)
        stage.expectNoFaults()
    }

    @Test func aLoginThatIsBeingStoredBeginsThere() {
        stage.connect("s")
        stage.disk = .held
        stage.loginIfRequired("s")
        stage.call(scene: "s") { $0.loginHostSelected($1, url: AppPolicy.sandbox, world: $2) }
        stage.disk(works: true)
        #expect(stage.login?.host == AppPolicy.production)
        stage.disk(works: true)
        #expect(stage.login?.host == AppPolicy.sandbox)
        stage.expectNoFaults()
    }

    @Test func nobodyElsesLoginBeginsAgain() {
        _ = presenting("s")
        stage.connect("other", pid: 8)
        select(AppPolicy.sandbox, scene: "other")
        select(AppPolicy.production, scene: nil)
        #expect(stage.login?.host == AppPolicy.production)
        if case .presenting = stage.session.login?.state {} else { Issue.record("the login began again") }
        stage.expectNoFaults()
    }

    @Test func aUserWhoIsBackStays() {
        let call = presenting("s")
        stage.comeBack()
        select(AppPolicy.sandbox, scene: "s")
        #expect(stage.login?.host == AppPolicy.production)
        stage.signIn()
        #expect(stage.progress(of: call)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func whoAskedForTheFormerHostIsTold() {
        var options = LoginOptions()
        options.loginHost = AppPolicy.production
        let call = presenting("s", options)
        stage.connect("other", pid: 8)
        let choosy = stage.loginIfRequired("other", options)
        let easy = stage.loginIfRequired("other")
        select(AppPolicy.sandbox, scene: "s")
        #expect(stage.failure(of: choosy) == Session.loginInProgress)
        stage.signIn()
        for call in [call, easy] { #expect(stage.progress(of: call)?.state == .signedIn) }
        stage.expectNoFaults()
    }

    @Test func oneThatWasAskedForIsLeftForTheSelectedOne() {
        var options = LoginOptions()
        options.loginHost = AppPolicy.sandbox
        _ = presenting("s", options)
        select(AppPolicy.production, scene: "s")
        #expect(stage.login?.host == AppPolicy.production)
        stage.expectNoFaults()
    }

    @Test func theFirstTakesOverWhereTheSelectedOneIsRemoved() {
        stage.call { $0.loginHostAdded($1, url: "own.example", label: nil, world: $2) }
        select("own.example", scene: nil)
        _ = presenting("s")
        #expect(stage.login?.host == "https://own.example")
        stage.call(scene: "s") { $0.loginHostRemoved($1, url: "own.example", world: $2) }
        #expect(stage.login?.host == AppPolicy.production)
        stage.expectNoFaults()
    }
}
