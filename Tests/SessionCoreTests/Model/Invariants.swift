import SceneModel

@testable import SessionCore

/// What is true of a session after whatever has happened.
extension RandomHistory {
    func violations() -> [String] {
        if stage.isDead { return stage.faults + witness.faults }
        let session = stage.session
        var found = stage.faults + witness.faults
        for replay in stage.streams.values { found += replay.faults }
        found += committedState(session) + streams(session) + calls(session) + logins(session) + presenters(session)
        found += refreshes(session) + tokens(session) + revocations(session) + timers(session) + screen(session)
        for account in session.accounts where witness.signedOut.contains(account.account.id) {
            found.append("\(account.account.id) was signed out, and is back")
        }
        return found
    }

    /// What the store has is what the session shows, whatever is on its way.
    private func committedState(_ session: Session) -> [String] {
        let ledger = stage.ledger
        var found: [String] = []
        if session.record != ledger.record { found.append("facts differ from what is stored") }
        if !compared.accounts.isSame(session.accounts, ledger.accounts) {
            found.append("accounts differ from what is stored")
        }
        if !compared.revocations.isSame(session.revocations, ledger.revocations) {
            found.append("revocations differ from what is stored")
        }
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
        if session.record.selectionPending, session.record.current != nil { found.append("a choice beside a user") }
        if Set(session.userLoginHosts.map(\.url)) != Set(ledger.loginHosts.map(\.url)) {
            found.append("login hosts differ from what is stored")
        }
        // What the configuration has changed is told, soon.
        if session.owedLoginHost != nil, session.inFlight == nil, session.owedDue == nil {
            found.append("another login host is selected, and nobody is told")
        }
        if session.owedLoginHost == nil, session.snapshot.loginHost != session.selectedLoginHost {
            found.append("the snapshot shows another login host than is selected")
        }
        return found
    }

    /// Whoever reads has heard of all, and believes what is so.
    private func streams(_ session: Session) -> [String] {
        let snapshot = session.snapshot
        if snapshot != compared.snapshot {
            compared.snapshot = snapshot
            compared.places = [:]
        }
        var found: [String] = []
        for (call, replay) in stage.streams where replay.isOpen && !stage.stalled.contains(call) {
            if replay.at != session.cursor { found.append("a scene has not heard of all") }
            if session.scenes[replay.scene ?? ""]?.call != call { found.append("a stream goes on, and is no scene's") }
            if compared.places.updateValue(replay.at.sequence, forKey: call) == replay.at.sequence { continue }
            if let difference = replay.difference(from: snapshot) { found.append("a scene believes: \(difference)") }
        }
        return found
    }

    /// Every open call waits for something that will come.
    private func calls(_ session: Session) -> [String] {
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
        reasons.formUnion(session.tokenWaiters.calls)
        for (call, replay) in stage.streams where replay.isOpen { reasons.insert(call) }
        for authorization in session.authorizations.values {
            if case .approved(_, let caller) = authorization.state { reasons.insert(caller.call) }
        }
        let gone = reasons.subtracting(stage.open)
        // A change goes on whether or not its caller is still there.
        reasons.formUnion(session.logouts.calls)
        for intent in session.onTheirWay { if let call = intent.call { reasons.insert(call) } }
        return stage.open.subtracting(reasons).map { "call \($0.number) waits for nothing" }
            + gone.map { "call \($0.number) is waited for, and over" }
    }

    /// The login, if there is one, is where somebody works on it.
    private func logins(_ session: Session) -> [String] {
        if (session.inFlight == nil) != (stage.change == nil) {
            return ["a change is in flight on one side only"]
        }
        if stage.change == nil, !session.queue.isEmpty { return ["changes wait for none"] }
        guard let login = session.login else {
            return stage.login == nil ? [] : ["the world keeps a login that is over"]
        }
        switch login.state {
        case .starting:
            return session.isOnItsWay { if case .startLogin(login.id, _) = $0 { true } else { false } }
                ? [] : ["no start"]
        case .asking:
            // Whether anybody answers, the run looks at.
            return stage.login == nil ? [] : ["a login is carried out that waits for an answer"]
        case .preparing, .presenting, .polling, .redeeming:
            return stage.login?.login == login.id ? [] : ["nobody carries the login out"]
        case .completing:
            return session.isOnItsWay { if case .completeLogin(login.id, _) = $0 { true } else { false } }
                ? [] : ["no account"]
        case .ending:
            if stage.login != nil { return ["something of an ended login lives on"] }
            return session.isOnItsWay { if case .endLogin(login.id, _) = $0 { true } else { false } } ? [] : ["no end"]
        }
    }

    private func refreshes(_ session: Session) -> [String] {
        var found: [String] = []
        for (id, refresh) in session.refreshes {
            let isWorkedOn =
                switch refresh.state {
                case .intending:
                    session.isOnItsWay { if case .beginRefresh(id) = $0 { true } else { false } }
                case .requesting:
                    stage.refreshes.contains { $0.account.id == id && $0.generation == refresh.generation }
                case .storing:
                    session.unstored[id] != nil
                        || session.isOnItsWay { intent in
                            switch intent {
                            case .completeRefresh(let account, refresh.generation, _): account.id == id
                            case .refuseGrant(id, refresh.generation, _): true
                            default: false
                            }
                        }
                }
            if !isWorkedOn { found.append("the refresh of \(id) is \(refresh.state), and nobody works on it") }
            if session.account(id)?.grant.generation != refresh.generation {
                found.append("the refresh of \(id) is of another grant")
            }
        }
        return found
    }

