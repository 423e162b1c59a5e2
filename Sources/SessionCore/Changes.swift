import SceneModel

/// What a login brought: who, and their tokens.
package struct SignIn: Sendable {
    /// Without `id`: the session knows whether it has the account already.
    package var account: Account
    package var grant: Grant
    package var claims: String

    package init(account: Account, grant: Grant, claims: String) {
        self.account = account
        self.grant = grant
        self.claims = claims
    }
}

/// A durable change that is wanted; it is decided when its turn comes, against the facts of that time.
enum Intent: Sendable {
    case open
    case startLogin(Int, Caller)
    case completeLogin(Int, SignIn)
    case endLogin(Int, LoginEnd)
    /// `owedEnd` and `owedLoginHost`, with the next change.
    case announceOwed
    case switchAccount(Caller, account: String)
    case logout(Caller, account: String, reason: String)
    case logoutAll(Caller, reason: String, answer: LogoutWait.Answer)
    case beginRefresh(account: String)
    case completeRefresh(Account, generation: Int, Refreshed)
    case refuseGrant(account: String, generation: Int, reason: String)
    case degrade(account: String, generation: Int, mayBeSpent: Bool)
    case queueRevocation(RevocationRecord)
    case endRevocation(id: String, LogoutResult.Remote)
    case postponeRevocation(id: String, seconds: Int)
    case addLoginHost(Caller, LoginHost)
    case removeLoginHost(Caller, url: String)
    case selectLoginHost(Caller, url: String)
    case setLocked(Caller, Bool)
    case followScreen
    case requestAuthorization(String)
    case endAuthorization(String, app: String, reason: String)

    var isOfRefresh: Bool {
        switch self {
        case .beginRefresh, .completeRefresh: true
        default: false
        }
    }
}

/// A change while it is being decided: numbers the events as it goes.
struct Draft {
    var change: Change

    init(_ session: Session) {
        change = Change(key: session.key, session: session.record)
        // Whatever is stored next, the end of the login before comes first.
        if let owed = session.owedEnd { event(.loginEnded) { $0.reason = owed.reason } }
        if let owed = session.owedLoginHost { announce(loginHost: owed) }
    }

    /// History shows this login host selected from here on.
    mutating func announce(loginHost url: String) {
        let former = change.session.announcedLoginHost
        change.session.announcedLoginHost = url
        guard let former, former != url else { return }
        event(.loginHostChanged) {
            $0.previousLoginHost = former
            $0.loginHost = url
        }
    }

    mutating func put(_ operation: Change.Operation) {
        change.operations.append(operation)
    }

    mutating func event(_ kind: Event.Kind, _ fill: (inout Event) -> Void = { _ in }) {
        change.session.sequence = change.session.sequence.plus(1)
        if kind == .loginStarted || kind == .loginEnded { change.session.loginUnderWay = kind == .loginStarted }
        var event = Event(kind, at: Cursor(epoch: change.session.epoch, sequence: change.session.sequence))
        fill(&event)
        change.events.append(event)
    }
}

enum Decision {
    case commit(Change)
    /// Nothing is to be stored; this is to be done instead.
    case nothing([Action])
}

extension Session {
    mutating func enqueue(_ intent: Intent, _ world: World) -> [Action] {
        queue.append(intent)
        return advance(world)
    }

    var isCompletionInFlight: Bool {
        guard let login, case .completeLogin(login.id, _) = inFlight?.intent else { return false }
        return true
    }

    /// Sends the next change on its way, unless one is, or its outcome is not known everywhere.
    private mutating func advance(_ world: World) -> [Action] {
        var actions: [Action] = []
        while inFlight == nil, !isConcluding, let intent = queue.popFirst() {
            switch decide(intent, world) {
            case .nothing(let instead):
                // Nobody was there to be signed out, but somebody may be about to.
                if case .logoutAll = intent { actions += fence(nil, world) }
                actions += instead
            case .commit(var change):
                let others = intent.isOfRefresh ? gather(into: &change, world) : []
                inFlight = (intent, others, change)
                actions.append(.commit(change))
            }
        }
        return actions
    }

    /// Refreshes of other accounts that wait their turn, and that nobody hears of, are stored with this one: a thousand
    /// accounts are not two thousand commits one after the other.
    private mutating func gather(into change: inout Change, _ world: World) -> [Intent] {
        guard var accounts = change.accountsOnly else { return [] }
        var others: [Intent] = []
        while others.count < Self.mostTogether, let next = queue.first, next.isOfRefresh,
            case .commit(let more) = decide(next, world), let further = more.accountsOnly,
            accounts.isDisjoint(with: further)
        {
            change.operations += more.operations
            accounts.formUnion(further)
            others.append(next)
            _ = queue.popFirst()
        }
        return others
    }

    private static let mostTogether = 256

    /// The change in flight is stored: it is a fact now.
    package mutating func changeCommitted(world: World) -> [Action] {
        guard let (intent, others, change) = inFlight else { return [] }
        inFlight = nil
        // Kept only for who leaves: otherwise the accounts are changed where they are.
        let former = change.removesAccounts ? accounts : []
        apply(change)
        // The configuration has changed while it was on its way.
        if owedLoginHost != nil { queue.append(.announceOwed) }
        var actions: [Action] = change.events.isEmpty ? [] : [.published(record.sequence)]
        isConcluding = true
        for intent in [intent] + others { actions += committed(intent, change, former: former, world) }
        actions += settle(world)
        isConcluding = false
        return actions + advance(world)
    }

