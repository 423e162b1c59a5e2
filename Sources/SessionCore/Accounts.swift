import SceneModel

// Signing in, switching, signing out.

extension Session {
    /// Errors: UnknownAccount, UnknownScene, SessionLocked.
    package mutating func switchRequested(_ caller: Caller, account id: String, world: World) -> [Action] {
        if let refusal = refusal(of: caller) { return [.fail(caller.call, refusal)] }
        return enqueue(.switchAccount(caller, account: id), world)
    }

    func refusal(of caller: Caller) -> Failure? {
        if let scene = caller.scene, scenes[scene] == nil { return .unknownScene(scene) }
        return record.locked ? .sessionLocked : nil
    }

    func decideSwitch(_ caller: Caller, to id: String) -> Decision {
        if record.locked { return .nothing([.fail(caller.call, .sessionLocked)]) }
        guard let chosen = account(id) else { return .nothing([.fail(caller.call, .unknownAccount(id))]) }
        if record.current == id { return .nothing([.reply(caller.call, .switched(chosen.account, cursor))]) }
        var draft = Draft(self)
        makeCurrent(chosen.account, previous: current?.account, &draft)
        return .commit(draft.change)
    }

    private func makeCurrent(_ account: Account?, previous: Account?, _ draft: inout Draft) {
        draft.change.session.current = account?.id
        draft.change.session.selectionPending = false
        draft.change.session.loginPending = false
        draft.event(.currentUserChanged) {
            $0.previous = previous
            $0.current = account
        }
    }

    /// One account for one user of one issuer: who signs in again gets a new grant in place of the old one.
    func decideCompletion(_ id: Int, _ signIn: SignIn, _ world: World) -> Decision {
        guard login?.id == id, login?.isEnding == false else {
            return .commit(revocation(signIn.account, RevocableTokens(signIn.grant), reason: "late", world))
        }
        var draft = Draft(self)
        var account = signIn.account
        var grant = signIn.grant
        let known = accounts.first { $0.account.issuer == account.issuer && $0.account.subject == account.subject }
        account.id = known?.account.id ?? world.newIdentifier()
        account.state = .active
        grant.generation = (known?.grant.generation ?? 0) + 1
        if let known, known.grant.refreshToken != grant.refreshToken || grant.refreshToken == nil {
            let former = RevocableTokens(known.grant)
            draft.put(.putRevocation(revocationRecord(known.account, former, reason: "replaced", world)))
        }
        draft.put(.putAccount(AccountRecord(account: account, grant: grant, claims: signIn.claims)))
        draft.event(.loggedIn) { $0.account = account }
        if record.current != account.id {
            makeCurrent(account, previous: current?.account, &draft)
        }
        draft.event(.loginEnded) { $0.reason = LoginEnd.signedIn(name: nil).reason }
        return .commit(draft.change)
    }

    mutating func loginCompleted(_ id: Int, _ change: Change, _ world: World) -> [Action] {
        guard let account = change.signedIn else { return beginRevocations(of: change) }
        let former = login
        login = nil
        let name = account.displayName ?? account.username ?? account.email
        var actions = over(former, .signedIn(name: name))
        actions.append(.audit(audit(.signedIn, account, former?.presenter)))
        let served = take(
            waiters.filter {
                let isForced = $0.options.force != true || former?.force == true
                return $0.wish == .login || (!record.locked && isForced)
            })
        actions += served.map { .reply($0.caller.call, .login(completed(.signedIn, account))) }
        upkeep[account.id] = nil
        actions += grantReplaced(account.id, world)
        return actions + beginRevocations(of: change)
    }

    /// Errors: NotSignedIn without a current user, UnknownAccount, UnknownScene.
    package mutating func logoutRequested(_ caller: Caller, account: String?, reason: String?, world: World)
        -> [Action]
    {
        if let scene = caller.scene, scenes[scene] == nil { return [.fail(caller.call, .unknownScene(scene))] }
        if let reason, !isText(reason) { return [.fail(caller.call, .invalidParameter("reason"))] }
        guard let id = account ?? record.current else { return [.fail(caller.call, .notSignedIn)] }
        return enqueue(.logout(caller, account: id, reason: reason ?? "signedOut"), world)
    }

