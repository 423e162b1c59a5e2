import SceneModel

// What is to be said and done once a change is stored, or could not be.

extension Session {
    mutating func committed(_ intent: Intent, _ change: Change, former: [AccountRecord], _ world: World)
        -> [Action]
    {
        switch intent {
        case .open, .postponeRevocation, .announceOwed, .endAuthorization:
            return []
        case .requestAuthorization(let id):
            return authorizationStored(id)
        case .degrade:
            return stateAudit(.degraded, change)
        case .startLogin(let id, let caller):
            return loginStarted(id, caller)
        case .completeLogin(let id, _):
            return loginCompleted(id, change, world)
        case .endLogin(let id, let reason):
            return loginOver(id, reason)
        case .switchAccount(let caller, _):
            guard let current else { return [] }
            return [
                .reply(caller.call, .switched(current.account, cursor)),
                .audit(audit(.switched, current.account, caller)),
            ]
        case .logout(let caller, _, let reason):
            return logoutCommitted(caller, change, former, reason, .one, world)
        case .logoutAll(let caller, let reason, let answer):
            return logoutCommitted(caller, change, former, reason, answer, world)
        case .beginRefresh(let id):
            return refreshStored(id)
        case .completeRefresh(let account, _, let refreshed):
            return refreshCompleted(account.id, refreshed.fault, change, world)
        case .refuseGrant(let id, _, let reason):
            return grantRefused(id, reason)
        case .queueRevocation(let revocation):
            return begin(revocation, idToken: nil)
        case .endRevocation:
            return retryRevocations(world: world)
        case .addLoginHost(let caller, let host):
            return [.reply(caller.call, .loginHost(loginHost(host.url) ?? host))]
        case .removeLoginHost(let caller, let url):
            return leaveLoginHost(url, for: caller) + [.reply(caller.call, .done)]
        case .selectLoginHost(let caller, _):
            return moveLogin(for: caller) + [.reply(caller.call, .done)]
        case .setLocked(let caller, let locked):
            let done: [Action] = [.reply(caller.call, .done), .audit(audit(locked ? .locked : .unlocked, nil, caller))]
            return locked ? done + refuseTokens() : done
        case .followScreen:
            let entry = audit(record.locked ? .locked : .unlocked, nil, nil, reason: Self.screenReason)
            return [.audit(entry)] + (record.locked ? refuseTokens() : [])
        }
    }

    /// The change is lost, and with it whatever waited for it.
    mutating func dropped(_ intent: Intent, _ failure: Failure, _ world: World) -> [Action] {
        switch intent {
        case .open, .degrade, .postponeRevocation, .endAuthorization:
            return []
        case .requestAuthorization(let id):
            return authorizationNotStored(id, failure)
        case .queueRevocation(let revocation):
            return [.revoke(revocation, idToken: nil)]
        case .endRevocation(let id, _):
            return revocationStays(id, world)
        case .announceOwed:
            return owe(owedEnd, world)
        case .followScreen:
            screenDue = world.now.boot.advanced(bySeconds: Bounds.firstRetry)
            return []
        case .startLogin(let id, _):
            if case .ending(let reason) = login?.state { return loginOver(id, reason) }
            return refuseOffer(.failed(failure)) + loginOver(id, .failed(failure))
        case .completeLogin(let id, let signIn):
            // The tokens cannot be kept, so they are not left alive at the login host either.
            let revocation = revokeUnstored(signIn.account, RevocableTokens(signIn.grant), world)
            guard let login, login.id == id, !login.isEnding else { return revocation }
            let end = LoginEnd.failed(failure)
            return over(login, end) + loginOver(id, end) + owe(end, world) + revocation
        case .endLogin(let id, let reason):
            return loginOver(id, reason) + owe(reason, world)
        case .switchAccount(let caller, _), .logout(let caller, _, _), .logoutAll(let caller, _, _),
            .addLoginHost(let caller, _), .removeLoginHost(let caller, _), .selectLoginHost(let caller, _),
            .setLocked(let caller, _):
            return [.fail(caller.call, failure)]
        case .beginRefresh(let id):
            return refreshNotBegun(id, failure, world)
        case .refuseGrant(let id, _, _):
            return failRefresh(id, failure)
        case .completeRefresh(let account, let generation, let refreshed):
            return keepUnstored(account, generation, refreshed, failure, world)
        }
    }

    /// History is to show the end as soon as it can be stored; who waited is told already.
    private mutating func owe(_ end: LoginEnd?, _ world: World) -> [Action] {
        owedEnd = end
        let isNothing = end == nil && owedLoginHost == nil
        owedDue = isNothing ? nil : world.now.boot.advanced(bySeconds: Bounds.firstRetry)
        return []
    }

    private mutating func loginStarted(_ id: Int, _ caller: Caller) -> [Action] {
        guard let login, login.id == id else { return [] }
        guard case .starting = login.state else { return [] }
        return [setOut(login), .audit(audit(.loginStarted, nil, caller))]
    }

    /// Who still waits for a token of a session that is locked now; the refreshes go on.
    private mutating func refuseTokens() -> [Action] {
        tokenWaiters.takeAll().map { .fail($0.caller.call, .sessionLocked) }
    }

    /// The login is gone; who waited for it is told.
    private mutating func loginOver(_ id: Int, _ reason: LoginEnd) -> [Action] {
        guard login?.id == id else { return [] }
        login = nil
        var entry = AuditEntry(kind: .loginEnded)
        entry.reason = reason.reason
        // Who came while it was ending waits for the next one, as does who waits for a choice; and whose time was up is
        // told already.
        let isOver = reason == .abandoned || reason == .timedOut
        let failed = take(waiters.filter { !isOver && !$0.joinedEnding && wantsLogin($0) })
        for waiter in waiters where waiter.joinedEnding { waiters[waiter.caller.call]?.joinedEnding = false }
        return [.audit(entry)] + failed.map { .fail($0.caller.call, reason.failure) }
    }

    func audit(_ kind: AuditEntry.Kind, _ account: Account?, _ caller: Caller?, reason: String? = nil) -> AuditEntry {
        AuditEntry(kind: kind, account: account, scene: caller?.scene, pid: caller?.pid, reason: reason)
    }
}
