import SceneModel

// Login hosts: the administrator's and the app's come with the policy, the user's are the session's own.

extension Session {
    package var loginHosts: [LoginHost] {
        let selected = selectedLoginHost
        return (policy.loginHosts + ownLoginHosts).map { host in
            var host = host
            host.selected = host.url == selected
            return host
        }
    }

    /// The user's, as far as they are shown.
    private var ownLoginHosts: [LoginHost] {
        policy.onlyManagedLoginHosts ? [] : userLoginHosts.filter { policy.loginHost(at: $0.url) == nil }
    }

    /// The selected one, where it is still there; else the first.
    package var selectedLoginHost: String {
        if let url = record.selectedLoginHost,
            policy.loginHost(at: url) != nil || ownLoginHosts.contains(where: { $0.url == url })
        {
            return url
        }
        return policy.loginHosts.first?.url ?? ownLoginHosts.first?.url ?? ""
    }

    /// Where the configuration has changed, and history does not show yet what that has selected. An app that is not
    /// configured any more selects nothing else.
    var owedLoginHost: String? {
        guard !policy.loginHosts.isEmpty else { return nil }
        let selected = selectedLoginHost
        return selected == record.announcedLoginHost ? nil : selected
    }

    /// Finds a host by an address as people write it.
    func loginHost(_ address: String) -> LoginHost? {
        guard let url = try? LoginHostAddress.normalized(address),
            var host = policy.loginHost(at: url) ?? ownLoginHosts.first(where: { $0.url == url })
        else { return nil }
        host.selected = url == selectedLoginHost
        return host
    }

    /// Errors: AccessDenied, InvalidLoginHost, QuotaExceeded. One that is there already is given as it is.
    package mutating func loginHostAdded(_ caller: Caller, url: String, label: String?, world: World) -> [Action] {
        if let refusal = refusalOfHosts(caller) { return [.fail(caller.call, refusal)] }
        if policy.onlyManagedLoginHosts {
            let reason = "only the administrator's login hosts may be used"
            return [.fail(caller.call, .accessDenied(reason: reason))]
        }
        if let label, !isText(label) { return [.fail(caller.call, .invalidParameter("label"))] }
        let address: String
        switch Result(catching: { () throws(Failure) in try LoginHostAddress.normalized(url) }) {
        case .success(let normalized): address = normalized
        case .failure(let failure): return [.fail(caller.call, failure)]
        }
        return enqueue(
            .addLoginHost(caller, LoginHost(url: address, label: label ?? address, origin: .user, removable: true)),
            world)
    }

    /// Errors: AccessDenied, UnknownLoginHost, LoginHostNotRemovable.
    package mutating func loginHostRemoved(_ caller: Caller, url: String, world: World) -> [Action] {
        if let refusal = refusalOfHosts(caller) { return [.fail(caller.call, refusal)] }
        return enqueue(.removeLoginHost(caller, url: url), world)
    }

    /// Errors: AccessDenied, UnknownLoginHost.
    package mutating func loginHostSelected(_ caller: Caller, url: String, world: World) -> [Action] {
        if let refusal = refusalOfHosts(caller) { return [.fail(caller.call, refusal)] }
        return enqueue(.selectLoginHost(caller, url: url), world)
    }

    private func refusalOfHosts(_ caller: Caller) -> Failure? {
        if let scene = caller.scene, scenes[scene] == nil { return .unknownScene(scene) }
        return policy.canChangeLoginHost ? nil : .accessDenied(reason: "the app's login screen hides its login hosts")
    }

    func decideAddition(_ caller: Caller, _ host: LoginHost) -> Decision {
        if let known = loginHost(host.url) { return .nothing([.reply(caller.call, .loginHost(known))]) }
        guard userLoginHosts.count < Bounds.loginHosts else {
            return .nothing([.fail(caller.call, .quotaExceeded(resource: "loginHosts", limit: Bounds.loginHosts))])
        }
        var draft = Draft(self)
        draft.put(.putLoginHost(url: host.url, label: host.label))
        return .commit(draft.change)
    }

    func decideRemoval(_ caller: Caller, _ url: String) -> Decision {
        guard let host = loginHost(url) else { return .nothing([.fail(caller.call, .unknownLoginHost(url))]) }
        guard host.removable else { return .nothing([.fail(caller.call, .loginHostNotRemovable(url))]) }
        var draft = Draft(self)
        draft.put(.removeLoginHost(url: host.url))
        if host.selected {
            let first = policy.loginHosts.first ?? ownLoginHosts.first { $0.url != host.url }
            select(first?.url ?? "", in: &draft)
        }
        return .commit(draft.change)
    }

    func decideSelection(_ caller: Caller, _ url: String) -> Decision {
        guard let host = loginHost(url) else { return .nothing([.fail(caller.call, .unknownLoginHost(url))]) }
        if host.selected, !movesLogin(caller, to: host.url) { return .nothing([.reply(caller.call, .done)]) }
        var draft = Draft(self)
        select(host.url, in: &draft)
        return .commit(draft.change)
    }

    private func select(_ url: String, in draft: inout Draft) {
        draft.change.session.selectedLoginHost = url
        draft.announce(loginHost: url)
    }
}

// Another host for the login that is under way.
extension Session {
    /// Whether the caller shows a login at another host, whose user is not back yet.
    private func movesLogin(_ caller: Caller, to url: String) -> Bool {
        // Whom the identity provider app has picked has an account at one.
        guard let login, login.host != url, !url.isEmpty, login.chosen == nil else { return false }
        switch login.state {
        case .starting, .preparing, .presenting, .polling: return presents(caller, login)
        case .asking, .redeeming, .completing, .ending: return false
        }
    }

    private func presents(_ caller: Caller, _ login: LoginAttempt) -> Bool {
        if let screen = caller.login { return screen == login.id }
        if let scene = caller.scene { return scene == login.presenter.scene }
        return login.presenter.scene == nil && caller.pid > 0 && caller.pid == login.presenter.pid
    }

    /// A login at a host that its presenter has removed goes on at the selected one. Others stay where they are.
    mutating func leaveLoginHost(_ removed: String, for caller: Caller) -> [Action] {
        let url = try? LoginHostAddress.normalized(removed)
        return url == login?.host ? moveLogin(for: caller) : []
    }

    /// A login goes on at the host that is selected now, if it was changed by the one who shows it. Its authorization
    /// begins again, and the state of the one before counts no longer.
    mutating func moveLogin(for caller: Caller) -> [Action] {
        let host = selectedLoginHost
        guard let login, movesLogin(caller, to: host) else { return [] }
        self.login?.host = host
        // Who is on the login screen does without the provider.
        self.login?.sent = nil
        waiters[login.presenter.call]?.options.loginHost = nil
        // Its order is still to come, with the new host.
        if case .starting = login.state { return [] }
        self.login?.state = .preparing
        return self.login.map { [.moveLogin($0.order)] } ?? []
    }
}
