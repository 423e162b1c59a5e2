import SceneModel

// LoginIfRequired, Login, HandleLogout, CancelLogin, and what the world reports of the login under way.

extension Session {
    /// Complete when there is a current user; sign one in where there is none.
    package mutating func loginIfRequired(_ caller: Caller, options: LoginOptions, world: World) -> [Action] {
        if let refusal = refusal(caller, options) { return [.fail(caller.call, refusal)] }
        if let usable, needsNoLogin(options) {
            return [.reply(caller.call, .login(completed(.alreadySignedIn, usable.account)))]
        }
        if options.presentation == LoginOptions.Presentation.none {
            return [.fail(caller.call, record.locked ? .sessionLocked : .interactionRequired(reason: "notSignedIn"))]
        }
        return wait(caller, .currentUser, options, world)
    }

    /// Whether `loginIfRequired` would do no more than answer `alreadySignedIn`. Asked without a copy of anything: this
    /// is what most calls come for.
    package func isAlreadySignedIn(scene: String?, options: LoginOptions?) -> Bool {
        guard let options else { return needsNoLogin(LoginOptions()) && scene.map { scenes[$0] != nil } ?? true }
        let caller = Caller(call: CallID(0), scene: scene)
        return needsNoLogin(options) && refusal(caller, options) == nil
    }

    /// What is answered then. It stays as it is until the next change is committed.
    package var alreadySignedIn: LoginProgress? {
        usable.map { completed(.alreadySignedIn, $0.account) }
    }

    private func needsNoLogin(_ options: LoginOptions) -> Bool {
        hasUsable && !record.locked && options.force != true
    }

    /// Sign in one more account and make it current.
    package mutating func loginRequested(_ caller: Caller, options: LoginOptions, world: World) -> [Action] {
        if let refusal = refusal(caller, options) { return [.fail(caller.call, refusal)] }
        if record.locked { return [.fail(caller.call, .sessionLocked)] }
        if options.presentation == LoginOptions.Presentation.none {
            return [.fail(caller.call, .interactionRequired(reason: "a login shows a login screen"))]
        }
        return wait(caller, .login, options, world)
    }

    /// Complete when, after a logout, there is a current user again as the app's policy says.
    package mutating func logoutHandled(_ caller: Caller, options: LoginOptions, world: World) -> [Action] {
        if usable == nil, pending == .nothing { return [.fail(caller.call, .notSignedIn)] }
        return loginIfRequired(caller, options: options, world: world)
    }

    package mutating func loginCancelled(_ caller: Caller, world: World) -> [Action] {
        if let scene = caller.scene, scenes[scene] == nil { return [.fail(caller.call, .unknownScene(scene))] }
        // What belongs to the login goes first: after the reply it must not come back over a crash.
        return (login == nil ? [] : end(.cancelled, world)) + [.reply(caller.call, .done)]
    }

    /// A waiting call's connection has ended.
    package mutating func callAbandoned(_ call: CallID) -> [Action] {
        logouts.remove(call)
        tokenWaiters.remove(call)
        let asked = authorizations.isEmpty ? [] : authorizingCallLeft(call)
        return asked + waitersLeft(waiters[call].map { [$0] } ?? [])
    }

    /// Whoever left in the turn has left.
    package mutating func turnEnded(world: World) -> [Action] {
        awaitsTurnEnd = false
        let gone = Set(authorizations.values.compactMap(\.state.scene)).filter { scenes[$0] == nil }
        let asked = gone.sorted().flatMap { authorizingSceneLeft($0, world) }
        return asked + (isSteady ? [] : settle(world))
    }

    /// Who follows them, as a presenter or to ask the user, is found once for all that leave in a turn: each time, all
    /// who wait are looked at and told, and thousands may leave at once.
    mutating func findSuccessorsLater() -> [Action] {
        if awaitsTurnEnd { return [] }
        awaitsTurnEnd = true
        return [.awaitTurnEnd]
    }

    /// The world has opened the login screen.
    package mutating func loginReady(_ id: Int, page: LoginPage, world: World) -> [Action] {
        guard login?.id == id, case .preparing = login?.state else { return [] }
        login?.state = .presenting(page)
        requestReady(page, world)
        return handOver(page) + (isSteady ? tell(world) : settle(world))
    }

    /// The login host has sent the user back.
    package mutating func userReturned(_ id: Int, world: World) -> [Action] {
        guard login?.id == id, case .presenting = login?.state else { return [] }
        login?.state = .redeeming
        return tell(world)
    }

    /// Whether the scene presents the login under way, or waits for it.
    package func isLogin(of scene: String) -> Bool {
        guard let login, scenes[scene] != nil else { return false }
        return login.presenter.scene == scene || waiters.contains { $0.caller.scene == scene && wantsLogin($0) }
    }

