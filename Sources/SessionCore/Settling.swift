import SceneModel

// What follows from the facts: run after whatever changed them.

extension Session {
    /// Completes who has what they wait for, begins or ends the login, elects its presenter, and tells how it stands.
    /// With `joined` only that call is news.
    mutating func settle(_ world: World, joined: CallID? = nil) -> [Action] {
        var actions: [Action] = []
        if !waiters.isEmpty, !record.locked, let usable {
            // `force` asks for the login itself.
            let served = take(waiters.filter { $0.wish == .currentUser && $0.options.force != true })
            let progress = completed(.signedIn, usable.account)
            actions += served.map { .reply($0.caller.call, .login(progress)) }
        }
        if let login {
            if !login.isEnding { actions += leaveProvider(world) + refuseOthers(than: login) + elect(world) }
        } else if let asker = nextPresenter() {
            actions += begin(for: asker, world)
            if let login { actions += refuseOthers(than: login) }
        } else {
            actions += unpresentable()
        }
        return actions + tell(joined.map { waiters[$0].map { [$0] } ?? [] } ?? Array(waiters), world)
    }

    /// Calls that came while they could not ask for this login, and want another than it has become.
    private mutating func refuseOthers(than login: LoginAttempt) -> [Action] {
        take(waiters.filter { wantsLogin($0) && conflicts($0.options, with: login) }).map {
            .fail($0.caller.call, Self.loginInProgress)
        }
    }

    private mutating func begin(for asker: Waiter, _ world: World) -> [Action] {
        let id = nextLogin
        nextLogin += 1
        login = LoginAttempt(
            id: id, host: asker.options.loginHost.flatMap { loginHost($0)?.url } ?? selectedLoginHost,
            force: asker.options.force ?? false, loginHint: asker.options.loginHint ?? formerUser(for: asker),
            presentation: asker.options.presentation ?? .browser, state: .starting, presenter: asker.caller)
        let (asked, sent) = (provider(for: asker, world), requestToSend(for: asker.options, world))
        login?.asked = asked
        login?.sent = sent
        return enqueue(.startLogin(id, asker.caller), world)
    }

    /// Who has to sign in again, rather than one more user.
    private func formerUser(for asker: Waiter) -> String? {
        asker.wish == .currentUser ? current?.account.username : nil
    }

    /// Keeps the presenter while it waits; else another that can show the login screen takes over.
    private mutating func elect(_ world: World) -> [Action] {
        if let presenter = login?.presenter, isWaiting(presenter) { return [] }
        if case .completing = login?.state { return [] }
        guard let next = nextPresenter() else {
            // Once the user is back, nobody has to show anything any more.
            if case .redeeming = login?.state, waiters.contains(where: wantsLogin) { return [] }
            return login?.keptUntil == nil ? end(.abandoned, world) : []
        }
        login?.keptUntil = nil
        login?.presenter = next.caller
        return []
    }

    func wantsLogin(_ waiter: Waiter) -> Bool {
        waiter.wish == .login || (!record.selectionPending && !record.locked)
    }

    /// Among those who can be told the login screen's address: one that the user looks at, else the first that asked.
    private func nextPresenter() -> Waiter? {
        var first: Waiter?
        for waiter in waiters where waiter.caller.streams && wantsLogin(waiter) {
            if let scene = waiter.caller.scene, scenes[scene]?.activation == .foreground { return waiter }
            if first == nil { first = waiter }
        }
        return first
    }

    /// Calls that need a login screen and cannot be told its address, with nobody there who can.
    private mutating func unpresentable() -> [Action] {
        let reason = "call with `more` to be told the login screen's address"
        return take(waiters.filter(wantsLogin)).map { .fail($0.caller.call, .interactionRequired(reason: reason)) }
    }

    /// Tells each waiting call how things stand, where that is news to it.
    mutating func tell(_ world: World) -> [Action] { tell(Array(waiters), world) }

    mutating func tell(_ waiting: [Waiter], _ world: World) -> [Action] {
        var actions: [Action] = []
        for waiter in waiting where waiter.caller.streams {
            guard let progress = progress(of: waiter, world.now.boot), !progress.isKnown(from: waiter.told)
            else { continue }
            waiters[waiter.caller.call]?.told = progress
            actions.append(.progress(waiter.caller.call, progress))
        }
        return actions
    }

    private func progress(of waiter: Waiter, _ now: Instant) -> LoginProgress? {
        if record.locked, waiter.wish == .currentUser { return LoginProgress(.locked) }
        if record.selectionPending, waiter.wish == .currentUser {
            var progress = LoginProgress(.selecting)
            progress.accounts = accounts.map(\.account)
            return progress
        }
        guard let login, wantsLogin(waiter) else { return nil }
        var progress = LoginProgress(.waiting)
        progress.presenter = login.asked?.presents == true ? nil : login.presenter.scene
        progress.identityProvider = login.asked?.app ?? login.sent?.provider
        progress.reason = login.localReason
        switch login.state {
        case .ending:
            return nil
        case .redeeming, .completing:
            progress.state = .authorizing
        case .asking:
            break
        case .starting, .preparing:
            if login.presenter.call == waiter.caller.call, login.asked?.choice == nil { return nil }
        case .polling(let polling):
            // Any device can take the code, whichever window shows it.
            progress.show(polling.prompt, until: waiter.deadline, now)
            if login.presenter.call == waiter.caller.call { progress.state = .presenting }
        case .presenting(let page):
            guard login.presenter.call == waiter.caller.call, login.asked?.presents != true else { break }
            progress.state = .presenting
            progress.loginScreen = page.loginScreen
            progress.authorizationUri = page.authorizationUri
            if login.sent != nil { progress.identityProviderUri = page.identityProviderUri }
        }
        return progress
    }

    /// Calls whose time is up.
    mutating func expireWaiters(_ world: World) -> [Action] {
        let late = waiters.takeLate(world.now.boot)
        if late.isEmpty { return [] }
        var actions: [Action] = late.map { .fail($0.caller.call, .loginTimedOut) }
        // The last one's time is the login's.
        if let login, !login.isEnding, login.keptUntil == nil, late.contains(where: wantsLogin),
            !waiters.contains(where: wantsLogin)
        {
            if case .completing = login.state {} else { actions += end(.timedOut, world) }
        }
        return isSteady ? actions : actions + findSuccessorsLater()
    }
}