    /// Every refresh token that the session was given is held, or queued for revocation, or on its way to the disk.
    private func tokens(_ session: Session) -> [String] {
        var lost = host.atStake
        if lost.isEmpty { return [] }
        func keep(_ token: Secret?) { if let token { lost.remove(token.text) } }
        for account in session.accounts { keep(account.grant.refreshToken) }
        for revocation in session.revocations { keep(revocation.refreshToken) }
        for kept in session.unstored.values { keep(kept.refreshed.refreshToken) }
        for revocation in stage.revocations { keep(revocation.record.refreshToken) }
        for intent in session.onTheirWay {
            switch intent {
            case .completeLogin(_, let signIn): keep(signIn.grant.refreshToken)
            case .completeRefresh(_, _, let refreshed): keep(refreshed.refreshToken)
            case .queueRevocation(let record): keep(record.refreshToken)
            default: break
            }
        }
        return lost.map { "\($0) is lost, and alive at the login host" }
    }

    /// Each that is queued is being told, or will be, or its erasure is on its way.
    private func revocations(_ session: Session) -> [String] {
        session.revocations.compactMap { record -> String? in
            if stage.revocations.contains(where: { $0.record.id == record.id }) { return nil }
            if !session.revoking.contains(record.id), session.revocationDue[record.id] != nil { return nil }
            let ends = session.isOnItsWay { if case .endRevocation(record.id, _) = $0 { true } else { false } }
            return ends ? nil : "the revocation of \(record.account.id) is forgotten"
        }
    }

    /// A login screen that is up is shown by one call, where there is one that can; and nobody else.
    private func presenters(_ session: Session) -> [String] {
        guard case .presenting(let page) = session.login?.state else { return [] }
        let able = session.waiters.filter { $0.caller.streams && session.wantsLogin($0) }.map(\.caller.call)
        let showing = able.filter {
            stage.lastTold[$0]?.state == .presenting && stage.lastTold[$0]?.loginScreen == page.loginScreen
        }
        if session.login?.asked?.presents == true {
            return showing.isEmpty ? [] : ["two show the login screen"]
        }
        if able.isEmpty || showing.count == 1 { return [] }
        return ["\(showing.count) of \(able.count) calls show the login screen"]
    }

    /// There is a timer where something waits for its time, early enough, and none else.
    /// A locked screen locks, now or as soon as that can be stored.
    private func screen(_ session: Session) -> [String] {
        guard session.policy.lock == .session, session.screen == .locked || session.screenWants != nil,
            session.screenWants != nil || !session.record.locked, session.screenDue == nil,
            !session.isOnItsWay({ if case .followScreen = $0 { true } else { false } })
        else { return [] }
        return ["the screen is not followed"]
    }

    private func timers(_ session: Session) -> [String] {
        let deadline = session.nextDeadline
        if let deadline, deadline < stage.now.boot, !hasSlept { return ["a deadline was missed"] }
        for asked in witness.asked.values {
            if let own = asked.deadline, deadline.map({ $0 > own }) ?? true { return ["a call would wait for ever"] }
        }
        if case .polling(let polling) = session.login?.state, polling.due != nil { return [] }
        let waits =
            !session.waiters.isEmpty || !session.logouts.isEmpty || !session.revocations.isEmpty
            || !session.unstored.isEmpty || session.upkeep.values.contains { $0.renewal != nil }
            || session.login?.keptUntil != nil || session.owedEnd != nil || session.owedLoginHost != nil
            || session.screenDue != nil || session.login?.sent?.deadline != nil
            || session.authorizations.values.contains { $0.deadline != nil }
        return deadline == nil || waits ? [] : ["a timer of nothing"]
    }
}

/// What was found equal, lest it be compared again in each step.
struct Compared {
    var accounts = Pair<AccountRecord>()
    var revocations = Pair<RevocationRecord>()
    var snapshot: Snapshot?
    /// Where each stream was that told the snapshot.
    var places: [CallID: Int] = [:]

    /// Two arrays that were equal. As long as they are held here, whoever changes one of them gets a copy elsewhere.
    struct Pair<Element: Equatable> {
        private var held: (left: [Element], right: [Element]) = ([], [])

        mutating func isSame(_ left: [Element], _ right: [Element]) -> Bool {
            if Self.isIdentical(left, held.left), Self.isIdentical(right, held.right) { return true }
            guard left == right else { return false }
            held = (left, right)
            return true
        }

        private static func isIdentical(_ left: [Element], _ right: [Element]) -> Bool {
            left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress }
            }
                && left.count == right.count
        }
    }
}

extension Session {
    fileprivate var onTheirWay: [Intent] { (inFlight.map { [$0.intent] + $0.others } ?? []) + queue }

    fileprivate func isOnItsWay(_ matches: (Intent) -> Bool) -> Bool {
        onTheirWay.contains(where: matches)
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