    /// The change in flight could not be stored: nothing has changed.
    package mutating func commitFailed(reason: String, world: World) -> [Action] {
        guard let (intent, others, _) = inFlight else { return [] }
        inFlight = nil
        let failure = Failure.storageUnavailable(reason: reason)
        isConcluding = true
        let actions = ([intent] + others).flatMap { dropped($0, failure, world) } + settle(world)
        isConcluding = false
        return actions + advance(world)
    }

    private mutating func apply(_ change: Change) {
        record = change.session
        isStored = true
        for operation in change.operations {
            switch operation {
            case .putAccount(let stored):
                if let index = index(ofAccount: stored.account.id) {
                    accounts[index] = stored
                } else {
                    accounts.append(stored)
                }
            case .removeAccount(let id):
                accounts.removeAll { $0.account.id == id }
                upkeep[id] = nil
            case .putRevocation(let revocation):
                if let index = revocations.firstIndex(where: { $0.id == revocation.id }) {
                    revocations[index] = revocation
                } else {
                    revocations.append(revocation)
                }
            case .removeRevocation(let id):
                revocations.removeAll { $0.id == id }
                revocationDue[id] = nil
                revocationWanted[id] = nil
                revoking.remove(id)
            case .putLogoutRemote(let sequence, let remote):
                logoutRemotes = logoutRemotes.filter { history[$0.key] != nil }
                logoutRemotes[sequence] = remote
            case .putLoginHost(let url, let label):
                userLoginHosts.removeAll { $0.url == url }
                userLoginHosts.append(LoginHost(url: url, label: label, origin: .user, removable: true))
            case .removeLoginHost(let url):
                userLoginHosts.removeAll { $0.url == url }
            }
        }
        for event in change.events {
            history.append(event)
            if event.kind == .loginEnded { owedEnd = nil }
            if owedEnd == nil, owedLoginHost == nil { owedDue = nil }
        }
    }

    private func decide(_ intent: Intent, _ world: World) -> Decision {
        var draft = Draft(self)
        switch intent {
        case .open:
            return isStored ? .nothing([]) : .commit(draft.change)
        case .startLogin(let id, _):
            // One that is cancelled already has its place in history all the same, and then its end.
            guard let login, login.id == id else { return .nothing([]) }
            draft.event(.loginStarted) { $0.presenter = login.presenter.scene }
        case .completeLogin(let id, let signIn):
            return decideCompletion(id, signIn, world)
        case .endLogin(let id, let reason):
            guard login?.id == id else { return .nothing([]) }
            draft.event(.loginEnded) { $0.reason = reason.reason }
        case .announceOwed:
            if draft.change.events.isEmpty { return .nothing([]) }
        case .switchAccount(let caller, let id):
            return decideSwitch(caller, to: id)
        case .logout(let caller, let id, let reason):
            return decideLogout(caller, id, reason, world)
        case .logoutAll(let caller, let reason, let answer):
            return decideLogoutAll(caller, reason, answer, world)
        case .beginRefresh(let id):
            return decideRefresh(id)
        case .completeRefresh(let account, let generation, let refreshed):
            return decideRefreshed(account, generation, refreshed, world)
        case .refuseGrant(let id, let generation, let reason):
            return decideRefusal(id, generation, reason)
        case .degrade(let id, let generation, let mayBeSpent):
            return decideDegradation(id, generation, mayBeSpent)
        case .queueRevocation(let revocation):
            draft.put(.putRevocation(revocation))
        case .endRevocation(let id, let remote):
            guard let revocation = revocations.first(where: { $0.id == id }) else { return .nothing([]) }
            draft.put(.removeRevocation(id: id))
            if remote != .revoked, let logout = formerLogout(of: revocation.account.id) {
                draft.put(.putLogoutRemote(sequence: logout.at.sequence, remote))
            }
        case .postponeRevocation(let id, let seconds):
            guard var revocation = revocations.first(where: { $0.id == id }) else { return .nothing([]) }
            revocation.attempts = revocation.attempts.plus(1)
            revocation.nextAttempt = world.now.wall.plus(seconds)
            draft.put(.putRevocation(revocation))
        case .addLoginHost(let caller, let host):
            return decideAddition(caller, host)
        case .removeLoginHost(let caller, let url):
            return decideRemoval(caller, url)
        case .selectLoginHost(let caller, let url):
            return decideSelection(caller, url)
        case .setLocked(let caller, let locked):
            if locked == record.locked { return .nothing([.reply(caller.call, .done)]) }
            draft.change.session.locked = locked
            draft.event(locked ? .locked : .unlocked)
        case .followScreen:
            guard let locks = screenWants else { return .nothing([]) }
            draft.change.session.locked = locks
            draft.event(locks ? .locked : .unlocked) { $0.reason = Self.screenReason }
        case .requestAuthorization(let id):
            guard let open = authorizations[id], case .open(let scene) = open.state else { return .nothing([]) }
            draft.event(.authorizationRequested) {
                $0.request = id
                $0.requestingApp = open.question.requestingApp
                $0.presenter = scene
            }
        case .endAuthorization(let id, let app, let reason):
            draft.event(.authorizationEnded) {
                $0.request = id
                $0.requestingApp = app
                $0.reason = reason
            }
        }
        return .commit(draft.change)
    }
}
