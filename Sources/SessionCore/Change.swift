import SceneModel

/// All that scenes of one Unix user and one app share.
package struct SessionKey: Hashable, Sendable {
    package var uid: UInt32
    package var app: String

    package init(uid: UInt32, app: String) {
        self.uid = uid
        self.app = app
    }
}

/// How long a token lives, in a form that survives suspend, clock steps and a reboot.
package struct Lifetime: Hashable, Sendable {
    /// When the answer that carried the token was asked for.
    package var obtained: Moment
    /// `expires_in` (RFC 6749, section 5.1).
    package var seconds: Int
    /// The boot that `obtained.boot` belongs to (/proc/sys/kernel/random/boot_id).
    package var bootID: String

    package init(obtained: Moment, seconds: Int, bootID: String) {
        self.obtained = obtained
        self.seconds = seconds
        self.bootID = bootID
    }
}

/// The tokens that a login host granted for an account.
package struct Grant: Equatable, Sendable {
    /// Grows by one with each set of tokens; tells a stale answer from a current one.
    package var generation: Int
    package var clientID: String
    package var accessToken: Secret
    package var tokenType: String
    package var refreshToken: Secret?
    /// Kept for `id_token_hint`; a refresh without one leaves the old one in place.
    package var idToken: Secret?
    package var scope: String?
    /// Absent where the login host gave no `expires_in`.
    package var lifetime: Lifetime?
    /// `instance_url` of the token response, where there is one.
    package var instanceUrl: String?
    /// A refresh with this generation's token is on its way; set before the request goes out.
    package var isRefreshing: Bool

    package init(
        generation: Int, clientID: String, accessToken: Secret, tokenType: String, refreshToken: Secret? = nil,
        idToken: Secret? = nil, scope: String? = nil, lifetime: Lifetime? = nil, instanceUrl: String? = nil,
        isRefreshing: Bool = false
    ) {
        self.generation = generation
        self.clientID = clientID
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
        self.lifetime = lifetime
        self.instanceUrl = instanceUrl
        self.isRefreshing = isRefreshing
    }
}

/// An account with what only the daemon knows of it.
package struct AccountRecord: Equatable, Sendable {
    package var account: Account
    package var grant: Grant
    /// The ID token's and userinfo's claims, as one JSON object.
    package var claims: String?
    /// Why `account.state` is `loginRequired`.
    package var reason: String?

    package init(account: Account, grant: Grant, claims: String? = nil, reason: String? = nil) {
        self.account = account
        self.grant = grant
        self.claims = claims
        self.reason = reason
    }
}

/// Tokens that a login host is to be told to forget (RFC 7009).
package struct RevocationRecord: Equatable, Sendable {
    package var id: String
    package var account: Account
    package var clientID: String
    package var refreshToken: Secret?
    package var accessToken: Secret?
    package var reason: String
    package var attempts: Int
    /// Seconds since 1970.
    package var created: Int
    package var nextAttempt: Int

    package init(
        id: String, account: Account, clientID: String, refreshToken: Secret?, accessToken: Secret?, reason: String,
        attempts: Int = 0, created: Int, nextAttempt: Int
    ) {
        self.id = id
        self.account = account
        self.clientID = clientID
        self.refreshToken = refreshToken
        self.accessToken = accessToken
        self.reason = reason
        self.attempts = attempts
        self.created = created
        self.nextAttempt = nextAttempt
    }
}

/// The facts of a session that belong to no account.
package struct SessionRecord: Equatable, Sendable {
    package var epoch: String
    /// The sequence of the newest event.
    package var sequence: Int
    package var current: String?
    package var selectionPending: Bool
    package var loginPending: Bool
    package var locked: Bool
    /// History shows a login begun and not ended; it may no longer hold the beginning.
    package var loginUnderWay: Bool
    /// Absent: the app's first.
    package var selectedLoginHost: String?
    /// The one that history shows selected; absent where an older version wrote the record.
    package var announcedLoginHost: String?

    package init(
        epoch: String, sequence: Int = 0, current: String? = nil, selectionPending: Bool = false,
        loginPending: Bool = false, locked: Bool = false, loginUnderWay: Bool = false,
        selectedLoginHost: String? = nil, announcedLoginHost: String? = nil
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.current = current
        self.selectionPending = selectionPending
        self.loginPending = loginPending
        self.locked = locked
        self.loginUnderWay = loginUnderWay
        self.selectedLoginHost = selectedLoginHost
        self.announcedLoginHost = announcedLoginHost
    }
}

/// One durable change of one session: stored whole or not at all.
package struct Change: Equatable, Sendable {
    package enum Operation: Equatable, Sendable {
        case putAccount(AccountRecord)
        case removeAccount(id: String)
        case putRevocation(RevocationRecord)
        /// Erased, not only deleted: its secrets are gone from the file and the log.
        case removeRevocation(id: String)
        /// What came of the logout whose event has this sequence, where that is not `revoked`: kept as long as the event.
        case putLogoutRemote(sequence: Int, LogoutResult.Remote)
        case putLoginHost(url: String, label: String)
        case removeLoginHost(url: String)
    }

    package var key: SessionKey
    /// The session's facts as they are after this change.
    package var session: SessionRecord
    package var operations: [Operation]
    /// Appended to the history; their sequences follow on the last and end at `session.sequence`.
    package var events: [Event]

    package init(key: SessionKey, session: SessionRecord, operations: [Operation] = [], events: [Event] = []) {
        self.key = key
        self.session = session
        self.operations = operations
        self.events = events
    }
}

/// A session as the store gives it back.
package struct StoredSession: Equatable, Sendable {
    package var key: SessionKey
    package var record: SessionRecord
    package var accounts: [AccountRecord]
    package var loginHosts: [LoginHost]
    package var revocations: [RevocationRecord]
    /// The newest 1,024 events at the most, oldest first, without holes.
    package var history: [Event]
    /// What came of the logouts in the history, by the sequence of their event, where that is not `revoked`.
    package var logoutRemotes: [Int: LogoutResult.Remote]

    package init(
        key: SessionKey, record: SessionRecord, accounts: [AccountRecord] = [], loginHosts: [LoginHost] = [],
        revocations: [RevocationRecord] = [], history: [Event] = [], logoutRemotes: [Int: LogoutResult.Remote] = [:]
    ) {
        self.key = key
        self.record = record
        self.accounts = accounts
        self.loginHosts = loginHosts
        self.revocations = revocations
        self.history = history
        self.logoutRemotes = logoutRemotes
    }
}

/// How many events of a session are kept.
package let historyLimit = 1024