    /// The login host has said who the user is.
    package mutating func tokensReceived(_ id: Int, _ signIn: SignIn, world: World) -> [Action] {
        guard let login, login.id == id, login.isAsking else {
            return revokeLate(signIn.account, RevocableTokens(signIn.grant), world)
        }
        if let chosen = login.chosen, !signIn.account.isUser(of: chosen) {
            return end(.otherAccount, world)
                + revokeLate(
                    signIn.account, RevocableTokens(signIn.grant), reason: "otherAccount", world)
        }
        if login.signedOut.contains(User(signIn.account)) {
            return end(.signedOut, world) + revokeLate(signIn.account, RevocableTokens(signIn.grant), world)
        }
        self.login?.state = .completing
        return enqueue(.completeLogin(id, signIn), world)
    }

    package mutating func loginFailed(_ id: Int, _ failure: Failure, world: World) -> [Action] {
        guard let login, login.id == id else { return [] }
        return end(.failed(login.told(failure)), world)
    }

    /// The app is no longer configured: whoever waits is told.
    package mutating func appVanished(world: World) -> [Action] {
        let failure = Failure.unknownApp(key.app)
        let told = take(Array(waiters)).map { Action.fail($0.caller.call, failure) }
        return told + dropAuthorizations(failure, world) + (login == nil ? [] : end(.failed(failure), world))
    }

    /// Who waits leaves; another takes the login screen over, or the login ends.
    mutating func waitersLeft(_ leaving: [Waiter]) -> [Action] {
        guard !leaving.isEmpty else { return [] }
        let told = take(leaving).map { Action.fail($0.caller.call, .loginCancelled) }
        return isSteady ? told : told + findSuccessorsLater()
    }

    /// They wait no longer.
    @discardableResult
    mutating func take(_ leaving: [Waiter]) -> [Waiter] {
        for waiter in leaving { waiters.remove(waiter.caller.call) }
        return leaving
    }

    /// Whether the login goes on as it is whoever else comes or leaves, so that nobody who waits has to be looked at.
    var isSteady: Bool {
        guard let login else { return true }
        return login.isEnding || isWaiting(login.presenter)
    }

    func isWaiting(_ presenter: Caller) -> Bool {
        waiters[presenter.call].map(wantsLogin) ?? false
    }

    /// Whether the call cannot be taken at all.
    private func refusal(_ caller: Caller, _ options: LoginOptions) -> Failure? {
        if let scene = caller.scene, scenes[scene] == nil { return .unknownScene(scene) }
        if let timeout = options.timeoutSeconds, timeout < 1 { return .invalidParameter("options.timeoutSeconds") }
        if let hint = options.loginHint, !isText(hint) { return .invalidParameter("options.loginHint") }
        if let host = options.loginHost, loginHost(host) == nil { return .unknownLoginHost(host) }
        return nil
    }

    private mutating func wait(_ caller: Caller, _ wish: Waiter.Wish, _ options: LoginOptions, _ world: World)
        -> [Action]
    {
        let timeout = min(options.timeoutSeconds ?? Bounds.loginTimeout, Bounds.longestLoginTimeout)
        var waiter = Waiter(
            caller: caller, wish: wish, options: options, deadline: world.now.boot.advanced(bySeconds: timeout))
        waiter.joinedEnding = login?.isEnding ?? false
        waiters.append(waiter)
        // Those before it are settled already.
        let isSettled =
            if let login {
                isSteady && !(wantsLogin(waiter) && (options.local == true || conflicts(options, with: login)))
            } else { !wantsLogin(waiter) }
        return isSettled ? tell([waiter], world) : settle(world, joined: caller.call)
    }

    static let loginInProgress = Failure.loginFailed(code: "login_in_progress", description: nil)

    /// The login under way keeps its host and its manner; a call that wants another cannot join it.
    func conflicts(_ options: LoginOptions, with login: LoginAttempt) -> Bool {
        let host = options.loginHost.flatMap { loginHost($0)?.url }
        return (host != nil && host != login.host) || (options.force == true && !login.force)
    }

    /// Ends the login: what belongs to it goes at once; who waited for it is told when the end is in the history.
    /// One whose account is on its way to the disk is past that.
    mutating func end(_ reason: LoginEnd, _ world: World) -> [Action] {
        guard let login, !login.isEnding, !isCompletionInFlight else { return [] }
        self.login?.state = .ending(reason)
        return over(login, reason) + enqueue(.endLogin(login.id, reason), world)
    }

    func completed(_ state: LoginProgress.State, _ account: Account) -> LoginProgress {
        var progress = LoginProgress(state)
        progress.account = account
        progress.at = cursor
        return progress
    }
}
