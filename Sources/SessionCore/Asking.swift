import SceneModel

// A login through the app's identity provider, seen from the asking app.

extension Session {
    /// Whom the login asks; nil where it goes to the login host by itself.
    func provider(for asker: Waiter, _ world: World) -> AskedProvider? {
        guard let app = policy.identityProvider, !app.isScheme, asker.options.mayAskProvider else { return nil }
        let host = asker.options.loginHost.flatMap { loginHost($0)?.url }
        return AskedProvider(
            app: app, request: world.newIdentifier(), loginHosts: host.map { [$0] } ?? loginHosts.map(\.url))
    }

    /// What comes first once history shows the login begun.
    mutating func setOut(_ login: LoginAttempt) -> Action {
        guard let asked = login.asked, asked.choice == nil else {
            self.login?.state = .preparing
            return .beginLogin(login.order)
        }
        self.login?.state = .asking
        let question = AuthorizationQuestion(
            request: asked.request, requestingApp: key.app, loginHosts: asked.loginHosts, loginHint: login.loginHint)
        return .tellProvider(asked.app, .asks(question))
    }

    /// The identity provider has answered. What comes for a login that is over, or twice, changes nothing.
    package mutating func providerAnswered(_ request: String, _ answer: ProviderAnswer, world: World) -> [Action] {
        guard let login, let asked = login.asked, asked.request == request, !login.isEnding else { return [] }
        if case .leftThePage = answer {
            self.login?.asked?.presents = false
            return tell(world)
        }
        guard case .asking = login.state else { return [] }
        switch answer {
        case .approved(let choice): return approved(choice, login, world)
        case .denied(let code, let description):
            return end(.failed(.loginFailed(code: code, description: description)), world)
        case .expired:
            return end(.failed(.loginFailed(code: "authorizationExpired", description: nil)), world)
        case .nobodyThere: return goOnLocally(login, because: Self.nobodyThere, world)
        case .failed(let failure): return end(.failed(failure), world)
        case .leftThePage: return []
        }
    }

    private mutating func approved(_ choice: AuthorizedAccount, _ login: LoginAttempt, _ world: World) -> [Action] {
        var login = login
        login.asked?.choice = choice
        login.host = choice.account.loginHost
        login.loginHint = choice.account.username ?? choice.account.email ?? login.loginHint
        login.state = .preparing
        self.login = login
        return [.beginLogin(login.order)] + tell(world)
    }

    /// The login goes to its login host without the provider.
    mutating func goOnLocally(_ login: LoginAttempt, because reason: String?, _ world: World) -> [Action] {
        var login = login
        let isAsking = if case .asking = login.state { true } else { false }
        login.expected = login.asked?.choice?.account
        login.asked = nil
        login.sent = nil
        login.localReason = reason
        if isAsking { login.state = .preparing }
        self.login = login
        return (isAsking ? [.beginLogin(login.order)] : []) + tell(world)
    }

    /// Somebody who waits wants to sign in without the provider, and shows the login screen.
    mutating func leaveProvider(_ world: World) -> [Action] {
        guard let login, login.asked != nil || login.sent != nil,
            waiters.contains(where: { wantsLogin($0) && $0.options.local == true })
        else { return [] }
        guard let asked = login.asked else { return goOnLocally(login, because: nil, world) }
        switch login.state {
        case .starting, .asking, .preparing, .presenting, .polling:
            return [.tellProvider(asked.app, .isOver(request: asked.request, .cancelled))]
                + goOnLocally(login, because: nil, world)
        case .redeeming, .completing, .ending:
            return []
        }
    }

    /// Whether a user who signs in here can go back to the app's identity provider.
    package var canReturnToProvider: Bool {
        guard let provider = policy.identityProvider, !provider.isScheme else { return false }
        guard let login else { return true }
        // One that the provider has begun is nobody's here.
        guard !login.force, login.presentation == .browser, isWaiting(login.presenter) else { return false }
        switch login.state {
        case .preparing, .presenting: return true
        case .starting, .asking, .polling, .redeeming, .completing, .ending: return false
        }
    }

    /// The user goes back from the login screen: the identity provider is asked, once more if it was before.
    package mutating func returnedToProvider(_ caller: Caller, world: World) -> [Action] {
        guard canReturnToProvider, var login, var asker = waiters[login.presenter.call] else {
            return [.reply(caller.call, .done)]
        }
        // Whoever wanted to sign in without it is overruled.
        for waiter in waiters where waiter.options.local == true { waiters[waiter.caller.call]?.options.local = nil }
        asker.options.local = nil
        asker.options.presentation = login.presentation
        let former = login.asked.map { Action.tellProvider($0.app, .isOver(request: $0.request, .cancelled)) }
        login.asked = provider(for: asker, world)
        login.expected = nil
        login.localReason = nil
        self.login = login
        return [.leaveScreen(login.id)] + (former.map { [$0] } ?? []) + [setOut(login)] + tell(world)
            + [.reply(caller.call, .done)]
    }

    /// The provider app begins a login of this one, for an account that was picked there.
    package mutating func loginOffered(
        _ request: String, by app: String, _ choice: AuthorizedAccount, world: World
    ) -> [Action] {
        func refused(_ failure: Failure) -> [Action] {
            [.tellProvider(app, .isOver(request: request, .failed(failure)))]
        }
        guard policy.identityProvider == app else {
            return refused(.accessDenied(reason: "\(key.app) does not name \(app) as its IdentityProvider="))
        }
        if record.locked { return refused(.sessionLocked) }
        if login != nil { return refused(Self.loginInProgress) }
        guard let host = loginHost(choice.account.loginHost) else {
            return refused(.unknownLoginHost(choice.account.loginHost))
        }
        var attempt = LoginAttempt(
            id: nextLogin, host: host.url, force: false,
            loginHint: choice.account.username ?? choice.account.email, presentation: .browser, state: .starting,
            presenter: Caller(call: CallID(0)))
        nextLogin += 1
        attempt.asked = AskedProvider(app: app, request: request, loginHosts: [host.url], choice: choice)
        attempt.keptUntil = world.now.boot.advanced(bySeconds: Bounds.authorization)
        login = attempt
        return enqueue(.startLogin(attempt.id, attempt.presenter), world)
    }

    /// A login that the provider has begun and that could not be stored: nobody else is told.
    func refuseOffer(_ end: LoginEnd) -> [Action] {
        guard let asked = login?.asked, asked.choice != nil else { return [] }
        return [.tellProvider(asked.app, .isOver(request: asked.request, end))]
    }

    /// The login screen is up: the provider's scene opens it where it is to.
    func handOver(_ page: LoginPage) -> [Action] {
        guard let asked = login?.asked, asked.presents else { return [] }
        return [.tellProvider(asked.app, .isReady(request: asked.request, .screen(page)))]
    }

    /// Whatever belongs to a login that has come to its end is to go, here and with its provider.
    func over(_ login: LoginAttempt?, _ end: LoginEnd) -> [Action] {
        guard let login else { return [] }
        let told = login.asked.map { Action.tellProvider($0.app, .isOver(request: $0.request, end)) }
        return [.endLogin(login.id, end)] + (told.map { [$0] } ?? [])
    }
}
