import SceneModel

@testable import SessionCore

/// What is true of a session after whatever has happened.
extension RandomHistory {
    func violations() -> [String] {
        var found = stage.faults + faults
        for replay in stage.streams.values { found += replay.faults }
        found += committedState() + streams() + calls() + logins() + refreshes() + tokens()
        let session = stage.session
        if let deadline = session.nextDeadline, deadline < stage.now.boot { found.append("a deadline was missed") }
        for account in session.accounts where signedOut.contains(account.account.id) {
            found.append("\(account.account.id) was signed out, and is back")
        }
        return found
    }

    /// What the store has is what the session shows, whatever is on its way.
    private func committedState() -> [String] {
        let (session, ledger) = (stage.session, stage.ledger)
        var found: [String] = []
        if session.record != ledger.record { found.append("facts differ from what is stored") }
        if session.accounts != ledger.accounts { found.append("accounts differ from what is stored") }
        if session.revocations != ledger.revocations { found.append("revocations differ from what is stored") }
        if session.history.count != min(ledger.history.count, historyLimit) {
            found.append("history differs from what is stored")
        }
        if let newest = ledger.history.last, session.history[ledger.record.sequence] != newest {
            found.append("the newest event is not the session's place")
        }
        if Set(session.accounts.map { User($0.account) }).count != session.accounts.count {
            found.append("one user has two accounts")
        }
        if let current = session.record.current, session.account(current) == nil {
            found.append("\(current) is current, and not there")
        }
        if session.record.selectionPending, session.accounts.isEmpty { found.append("nobody can be selected") }
        return found
    }

    private func streams() -> [String] {
        let snapshot = stage.session.snapshot
        return stage.streams.values.filter(\.isOpen).flatMap { replay -> [String] in
            var found: [String] = []
            if replay.at != stage.session.cursor { found.append("a scene has not heard of all") }
            if let difference = replay.difference(from: snapshot) { found.append("a scene believes: \(difference)") }
            return found
        }
    }

    /// Every open call waits for something that will come.
    private func calls() -> [String] {
        let session = stage.session
        var reasons: Set<CallID> = []
        for waiter in session.waiters {
            reasons.insert(waiter.caller.call)
            if waiter.deadline <= stage.now.boot { continue }
            if session.usable != nil, !session.record.locked, waiter.wish == .currentUser,
                waiter.options.force != true
            {
                return ["call \(waiter.caller.call.number) waits for a user who is there"]
            }
            if session.wantsLogin(waiter), session.login == nil {
                return ["call \(waiter.caller.call.number) waits for a login that is not"]
            }
        }
        for refresh in session.refreshes.values { reasons.formUnion(refresh.waiters.map(\.caller.call)) }
        for wait in session.logouts { reasons.insert(wait.caller.call) }
        for intent in (session.inFlight.map { [$0.intent] + $0.others } ?? []) + session.queue {
            if let call = intent.call { reasons.insert(call) }
        }
        for (call, replay) in stage.streams where replay.isOpen { reasons.insert(call) }
        return stage.open.subtracting(reasons).map { "call \($0.number) waits for nothing" }
    }

    private func isOnItsWay(_ matches: (Intent) -> Bool) -> Bool {
        stage.session.queue.contains(where: matches)
            || (stage.session.inFlight.map { ([$0.intent] + $0.others).contains(where: matches) } ?? false)
    }

    /// The login, if there is one, is where somebody works on it.
    private func logins() -> [String] {
        if (stage.session.inFlight == nil) != (stage.change == nil) {
            return ["a change is in flight on one side only"]
        }
        if stage.change == nil, !stage.session.queue.isEmpty { return ["changes wait for none"] }
        guard let login = stage.session.login else {
            return stage.login == nil ? [] : ["the world keeps a login that is over"]
        }
        switch login.state {
        case .starting:
            return isOnItsWay { if case .startLogin(login.id, _) = $0 { true } else { false } } ? [] : ["no start"]
        case .preparing, .presenting, .redeeming:
            return stage.login?.login == login.id ? [] : ["nobody carries the login out"]
        case .completing:
            return isOnItsWay { if case .completeLogin(login.id, _) = $0 { true } else { false } } ? [] : ["no account"]
        case .ending:
            if stage.login != nil { return ["something of an ended login lives on"] }
            return isOnItsWay { if case .endLogin(login.id, _) = $0 { true } else { false } } ? [] : ["no end"]
        }
    }

    private func refreshes() -> [String] {
        var found: [String] = []
        for (id, refresh) in stage.session.refreshes {
            let isWorkedOn =
                switch refresh.state {
                case .intending:
                    isOnItsWay { if case .beginRefresh(id) = $0 { true } else { false } }
                case .requesting:
                    stage.refreshes.contains { $0.account.id == id && $0.generation == refresh.generation }
                case .storing:
                    stage.session.unstored[id] != nil
                        || isOnItsWay { intent in
                            switch intent {
                            case .completeRefresh(let account, refresh.generation, _): account.id == id
                            case .refuseGrant(id, refresh.generation, _): true
                            default: false
                            }
                        }
                }
            if !isWorkedOn { found.append("the refresh of \(id) is \(refresh.state), and nobody works on it") }
            if stage.session.account(id)?.grant.generation != refresh.generation {
                found.append("the refresh of \(id) is of another grant")
            }
        }
        return found
    }

    /// Every refresh token that the session was given is held, or queued for revocation, or on its way to the disk.
    private func tokens() -> [String] {
        let kept = keptTokens()
        return host.atStake.subtracting(kept).map { "\($0) is lost, and alive at the login host" }
    }

    func keptTokens() -> Set<String> {
        let session = stage.session
        var kept: [Secret?] = session.accounts.map(\.grant.refreshToken) + session.revocations.map(\.refreshToken)
        kept += session.unstored.values.map(\.refreshed.refreshToken)
        kept += stage.revocations.map(\.record.refreshToken)
        for intent in (session.inFlight.map { [$0.intent] + $0.others } ?? []) + session.queue {
            switch intent {
            case .completeLogin(_, let signIn): kept.append(signIn.grant.refreshToken)
            case .completeRefresh(_, _, let refreshed): kept.append(refreshed.refreshToken)
            case .queueRevocation(let record): kept.append(record.refreshToken)
            default: break
            }
        }
        return Set(kept.compactMap { $0?.text })
    }
}

extension Intent {
    /// Who gets an answer when this is stored, or is not.
    fileprivate var call: CallID? {
        switch self {
        case .switchAccount(let caller, _), .logout(let caller, _, _), .logoutAll(let caller, _, _),
            .addLoginHost(let caller, _), .removeLoginHost(let caller, _), .selectLoginHost(let caller, _),
            .setLocked(let caller, _):
            caller.call
        default: nil
        }
    }
}
