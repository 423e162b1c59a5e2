import SceneModel

/// All that the scenes of one Unix user and one app share, and every decision about it.
///
/// One function for each thing that happened; it returns what is to be done. A durable change is decided against
/// the committed state, returned as `commit`, and takes effect with `changeCommitted`; one is in flight at a time.
package struct Session: Sendable {
    package let key: SessionKey
    package internal(set) var policy: AppPolicy

    // Committed facts.
    package internal(set) var record: SessionRecord
    package internal(set) var accounts: [AccountRecord]
    package internal(set) var userLoginHosts: [LoginHost]
    package internal(set) var revocations: [RevocationRecord]
    package internal(set) var history: History
    /// The store knows the session's epoch.
    var isStored: Bool

    // Changes on their way.
    /// `others` are of the same kind, and stored with it.
    var inFlight: (intent: Intent, others: [Intent], change: Change)?
    /// What was in flight is being taken up: what that brings is not decided before all of it has been.
    var isConcluding = false
    var queue = IntentQueue()

    // Who is there, and what they wait for.
    package internal(set) var scenes: [String: Scene] = [:]
    var waiters = Waiters()
    /// Somebody has left whom another may have to follow.
    var awaitsTurnEnd = false
    package internal(set) var login: LoginAttempt?
    var nextLogin = 1
    /// A login that history shows begun is over, and its end could not be stored yet.
    var owedEnd: LoginEnd?
    /// When storing what history does not show yet is tried again.
    var owedDue: Instant?
    /// What other apps ask this one as their identity provider, by request.
    var authorizations: [String: Authorization] = [:]
    /// Of messages that came as URLs.
    var nonces = SeenNonces()
    var refreshes: [String: Refresh] = [:]
    var tokenWaiters = TokenWaiters()
    /// By account.
    var upkeep: [String: Upkeep] = [:]
    /// New tokens that could not be stored yet.
    var unstored: [String: (account: Account, generation: Int, refreshed: Refreshed, due: Instant)] = [:]
    var logouts = LogoutWaits()
    var revoking: Set<String> = []
    /// When each queued revocation is tried again.
    var revocationDue: [String: Instant] = [:]
    /// Before when its login host wants to hear nothing of it.
    var revocationWanted: [String: Instant] = [:]
    /// The user's screen, for an app that locks with it.
    package internal(set) var screen = Screen.unknown
    /// When following the screen is tried again, where it could not be stored.
    var screenDue: Instant?
    /// What came of the logouts in the history, by their event, where that is not `revoked`: for who asks twice.
    var logoutRemotes: [Int: LogoutResult.Remote]

    /// A session that the store does not know yet.
    package init(key: SessionKey, policy: AppPolicy, epoch: String) {
        self.init(StoredSession(key: key, record: SessionRecord(epoch: epoch)), policy: policy)
        isStored = false
    }

    package init(_ stored: StoredSession, policy: AppPolicy) {
        key = stored.key
        self.policy = policy
        record = stored.record
        accounts = stored.accounts
        userLoginHosts = stored.loginHosts
        revocations = stored.revocations
        history = History(stored.history)
        logoutRemotes = stored.logoutRemotes
        isStored = true
        for holder in stored.accounts where holder.grant.isRefreshing {
            upkeep[holder.account.id] = Upkeep(wasInterrupted: true)
        }
        // Nobody holds it any more, unless it is restored.
        owedEnd = record.loginUnderWay ? .abandoned : nil
        if record.announcedLoginHost == nil, !policy.loginHosts.isEmpty {
            record.announcedLoginHost = selectedLoginHost
        }
    }

    package var cursor: Cursor { Cursor(epoch: record.epoch, sequence: record.sequence) }

    package var current: AccountRecord? {
        record.current.flatMap { account($0) }
    }

    /// The current user, where their grant is good.
    var usable: AccountRecord? {
        guard let current, current.account.state != .loginRequired else { return nil }
        return current
    }

    /// Whether there is one, without a copy of it.
    var hasUsable: Bool {
        guard let current = record.current, let index = index(ofAccount: current) else { return false }
        return accounts[index].account.state != .loginRequired
    }

    package var pending: Pending {
        if hasUsable { return .nothing }
        if record.selectionPending { return .selection }
        return record.loginPending || current != nil ? .login : .nothing
    }

    package var snapshot: Snapshot {
        var snapshot = Snapshot()
        snapshot.accounts = accounts.map(\.account)
        snapshot.current = current?.account
        snapshot.pending = pending
        // As history has it at this place, so that what follows fits on.
        snapshot.loginUnderWay = record.loginUnderWay
        snapshot.presenter = record.loginUnderWay && owedEnd == nil ? login?.presenter.scene : nil
        snapshot.loginHost = record.announcedLoginHost ?? selectedLoginHost
        snapshot.locked = record.locked
        return snapshot
    }

    func account(_ id: String) -> AccountRecord? {
        index(ofAccount: id).map { accounts[$0] }
    }

    /// Without a copy of those that are passed over.
    func index(ofAccount id: String) -> Int? {
        accounts.indices.first { accounts[$0].account.id == id }
    }

    /// Something is under way that a stop should let come to its end: tokens that the login host has given out already,
    /// or a change on its way to the disk.
    package var isBusy: Bool {
        if !refreshes.isEmpty || !unstored.isEmpty || inFlight != nil { return true }
        switch login?.state {
        case .redeeming, .completing: return true
        case .polling(let polling): return polling.isAsking
        default: return false
        }
    }

    /// The app's configuration was read again.
    package mutating func policyChanged(_ policy: AppPolicy, world: World) -> [Action] {
        self.policy = policy
        if owedLoginHost != nil { return enqueue(.announceOwed, world) }
        if owedEnd == nil { owedDue = nil }
        return []
    }
}
