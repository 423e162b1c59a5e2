import SceneModel
import Testing

@testable import SessionCore

/// Logins through an identity provider that is asked by a URL.
@Suite struct MessagesTests {
    private let url = "com.example.notes:/idp/authrequest?x"

    private func asker() -> Stage {
        var policy = AppPolicy.test()
        policy.identityProvider = "com.example.notes:"
        return Stage(policy: policy)
    }

    private func present(_ stage: Stage, uri: String?) {
        var page = Stage.page
        page.identityProviderUri = uri
        guard let login = stage.login?.login else { return }
        stage.happens { $0.loginReady(login, page: page, world: $1) }
    }

    private func local() -> LoginOptions {
        var options = LoginOptions()
        options.local = true
        return options
    }

    @Test func thePresenterIsGivenTheRequestBesideTheLoginScreen() throws {
        let stage = asker()
        let (call, other) = (stage.loginIfRequired(), stage.loginIfRequired())
        let sent = try #require(stage.login?.sent)
        #expect(sent.provider == "com.example.notes:" && sent.request != sent.nonce)
        present(stage, uri: url)
        let told = try #require(stage.told[call]?.last)
        #expect(told.state == .presenting && told.identityProvider == "com.example.notes:")
        #expect(told.identityProviderUri == url && told.loginScreen == Stage.page.loginScreen)
        #expect(stage.told[other]?.last?.identityProviderUri == nil)
        stage.signIn("b1")
        #expect(stage.progress(of: call)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func whatCannotBeMadeIsNotAsked() {
        let stage = asker()
        let call = stage.loginIfRequired()
        present(stage, uri: nil)
        #expect(stage.told[call]?.last?.identityProvider == nil && stage.session.login?.sent == nil)
        stage.expectNoFaults()
    }

    @Test func withoutAnAnswerTheLoginIsLocal() {
        let stage = asker()
        let call = stage.loginIfRequired()
        present(stage, uri: url)
        stage.wait(seconds: Double(Bounds.authorization) - 1)
        #expect(stage.told[call]?.last?.identityProviderUri == url)
        stage.wait(seconds: 1)
        let told = stage.told[call]?.last
        #expect(told?.state == .presenting && told?.identityProviderUri == nil && told?.identityProvider == nil)
        #expect(told?.reason == "identityProviderSilent" && told?.loginScreen == Stage.page.loginScreen)
        stage.signIn("b1")
        #expect(stage.progress(of: call)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func whoWantsTheLoginLocalTakesItOver() {
        let stage = asker()
        let first = stage.loginIfRequired()
        present(stage, uri: url)
        _ = stage.loginIfRequired(nil, local())
        #expect(stage.told[first]?.last?.identityProviderUri == nil)
        #expect(stage.told[first]?.last?.loginScreen == Stage.page.loginScreen)
        stage.expectNoFaults()
    }

    @Test func anErrorEndsTheLoginThatAskedOnce() {
        let stage = asker()
        let call = stage.loginIfRequired()
        present(stage, uri: url)
        let request = stage.session.login?.sent?.request ?? ""
        stage.happens { $0.requestRefused("made-up", code: "access_denied", description: nil, world: $1) }
        #expect(stage.outcomes[call] == nil)
        stage.happens { $0.requestRefused(request, code: "no_account", description: "Ask the office.", world: $1) }
        #expect(stage.failure(of: call) == .loginFailed(code: "no_account", description: "Ask the office."))
        let next = stage.loginIfRequired()
        present(stage, uri: url)
        stage.happens { $0.requestRefused(request, code: "access_denied", description: nil, world: $1) }
        #expect(stage.outcomes[next] == nil)
        stage.expectNoFaults()
    }

    @Test func nobodyThereMakesTheLoginLocal() {
        let stage = asker()
        let call = stage.loginIfRequired()
        present(stage, uri: url)
        let request = stage.session.login?.sent?.request ?? ""
        stage.happens { $0.requestRefused(request, code: Session.nobodyThereCode, description: nil, world: $1) }
        #expect(stage.told[call]?.last?.reason == Session.nobodyThere)
        #expect(stage.told[call]?.last?.state == .presenting)
        stage.expectNoFaults()
    }

