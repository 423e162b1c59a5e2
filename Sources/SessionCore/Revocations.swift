import SceneModel

/// What came of telling a login host to forget tokens (RFC 7009).
package enum RevocationOutcome: Hashable, Sendable {
    case revoked
    case unsupported
    /// It could not be told now.
    case unavailable(retryAfterSeconds: Int?)
}

/// Tokens of which a login host can be told to forget them.
package struct RevocableTokens: Sendable {
    /// The client that they were given to.
    var clientID: String
    var accessToken: Secret?
    var refreshToken: Secret?

    package init(clientID: String, accessToken: Secret?, refreshToken: Secret?) {
        self.clientID = clientID
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }

    init(_ grant: Grant) {
        self.init(clientID: grant.clientID, accessToken: grant.accessToken, refreshToken: grant.refreshToken)
    }

    init(_ refreshed: Refreshed) {
        self.init(
            clientID: refreshed.clientID, accessToken: refreshed.accessToken, refreshToken: refreshed.refreshToken)
    }
}

extension Session {
    func revocationRecord(_ account: Account, _ tokens: RevocableTokens, reason: String, _ world: World)
        -> RevocationRecord
    {
        RevocationRecord(
            id: world.newIdentifier(), account: account, clientID: tokens.clientID, refreshToken: tokens.refreshToken,
            accessToken: tokens.accessToken, reason: reason, created: world.now.wall, nextAttempt: world.now.wall)
    }

    /// A change that does nothing but queue these tokens for revocation.
    func revocation(_ account: Account, _ tokens: RevocableTokens, reason: String, _ world: World) -> Change {
        var draft = Draft(self)
        draft.put(.putRevocation(revocationRecord(account, tokens, reason: reason, world)))
        return draft.change
    }

    /// Tokens that came too late to be used: nobody gets them, and the login host forgets them.
    mutating func revokeLate(
        _ account: Account, _ tokens: RevocableTokens, reason: String = "late", _ world: World
    ) -> [Action] {
        enqueue(.queueRevocation(revocationRecord(account, tokens, reason: reason, world)), world)
    }

    /// Tokens came that are another user's, that nobody waits for any more, or of which it cannot be told whose they are:
    /// nobody gets them, and the login host forgets them.
    package mutating func unusableTokensReceived(
        _ account: Account, _ tokens: RevocableTokens, reason: String = "notVerified", world: World
    ) -> [Action] {
        if tokens.accessToken == nil, tokens.refreshToken == nil { return [] }
        return enqueue(.queueRevocation(revocationRecord(account, tokens, reason: reason, world)), world)
    }

    /// Tokens that could not be stored: told to the login host at once, and not again.
    func revokeUnstored(_ account: Account, _ tokens: RevocableTokens, _ world: World) -> [Action] {
        [.revoke(revocationRecord(account, tokens, reason: "notStored", world), idToken: nil)]
    }

    mutating func logoutCommitted(
        _ caller: Caller, _ change: Change, _ former: [AccountRecord], _ reason: String,
        _ answer: LogoutWait.Answer, _ world: World
    ) -> [Action] {
        var wait = LogoutWait(
            caller: caller, answer: answer, at: cursor,
            deadline: world.now.boot.advanced(bySeconds: Bounds.logoutReply), results: [])
        var actions: [Action] = []
        for event in change.events where event.kind == .loggedOut {
            if let account = event.account {
                actions.append(.audit(audit(.signedOut, account, caller, reason: reason)))
                actions += failRefresh(account.id, .unknownAccount(account.id))
                if answer == .one { actions += fence(User(account), world) }
            }
        }
        if answer != .one { actions += fence(nil, world) }
        for operation in change.operations {
            guard case .putRevocation(let revocation) = operation else { continue }
            wait.results.append(LogoutWait.Result(revocation: revocation.id, account: revocation.account))
            let holder = former.first { $0.account.id == revocation.account.id }
            actions += begin(revocation, idToken: holder?.grant.idToken)
        }
        logouts.append(wait)
        return actions
    }

    /// A login that is past the login screen does not bring a user back who has been signed out since. Where everybody was
    /// (nil), it brings nobody: its user signed in at the login host before that, and would have been signed out, had the
    /// login host been faster. A login whose user is still on the screen goes on: who signs in there does so after it.
    mutating func fence(_ user: User?, _ world: World) -> [Action] {
        guard let login else { return [] }
        switch login.state {
        case .redeeming:
            self.login?.signedOut.insert(user)
        case .completing:
            for case .completeLogin(login.id, let signIn) in queue where user == nil || User(signIn.account) == user {
                return end(.signedOut, world)
            }
        case .polling(let polling):
            // What is on its way may be for them already.
            if polling.isAsking { self.login?.signedOut.insert(user) }
        case .starting, .asking, .preparing, .presenting, .ending: break
        }
        return []
    }

    mutating func beginRevocations(of change: Change) -> [Action] {
        change.operations.flatMap { operation -> [Action] in
            guard case .putRevocation(let revocation) = operation else { return [] }
            return begin(revocation, idToken: nil)
        }
    }

    mutating func begin(_ revocation: RevocationRecord, idToken: Secret?) -> [Action] {
        guard revoking.insert(revocation.id).inserted else { return [] }
        return [.revoke(revocation, idToken: idToken)]
    }

    /// Where a browser may end the user's session at the login host: for the reply to the logout, which does not wait
    /// for it.
    package mutating func endSessionKnown(_ id: String, _ uri: String) -> [Action] {
        logouts.endSessionKnown(id, uri)
        return []
    }

