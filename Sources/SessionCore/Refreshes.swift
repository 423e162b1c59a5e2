import SceneModel

/// The one refresh of a grant. intending → requesting → storing → gone.
struct Refresh: Sendable {
    enum State: Sendable {
        /// The intent is being stored, before the request goes out.
        case intending
        case requesting
        /// The new tokens are being stored, before anybody sees them.
        case storing
    }

    var generation: Int
    var state = State.intending
}

extension Session {
    func decideRefresh(_ id: String) -> Decision {
        // The refresh that this was begun for may be over, and another under way.
        guard var holder = account(id), case .intending = refreshes[id]?.state else { return .nothing([]) }
        guard holder.grant.refreshToken != nil else {
            return decideRefusal(id, holder.grant.generation, "noRefreshToken")
        }
        holder.grant.isRefreshing = true
        var draft = Draft(self)
        draft.put(.putAccount(holder))
        return .commit(draft.change)
    }

    mutating func refreshStored(_ id: String) -> [Action] {
        guard let holder = account(id), let refresh = refreshes[id] else { return [] }
        // A grant without a refresh token was refused instead, in the same change.
        if holder.account.state == .loginRequired { return grantRefused(id, holder.reason ?? "grantRefused") }
        guard let token = holder.grant.refreshToken else { return [] }
        refreshes[id]?.state = .requesting
        return [
            .refresh(
                RefreshOrder(
                    account: holder.account, generation: refresh.generation, clientID: holder.grant.clientID,
                    refreshToken: token, claims: holder.claims))
        ]
    }

    /// The login host has given new tokens for the grant of that generation.
    package mutating func tokensRefreshed(_ account: Account, generation: Int, _ refreshed: Refreshed, world: World)
        -> [Action]
    {
        guard isCurrent(account.id, generation) else {
            return revokeLate(account, RevocableTokens(refreshed), world)
        }
        refreshes[account.id]?.state = .storing
        return enqueue(.completeRefresh(account, generation: generation, refreshed), world)
    }

    /// The login host has refused the grant of that generation (`invalid_grant`, RFC 6749, section 5.2, and its like).
    package mutating func refreshRefused(_ account: Account, generation: Int, code: String, world: World) -> [Action] {
        guard isCurrent(account.id, generation) else { return [] }
        refreshes[account.id]?.state = .storing
        let reason = upkeep[account.id]?.wasInterrupted == true ? "refreshInterrupted" : "grantRefused"
        return enqueue(.refuseGrant(account: account.id, generation: generation, reason: reason), world)
    }

    /// The login host could not be reached or is overloaded; or `failure`: what it answered is not in order, or the app's
    /// client is refused. Nobody is signed out for that. `mayBeSpent`: the request went out and its answer was lost, so
    /// that a host which rotates may have used the refresh token up. It is tried again all the same, as some hosts allow
    /// that.
    package mutating func refreshUnavailable(
        _ account: Account, generation: Int, retryAfterSeconds: Int?, mayBeSpent: Bool = false,
        failure: Failure? = nil, world: World
    ) -> [Action] {
        guard isCurrent(account.id, generation), let holder = self.account(account.id) else { return [] }
        let told = postpone(account.id, atLeast: retryAfterSeconds, failure, world)
        let wasInterrupted = upkeep[account.id]?.wasInterrupted == true || mayBeSpent
        upkeep[account.id]?.wasInterrupted = wasInterrupted
        return giveWhatLives(endRefresh(account.id), holder, told, world)
            + enqueue(.degrade(account: account.id, generation: generation, mayBeSpent: wasInterrupted), world)
    }

    /// Plans the next try; what callers are told until then.
    private mutating func postpone(_ id: String, atLeast: Int?, _ failure: Failure?, _ world: World) -> Failure {
        let failures = upkeep[id]?.retry?.failures ?? 0
        let seconds = backoff(
            failures, first: Bounds.firstRetry, longest: Bounds.longestRetry, atLeast: atLeast, world)
        let due = world.now.boot.advanced(bySeconds: seconds)
        let wanted = world.now.boot.advanced(bySeconds: longestWait(atLeast))
        let retry = Retry(failures: failures + 1, notBefore: due, wanted: wanted, failure: failure)
        upkeep[id, default: Upkeep()].retry = retry
        upkeep[id]?.renewal = due
        return retry.failure(seconds: seconds)
    }

    private func isCurrent(_ id: String, _ generation: Int) -> Bool {
        account(id)?.grant.generation == generation && refreshes[id]?.generation == generation
    }

    func decideRefreshed(_ account: Account, _ generation: Int, _ refreshed: Refreshed, _ world: World) -> Decision {
        guard var holder = self.account(account.id), isCurrent(account.id, generation) else {
            return .commit(revocation(account, RevocableTokens(refreshed), reason: "late", world))
        }
        let former = holder.account.state
        holder.grant = holder.grant.replaced(by: refreshed)
        if refreshed.fault == nil { holder.claims = refreshed.claims ?? holder.claims }
        holder.account.state = refreshed.fault == nil ? .active : .degraded
        var draft = Draft(self)
        draft.put(.putAccount(holder))
        if holder.account.state != former { draft.event(.accountChanged) { $0.account = holder.account } }
        return .commit(draft.change)
    }