    @Test func anInvitedLoginWaitsForNobodyAndNotForEver() {
        let stage = asker()
        stage.happens { $0.loginInvited(loginHint: "ada", world: $1) }
        #expect(stage.login?.loginHint == "ada" && stage.login?.sent?.isInvited == true)
        #expect(stage.session.refusalOfInvitation != nil)
        let first = stage.login?.login
        stage.happens { $0.loginInvited(loginHint: "eve", world: $1) }
        #expect(stage.login?.login == first && stage.login?.loginHint == "ada")
        present(stage, uri: url)
        stage.wait(seconds: Double(Bounds.authorization))
        #expect(stage.session.login == nil)
        stage.expectNoFaults()
    }

    /// A login that nobody can be shown would keep others from theirs.
    @Test(arguments: [nil, Session.nobodyThereCode], [true, false])
    func anInvitedLoginEndsWithItsRequest(code: String?, isWaitedFor: Bool) {
        let stage = asker()
        stage.happens { $0.loginInvited(loginHint: nil, world: $1) }
        let call = isWaitedFor ? stage.loginIfRequired() : nil
        present(stage, uri: code == nil ? nil : url)
        if let code, let request = stage.session.login?.sent?.request {
            stage.happens { $0.requestRefused(request, code: code, description: nil, world: $1) }
        }
        #expect((stage.session.login == nil) == !isWaitedFor)
        if let call { #expect(stage.told[call]?.last?.loginScreen == Stage.page.loginScreen) }
        stage.expectNoFaults()
    }

    @Test func aNonceIsGoodOnceAndRemembered() {
        let stage = asker()
        func isNew(_ nonce: String, seconds: Int = 60) -> Bool {
            var isNew = false
            stage.happens { session, world in
                isNew = session.isFirstSight(of: nonce, seconds: seconds, world: world)
                return []
            }
            return isNew
        }
        #expect(isNew("n") && !isNew("n"))
        for number in 1..<Bounds.nonces {
            let wasNew = isNew("n\(number)", seconds: 600)
            #expect(wasNew)
        }
        // Rather none at all than one that may have been here.
        #expect(!isNew("more"))
        stage.wait(seconds: 61)
        #expect(isNew("more") && !isNew("n1"))
    }

    // MARK: As the identity provider

    private func question(_ request: String, seconds: Int = 600) -> AuthorizationQuestion {
        AuthorizationQuestion(
            request: request, requestingApp: "com.example.mail:", loginHosts: [AppPolicy.production], loginHint: nil,
            expiry: Instant(nanoseconds: 1_000_000_000_000).advanced(bySeconds: seconds))
    }

    private func provider(allows: Set<String> = ["com.example.mail:"]) -> Stage {
        var policy = AppPolicy.test()
        policy.identityProviderFor = allows
        let stage = Stage(accounts: 1, policy: policy)
        stage.connect("p1")
        return stage
    }

    private func approve(_ stage: Stage, _ request: String) -> CallID {
        stage.call(scene: "p1") { $0.authorizationApproved($1, request: request, account: "a1", world: $2) }
    }

    @Test func anAppElsewhereIsAnsweredByWhatThereIsToOpen() {
        let stage = provider()
        stage.happens { $0.askerSaid(.asks(question("r1")), world: $1) }
        #expect(stage.session.history.newest(.authorizationRequested)?.requestingApp == "com.example.mail:")
        let answer = approve(stage, "r1")
        #expect(stage.outcomes[answer] == nil)
        stage.happens { $0.askerSaid(.isReady(request: "r1", .loginHost(authorizationUri: "https://h/a")), world: $1) }
        guard case .reply(.authorized(.loginHost("https://h/a"))) = stage.outcomes[answer] else {
            Issue.record("not answered")
            return
        }
        #expect(stage.session.authorizations.isEmpty)
        #expect(stage.failure(of: approve(stage, "r1")) == .unknownRequest("r1"))
        stage.expectNoFaults()
    }

    @Test func itsRequestEndsWhenItsUrlDoes() {
        let stage = provider()
        stage.happens { $0.askerSaid(.asks(question("r1", seconds: 20)), world: $1) }
        #expect(stage.session.openAuthorizations(world: stage.world).map(\.expiresInSeconds) == [20])
        stage.wait(seconds: 20)
        #expect(stage.session.history.newest(.authorizationEnded)?.reason == "expired")
        #expect(stage.failure(of: approve(stage, "r1")) == .unknownRequest("r1"))
        stage.expectNoFaults()
    }

    @Test func noMoreWaitThanTheUserCanLookAt() {
        let stage = provider()
        for number in 0..<Bounds.openMessages {
            #expect(stage.session.hasRoomForMessages)
            stage.happens { $0.askerSaid(.asks(question("r\(number)")), world: $1) }
        }
        #expect(!stage.session.hasRoomForMessages)
    }
}
