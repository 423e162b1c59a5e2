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
    var inFlight: (intent: Intent, change: Change)?
    var queue: [Intent] = []

    // Who is there, and what they wait for.
    package internal(set) var scenes: [String: Scene] = [:]
    var waiters: [Waiter] = []
    package internal(set) var login: LoginAttempt?
    var nextLogin = 1
    var refreshes: [String: Refresh] = [:]
    var retries: [String: Retry] = [:]
    /// Accounts whose last refresh was cut short: its refresh token may be spent.
    var refreshWasInterrupted: Set<String> = []
    /// New tokens that could not be stored yet.
    var unstored: [String: (account: Account, generation: Int, refreshed: Refreshed, due: Instant)] = [:]
    var logouts: [LogoutWait] = []
    var revoking: Set<String> = []
    /// When each queued revocation is tried again.
    var revocationDue: [String: Instant] = [:]
    /// What came of revocations that are over, for a logout that is asked for twice.
    var remotes: [String: LogoutResult.Remote] = [:]

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
        isStored = true
        refreshWasInterrupted = Set(stored.accounts.filter(\.grant.isRefreshing).map(\.account.id))
    }

    package var cursor: Cursor { Cursor(epoch: record.epoch, sequence: record.sequence) }

    package var current: AccountRecord? {
        record.current.flatMap { id in accounts.first { $0.account.id == id } }
    }

    /// The current user, where their grant is good.
    var usable: AccountRecord? {
        guard let current, current.account.state != .loginRequired else { return nil }
        return current
    }

    package var pending: Pending {
        if usable != nil { return .nothing }
        if record.selectionPending { return .selection }
        return record.loginPending || current != nil ? .login : .nothing
    }

    package var snapshot: Snapshot {
        var snapshot = Snapshot()
        snapshot.accounts = accounts.map(\.account)
        snapshot.current = current?.account
        snapshot.pending = pending
        snapshot.loginUnderWay = login != nil
        snapshot.presenter = login?.presenter.scene
        snapshot.loginHost = selectedLoginHost
        snapshot.locked = record.locked
        return snapshot
    }

    func account(_ id: String) -> AccountRecord? {
        accounts.first { $0.account.id == id }
    }

    /// Something is under way that a stop should let come to its end: tokens that the login host has given out already,
    /// or a change on its way to the disk.
    package var isBusy: Bool {
        if !refreshes.isEmpty || inFlight != nil { return true }
        switch login?.state {
        case .redeeming, .completing: return true
        default: return false
        }
    }

    /// The app's configuration was read again.
    package mutating func policyChanged(_ policy: AppPolicy) {
        self.policy = policy
    }
}