    mutating func refreshCompleted(_ id: String, _ fault: Failure?, _ change: Change, _ world: World) -> [Action] {
        guard change.puts(account: id), let holder = account(id), refreshes[id] != nil else {
            return beginRevocations(of: change)
        }
        let waiters = endRefresh(id)
        if let fault {
            let told = postpone(id, atLeast: nil, fault, world)
            upkeep[id]?.wasInterrupted = false
            return stateAudit(.degraded, change) + giveWhatLives(waiters, holder, told, world)
        }
        upkeep[id] = nil
        if !waiters.isEmpty { planRenewal(of: holder, world) }
        return stateAudit(.recovered, change) + serve(waiters, holder, world)
    }

    /// Where the change says that the account's state is another.
    func stateAudit(_ kind: AuditEntry.Kind, _ change: Change) -> [Action] {
        guard let event = change.events.first(where: { $0.kind == .accountChanged }) else { return [] }
        return [.audit(audit(kind, event.account, nil))]
    }

    func decideRefusal(_ id: String, _ generation: Int, _ reason: String) -> Decision {
        guard var holder = account(id), holder.grant.generation == generation else { return .nothing([]) }
        holder.account.state = .loginRequired
        holder.grant.isRefreshing = false
        holder.reason = reason
        var draft = Draft(self)
        draft.put(.putAccount(holder))
        draft.event(.loginRequired) {
            $0.account = holder.account
            $0.reason = reason
        }
        return .commit(draft.change)
    }

    mutating func grantRefused(_ id: String, _ reason: String) -> [Action] {
        upkeep[id] = nil
        var entry = AuditEntry(kind: .grantRefused)
        entry.account = account(id)?.account
        entry.reason = reason
        return failRefresh(id, .interactionRequired(reason: reason)) + [.audit(entry)]
    }

    /// A refresh with that generation's token has come to nothing, and the account stays.
    func decideDegradation(_ id: String, _ generation: Int, _ mayBeSpent: Bool) -> Decision {
        guard var holder = account(id), holder.grant.generation == generation,
            holder.account.state != .loginRequired
        else { return .nothing([]) }
        let isNew = holder.account.state != .degraded
        guard isNew || holder.grant.isRefreshing != mayBeSpent else { return .nothing([]) }
        holder.account.state = .degraded
        holder.grant.isRefreshing = mayBeSpent
        var draft = Draft(self)
        draft.put(.putAccount(holder))
        if isNew { draft.event(.accountChanged) { $0.account = holder.account } }
        return .commit(draft.change)
    }

    mutating func failRefresh(_ id: String, _ failure: Failure) -> [Action] {
        endRefresh(id).map { .fail($0.caller.call, failure) }
    }

    /// Returns who waited for it.
    private mutating func endRefresh(_ id: String) -> [TokenWaiter] {
        refreshes[id] = nil
        return tokenWaiters.take(account: id)
    }

    /// A new sign-in gave the account another grant while the old one was being refreshed.
    mutating func grantReplaced(_ id: String, _ world: World) -> [Action] {
        guard let holder = account(id), refreshes[id] != nil else { return [] }
        var actions = serve(endRefresh(id), holder, world)
        if let kept = unstored.removeValue(forKey: id) {
            actions += revokeLate(kept.account, RevocableTokens(kept.refreshed), world)
        }
        return actions
    }

    /// The new tokens could not be stored. The old refresh token may be spent, so these are kept in memory and
    /// storing them is tried again: forgetting them would sign the user out.
    mutating func keepUnstored(
        _ account: Account, _ generation: Int, _ refreshed: Refreshed, _ failure: Failure, _ world: World
    ) -> [Action] {
        let id = account.id
        guard isCurrent(id, generation) else {
            return revokeUnstored(account, RevocableTokens(refreshed), world)
        }
        let failed = tokenWaiters.take(account: id).map { Action.fail($0.caller.call, failure) }
        unstored[id] = (account, generation, refreshed, world.now.boot.advanced(bySeconds: Bounds.firstRetry))
        return failed
    }

    mutating func retryUnstored(_ world: World) -> [Action] {
        var actions: [Action] = []
        for (id, kept) in unstored.sorted(by: { $0.key < $1.key }) where kept.due <= world.now.boot {
            unstored[id] = nil
            actions += enqueue(.completeRefresh(kept.account, generation: kept.generation, kept.refreshed), world)
        }
        return actions
    }

    /// The refresh could not be begun: its intent could not be stored.
    mutating func refreshNotBegun(_ id: String, _ failure: Failure, _ world: World) -> [Action] {
        guard let holder = account(id) else { return [] }
        return giveWhatLives(endRefresh(id), holder, failure, world)
    }
}
