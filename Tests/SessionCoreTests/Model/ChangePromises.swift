import SceneModel

@testable import SessionCore

// What must be true of a durable change when it goes to the disk.
extension RandomHistory {
    func check(_ change: Change) {
        let stored = stage.ledger
        if change.key != stored.key { fault("a change of another session") }
        if change.session.epoch != stored.record.epoch { fault("a new epoch") }
        checkLogin(change)
        for operation in change.operations {
            switch operation {
            case .putAccount(let record): check(record, in: change, stored)
            case .removeAccount(let id): checkRemoval(of: id, change, stored)
            case .putRevocation, .removeRevocation, .putLoginHost, .removeLoginHost, .putLogoutRemote: break
            }
        }
        if change.events.count(where: { $0.kind == .currentUserChanged }) > 1 { fault("an intermediate user") }
        for event in change.events where event.kind == .currentUserChanged {
            let former = stored.accounts.first { $0.account.id == stored.record.current }?.account
            if event.previous != former || event.current?.id != change.session.current {
                fault("currentUserChanged does not say what changes")
            }
        }
        if change.session.current != stored.record.current,
            !change.events.contains(where: { $0.kind == .currentUserChanged })
        {
            fault("the current user changes, and nobody hears of it")
        }
        if change.session.locked != stored.record.locked,
            !change.events.contains(where: { $0.kind == (change.session.locked ? .locked : .unlocked) })
        {
            fault("the lock changes, and nobody hears of it")
        }
        let hosts = change.events.filter { $0.kind == .loginHostChanged }.map(\.loginHost)
        if change.session.announcedLoginHost != (hosts.last ?? stored.record.announcedLoginHost) {
            fault("the login host changes, and nobody hears of it")
        }
        if change.events.contains(where: { $0.kind == .loggedOut }) { checkDecision(change, stored) }
    }

    /// Logins begin and end in turn.
    private func checkLogin(_ change: Change) {
        var hasBegun = witness.hasBegun
        for event in change.events {
            switch event.kind {
            case .loginStarted:
                if hasBegun { fault("history shows a second login") }
                hasBegun = true
            case .loginEnded:
                if !hasBegun { fault("history shows the end of no login") }
                hasBegun = false
            case .loggedIn:
                if !hasBegun { fault("somebody is signed in without a login") }
            default: break
            }
        }
    }

    private func check(_ record: AccountRecord, in change: Change, _ stored: StoredSession) {
        let id = record.account.id
        let isNew = change.events.contains { $0.kind == .loggedIn && $0.account == record.account }
        if witness.signedOut.contains(id) { fault("\(id) was signed out, and is stored again") }
        guard let old = stored.account(record.account) else {
            if !isNew { fault("\(id) appears without a login") }
            return
        }
        let hasNewTokens =
            record.grant.accessToken != old.grant.accessToken || record.grant.refreshToken != old.grant.refreshToken
        if record.grant.generation != old.grant.generation + (hasNewTokens ? 1 : 0) {
            fault("generation \(record.grant.generation) comes after \(old.grant.generation)")
        }
        if hasNewTokens, !isNew, !old.grant.isRefreshing { fault("tokens of a refresh that was not begun") }
        if record.account.state != old.account.state, !isNew,
            !change.events.contains(where: { $0.account == record.account })
        {
            fault("\(id) becomes \(record.account.state), and nobody hears of it")
        }
        if record.account.state == .loginRequired, old.account.state != .loginRequired {
            checkRefusal(of: old, change)
        }
    }

    /// Only its login host's refusal, of the token that is the newest, costs an account its grant.
    private func checkRefusal(of account: AccountRecord, _ change: Change) {
        let id = account.account.id
        let reason = change.events.first { $0.kind == .loginRequired && $0.account?.id == id }?.reason
        switch reason {
        case "noRefreshToken":
            if account.grant.refreshToken != nil { fault("\(id) has a refresh token") }
        case "grantRefused", "refreshInterrupted":
            if witness.refused[id] != account.grant.generation {
                fault("the grant of \(id) is lost, and was not refused")
            }
            let isInterrupted = witness.interrupted[id] == account.grant.generation
            if (reason == "refreshInterrupted") != isInterrupted { fault("\(reason ?? "") of \(id)") }
        default: fault("the grant of \(id) is lost for \(reason ?? "no reason")")
        }
    }

    /// Whoever goes is told of, and their tokens are queued in the same change.
    private func checkRemoval(of id: String, _ change: Change, _ stored: StoredSession) {
        guard let old = stored.accounts.first(where: { $0.account.id == id }) else {
            return fault("\(id) is removed, and was not there")
        }
        if !change.events.contains(where: { $0.kind == .loggedOut && $0.account == old.account }) {
            fault("\(id) is removed, and nobody hears of it")
        }
        let isQueued = change.operations.contains { operation in
            guard case .putRevocation(let record) = operation else { return false }
            return record.account == old.account && record.refreshToken == old.grant.refreshToken
                && record.accessToken == old.grant.accessToken
        }
        if !isQueued { fault("\(id) is removed, and the tokens are not queued") }
    }

    /// Rule 5, written anew: one decision for the session, and only where the current user is lost or a choice is due.
    private func checkDecision(_ change: Change, _ stored: StoredSession) {
        let leaving = change.events.filter { $0.kind == .loggedOut }.compactMap(\.account?.id)
        let left = stored.accounts.map(\.account.id).filter { !leaving.contains($0) }
        let current = stored.record.current
        let isLost = current.map(leaving.contains) ?? false
        let isPromised = stored.record.selectionPending
        var expected: [Event.Kind] = []
        var next = isLost ? nil : current
        if isLost || isPromised {
            let policy = stage.session.policy.afterLogout
            if policy == .follow, left.count == 1 {
                next = left[0]
                expected = [.currentUserChanged]
            } else {
                if isLost { expected = [.currentUserChanged] }
                let chooses = policy == .follow || policy == .select || (policy == .none && isPromised)
                if chooses, !left.isEmpty {
                    expected.append(.selectionRequired)
                } else if policy != .none || isPromised {
                    expected.append(.loginRequired)
                }
            }
        }
        // What was owed comes first, and is none of it.
        let others: [Event.Kind] = [.loggedOut, .loginEnded, .loginHostChanged]
        let decision = change.events.map(\.kind).filter { !others.contains($0) }.map(\.rawValue)
        if decision != expected.map(\.rawValue) {
            fault("after a logout: \(decision), not \(expected.map(\.rawValue))")
        }
        if change.session.current != next { fault("after a logout \(change.session.current ?? "nobody") is current") }
        if change.session.selectionPending
            != (isLost || isPromised ? expected.contains(.selectionRequired) : isPromised)
        {
            fault("after a logout a choice is due: \(change.session.selectionPending)")
        }
    }
}