    /// The login host has answered, or could not.
    package mutating func revocationEnded(_ id: String, _ outcome: RevocationOutcome, world: World) -> [Action] {
        guard let revocation = revocations.first(where: { $0.id == id }) else { return [] }
        var entry = AuditEntry(kind: .tokensRevoked, account: revocation.account, reason: revocation.reason)
        switch outcome {
        case .revoked, .unsupported:
            let remote: LogoutResult.Remote = outcome == .revoked ? .revoked : .unsupported
            if remote == .unsupported { entry.kind = .revocationAbandoned }
            let answers = answerLogouts(id, remote)
            for other in waiting(at: revocation.account.loginHost) { revocationDue[other] = world.now.boot }
            return answers + [.audit(entry)] + enqueue(.endRevocation(id: id, remote), world)
        case .unavailable(let retryAfter):
            let answers = answerLogouts(id, .queued)
            guard !isGivenUp(revocation, world) else {
                entry.kind = .revocationAbandoned
                return answers + [.audit(entry)] + enqueue(.endRevocation(id: id, .queued), world)
            }
            entry.kind = .revocationQueued
            revoking.remove(id)
            let seconds = backoff(
                revocation.attempts, first: Bounds.firstRevocationRetry, longest: Bounds.longestRevocationRetry,
                atLeast: retryAfter, world)
            let due = world.now.boot.advanced(bySeconds: seconds)
            let wanted = world.now.boot.advanced(bySeconds: longestWait(retryAfter))
            for other in waiting(at: revocation.account.loginHost) {
                revocationDue[other] = max(revocationDue[other] ?? due, due)
                revocationWanted[other] = wanted
            }
            revocationDue[id] = due
            return answers + [.audit(entry)] + enqueue(.postponeRevocation(id: id, seconds: seconds), world)
        }
    }

    private func isGivenUp(_ revocation: RevocationRecord, _ world: World) -> Bool {
        revocation.attempts >= Bounds.leastRevocationAttempts
            && world.now.wall.minus(revocation.created) >= Bounds.revocationLife
    }

    /// Queued revocations that are to be told to that login host and are not on their way: one tells how it is for all,
    /// so that a host in trouble is not asked for each, and one that answers again is told of all.
    private func waiting(at host: String) -> [String] {
        revocations.filter { $0.account.loginHost == host && !revoking.contains($0.id) }.map(\.id)
    }

    /// The entry that is done with could not be erased: it is told once more, rather than kept for ever.
    mutating func revocationStays(_ id: String, _ world: World) -> [Action] {
        revoking.remove(id)
        revocationDue[id] = world.now.boot.advanced(bySeconds: Bounds.firstRevocationRetry)
        return retryRevocations(world: world)
    }

    /// Exponential, with jitter down to half, and never before the login host wants it.
    func backoff(_ attempts: Int, first: Int, longest: Int, atLeast: Int?, _ world: World) -> Int {
        let ceiling = min(longest, first << min(max(0, attempts), 16))
        let jittered = Int(Double(ceiling) * (0.5 + world.random() / 2))
        return max(jittered, longestWait(atLeast), 1)
    }

    /// Seconds of a Retry-After, as far as it is heeded.
    func longestWait(_ retryAfter: Int?) -> Int { min(max(retryAfter ?? 0, 0), Bounds.longestRetryAfter) }

    private mutating func answerLogouts(_ id: String, _ remote: LogoutResult.Remote) -> [Action] {
        logouts.remoteKnown(id, remote).map(answer) ?? []
    }

    mutating func expireLogouts(_ world: World) -> [Action] {
        logouts.takeLate(world.now.boot).flatMap(answer)
    }

    private func answer(_ wait: LogoutWait) -> [Action] {
        let results = wait.results.map {
            LogoutResult(account: $0.account, remote: $0.remote ?? .queued, endSessionUri: $0.endSessionUri)
        }
        switch wait.answer {
        case .one: return results.first.map { [.reply(wait.caller.call, .loggedOut($0, wait.at))] } ?? []
        case .all: return [.reply(wait.caller.call, .loggedOutAll(results, wait.at))]
        case .count: return [.reply(wait.caller.call, .accountsSignedOut(results.count))]
        }
    }

    /// Revocations whose time has come, one at a time for each login host; at start, those that the store gave back.
    package mutating func retryRevocations(world: World) -> [Action] {
        var actions: [Action] = []
        var busy = busyHosts
        for revocation in revocations where !revoking.contains(revocation.id) {
            let waits = min(max(0, revocation.nextAttempt.minus(world.now.wall)), Bounds.longestRevocationRetry)
            let due = revocationDue[revocation.id] ?? world.now.boot.advanced(bySeconds: waits)
            revocationDue[revocation.id] = due
            if due <= world.now.boot, busy.insert(revocation.account.loginHost).inserted {
                actions += begin(revocation, idToken: nil)
            }
        }
        return actions
    }

    private var busyHosts: Set<String> {
        Set(revocations.filter { revoking.contains($0.id) }.map(\.account.loginHost))
    }

    /// When the next one is due. Behind one that is on its way, nothing is: its end sets their time.
    var nextRevocation: Instant? {
        guard !revocationDue.isEmpty else { return nil }
        let busy = busyHosts
        let waiting = revocations.filter { !revoking.contains($0.id) && !busy.contains($0.account.loginHost) }
        return waiting.compactMap { revocationDue[$0.id] }.min()
    }
}
