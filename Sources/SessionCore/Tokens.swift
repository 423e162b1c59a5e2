import SceneModel

// GetAccessToken: what is given as it is, and what waits for a refresh.

extension Session {
    /// Errors: NotSignedIn, UnknownAccount, InteractionRequired, LoginHostUnavailable, LoginFailed, SessionLocked.
    package mutating func tokenRequested(
        _ caller: Caller, account: String?, minimumValidity: Int?, rejected: Secret?, scope: String?, world: World
    ) -> [Action] {
        if record.locked { return [.fail(caller.call, .sessionLocked)] }
        if let minimumValidity, minimumValidity < 0 {
            return [.fail(caller.call, .invalidParameter("minimumValiditySeconds"))]
        }
        guard let id = account ?? record.current else { return [.fail(caller.call, .notSignedIn)] }
        guard let holder = self.account(id) else { return [.fail(caller.call, .unknownAccount(id))] }
        if holder.account.state == .loginRequired {
            return [.fail(caller.call, .interactionRequired(reason: holder.reason ?? "grantRefused"))]
        }
        let waiter = TokenWaiter(caller: caller, scope: scope, rejected: rejected)
        if rejected != holder.grant.accessToken, lives(holder.grant, minimumValidity, world) {
            planRenewal(of: holder, world)
            return [answer(waiter, holder, world)]
        }
        return refresh(holder, for: waiter, world)
    }

    /// When a token that was given has a second less to live, by the boot clock.
    package func tokenAnswerEnds(_ id: String, _ now: Moment) -> Instant {
        let obtained = account(id)?.grant.lifetime?.obtained.boot ?? now.boot
        return obtained.advanced(bySeconds: now.boot.seconds(since: obtained) + 1)
    }

    /// Whether the token lives for as long as is asked. Where the login host's tokens never do, one in the first tenth of
    /// its life is good enough: a refresh for every call would help nobody.
    private func lives(_ grant: Grant, _ asked: Int?, _ world: World) -> Bool {
        guard let lifetime = grant.lifetime else { return true }
        // One that had ended when it came is given out for the second in which it came: another would be no better.
        if lifetime.seconds <= 0 { return lifetime.isOfThisSecond(world) }
        let attainable = lifetime.seconds - lifetime.seconds / 10
        let least =
            if let asked { asked > lifetime.seconds ? attainable : asked } else {
                min(Bounds.minimumValidity, attainable)
            }
        return lifetime.remaining(world) >= max(least, 1)
    }

    private mutating func refresh(_ holder: AccountRecord, for waiter: TokenWaiter, _ world: World) -> [Action] {
        let id = holder.account.id
        if holder.grant.refreshToken == nil, let token = liveToken(waiter, holder, world) {
            return [token]
        }
        if refreshes[id] != nil {
            tokenWaiters.append(waiter, account: id)
            return []
        }
        if let retry = upkeep[id]?.retry, retry.notBefore > world.now.boot {
            if let token = liveToken(waiter, holder, world) { return [token] }
            let wait = retry.notBefore.seconds(since: world.now.boot) + 1
            return [.fail(waiter.caller.call, retry.failure(seconds: wait))]
        }
        refreshes[id] = Refresh(generation: holder.grant.generation)
        tokenWaiters.append(waiter, account: id)
        return enqueue(.beginRefresh(account: id), world)
    }

    /// Answers who waited for new tokens. A suspend or a slow disk may have lasted longer than they live: then they are
    /// refreshed once more.
    mutating func serve(_ waiters: [TokenWaiter], _ holder: AccountRecord, _ world: World) -> [Action] {
        guard let lifetime = holder.grant.lifetime, lifetime.seconds > 0, lifetime.remaining(world) <= 0 else {
            return waiters.map { answer($0, holder, world) }
        }
        return waiters.flatMap { waiter -> [Action] in
            if waiter.isSecondTry { return [.fail(waiter.caller.call, .loginHostUnavailable(retryAfterSeconds: 1))] }
            var waiter = waiter
            waiter.isSecondTry = true
            return refresh(holder, for: waiter, world)
        }
    }

    func giveWhatLives(
        _ waiters: [TokenWaiter], _ holder: AccountRecord, _ failure: Failure, _ world: World
    ) -> [Action] {
        waiters.map { liveToken($0, holder, world) ?? .fail($0.caller.call, failure) }
    }

    private func liveToken(_ waiter: TokenWaiter, _ holder: AccountRecord, _ world: World) -> Action? {
        guard waiter.rejected != holder.grant.accessToken, let lifetime = holder.grant.lifetime,
            lifetime.remaining(world) > 0
        else { return nil }
        return answer(waiter, holder, world)
    }

    private func answer(_ waiter: TokenWaiter, _ holder: AccountRecord, _ world: World) -> Action {
        if let wanted = waiter.scope, let granted = holder.grant.scope {
            let missing = Set(wanted.split(separator: " ")).subtracting(granted.split(separator: " "))
            if !missing.isEmpty {
                return .fail(waiter.caller.call, .interactionRequired(reason: "scopeNotGranted"))
            }
        }
        let token = AccessToken(
            value: holder.grant.accessToken, type: holder.grant.tokenType, account: holder.account,
            expiresInSeconds: holder.grant.lifetime?.remaining(world), scope: holder.grant.scope,
            instanceUrl: holder.grant.instanceUrl)
        return .reply(waiter.caller.call, .token(token))
    }
}