    /// Whoever has signed in at the login host by now is signed out (see `fence`); whoever does so later is
    /// not. Errors: UnknownScene, InvalidParameter.
    package mutating func logoutAllRequested(
        _ caller: Caller, reason: String?, byUser: Bool = false, world: World
    ) -> [Action] {
        if let scene = caller.scene, scenes[scene] == nil { return [.fail(caller.call, .unknownScene(scene))] }
        if let reason, !isText(reason) { return [.fail(caller.call, .invalidParameter("reason"))] }
        let answer: LogoutWait.Answer = byUser ? .count : .all
        return enqueue(.logoutAll(caller, reason: reason ?? "signedOut", answer: answer), world)
    }

    func decideLogout(_ caller: Caller, _ id: String, _ reason: String, _ world: World) -> Decision {
        guard let leaving = account(id) else { return .nothing(formerLogout(caller, id)) }
        return .commit(signOut([leaving], reason, world))
    }

    func decideLogoutAll(_ caller: Caller, _ reason: String, _ answer: LogoutWait.Answer, _ world: World) -> Decision {
        if accounts.isEmpty {
            let reply: Reply = answer == .count ? .accountsSignedOut(0) : .loggedOutAll([], cursor)
            return .nothing([.reply(caller.call, reply)])
        }
        return .commit(signOut(accounts, reason, world))
    }

    /// The accounts go, their tokens are queued for revocation, and who is next is decided: all in one change.
    private func signOut(_ leaving: [AccountRecord], _ reason: String, _ world: World) -> Change {
        var draft = Draft(self)
        let ids = Set(leaving.map(\.account.id))
        for record in leaving {
            draft.put(.removeAccount(id: record.account.id))
            let tokens = RevocableTokens(record.grant)
            draft.put(.putRevocation(revocationRecord(record.account, tokens, reason: reason, world)))
            draft.event(.loggedOut) {
                $0.account = record.account
                $0.reason = reason
            }
        }
        let left = accounts.filter { !ids.contains($0.account.id) }
        let losesCurrent = record.current.map(ids.contains) ?? false
        if losesCurrent || record.selectionPending { decideNext(left.map(\.account), losesCurrent, reason, &draft) }
        return draft.change
    }

    /// Rule 5: one decision, by the app's policy.
    private func decideNext(_ left: [Account], _ losesCurrent: Bool, _ reason: String, _ draft: inout Draft) {
        if policy.afterLogout == .follow, left.count == 1, let only = left.first {
            return makeCurrent(only, previous: current?.account, &draft)
        }
        if losesCurrent { makeCurrent(nil, previous: current?.account, &draft) }
        // Who was promised a choice is told what becomes of it, also where the policy is `none` by now.
        let wasPromised = policy.afterLogout == .none && record.selectionPending
        let chooses = policy.afterLogout == .follow || policy.afterLogout == .select || wasPromised
        draft.change.session.selectionPending = chooses && !left.isEmpty
        draft.change.session.loginPending =
            (policy.afterLogout != .none || wasPromised) && !draft.change.session.selectionPending
        if draft.change.session.selectionPending {
            draft.event(.selectionRequired) { $0.accounts = left }
        } else if draft.change.session.loginPending {
            draft.event(.loginRequired) { $0.reason = reason }
        }
    }

    /// Signing out one that history shows gone gives its result again.
    private func formerLogout(_ caller: Caller, _ id: String) -> [Action] {
        guard let event = formerLogout(of: id), let account = event.account else {
            return [.fail(caller.call, .unknownAccount(id))]
        }
        let isQueued = revocations.contains { $0.account.id == id }
        let remote = isQueued ? .queued : logoutRemotes[event.at.sequence] ?? .revoked
        return [.reply(caller.call, .loggedOut(LogoutResult(account: account, remote: remote), event.at))]
    }

    func formerLogout(of id: String) -> Event? {
        history.last { $0.kind == .loggedOut && $0.account?.id == id }
    }
}

extension Change {
    func puts(account id: String) -> Bool {
        operations.contains { operation in
            if case .putAccount(let record) = operation { record.account.id == id } else { false }
        }
    }

    /// The accounts that it puts, where it does nothing else.
    var accountsOnly: Set<String>? {
        guard events.isEmpty else { return nil }
        var accounts: Set<String> = []
        for operation in operations {
            guard case .putAccount(let record) = operation else { return nil }
            accounts.insert(record.account.id)
        }
        return accounts
    }

    var removesAccounts: Bool {
        operations.contains { if case .removeAccount = $0 { true } else { false } }
    }

    /// Whom this change signed in.
    var signedIn: Account? {
        events.first { $0.kind == .loggedIn }?.account
    }
}
