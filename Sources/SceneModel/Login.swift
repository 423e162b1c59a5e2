public struct LoginOptions: Hashable, Sendable {
    public enum Presentation: String, CaseIterable, Hashable, Sendable {
        /// A login screen in the user's browser.
        case browser
        /// A code to type on another device (RFC 8628).
        case device
        /// Never ask the user: fail with InteractionRequired.
        case none
    }

    public var presentation: Presentation?
    /// Sign in at this login host in place of the selected one.
    public var loginHost: String?
    /// Account name to fill in.
    public var loginHint: String?
    /// Make the login host ask for credentials even if it has a session of its own.
    public var force: Bool?
    /// Give up after this many seconds. Default 600.
    public var timeoutSeconds: Int?
    /// Sign in at the login host, without the app's identity provider; a login that waits for that goes on without.
    public var local: Bool?

    public init() {}
}

/// How a login stands, from the asking scene's point of view.
public struct LoginProgress: Hashable, Sendable {
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// Another scene presents the login.
        case waiting
        /// This scene is to present it.
        case presenting
        /// The user is back; tokens are being fetched.
        case authorizing
        /// Choose one of `accounts` with SwitchAccount.
        case selecting
        case signedIn, alreadySignedIn
        /// The session is locked; goes on when it is unlocked.
        case locked
    }

    public var state: State
    public var presenter: String?
    /// With presenting: the address of the login screen to open.
    public var loginScreen: String?
    /// Likewise: the login host's own address, for a browser that cannot reach this machine's loopback.
    public var authorizationUri: String?
    public var userCode: String?
    public var verificationUri: String?
    public var verificationUriComplete: String?
    public var expiresInSeconds: Int?
    public var accounts: [Account]?
    public var account: Account?
    /// With signedIn and alreadySignedIn: the place in history from which it holds.
    public var at: Cursor?
    /// Where the login goes through another app: that app, which asks the user.
    public var identityProvider: String?
    /// With presenting: the address that asks the identity provider, to be opened in place of the login screen, which
    /// is there for who wants to sign in without.
    public var identityProviderUri: String?
    /// Why it does not, though the app has one: a word of README's "Reasons".
    public var reason: String?

    public init(_ state: State = .waiting) {
        self.state = state
    }
}

/// A token for the login host's resources (RFC 6749, section 1.4).
public struct AccessToken: Sendable {
    public var value: Secret
    /// "Bearer" or "DPoP".
    public var type: String
    public var account: Account
    /// Seconds that the token has still to live; absent where the login host does not say.
    public var expiresInSeconds: Int?
    public var scope: String?
    /// The address that serves the account's data, where the login host names one.
    public var instanceUrl: String?

    public init(
        value: Secret = Secret(""), type: String = "", account: Account = Account(), expiresInSeconds: Int? = nil,
        scope: String? = nil, instanceUrl: String? = nil
    ) {
        self.value = value
        self.type = type
        self.account = account
        self.expiresInSeconds = expiresInSeconds
        self.scope = scope
        self.instanceUrl = instanceUrl
    }
}

public struct LogoutResult: Hashable, Sendable {
    public enum Remote: String, CaseIterable, Hashable, Sendable {
        /// The login host has confirmed.
        case revoked
        /// It could not be reached, and will be told when it can.
        case queued
        /// It offers no revocation.
        case unsupported
    }

    public var account: Account
    public var remote: Remote
    /// Where a browser may end the user's session at the login host (RP-initiated logout).
    public var endSessionUri: String?

    public init(account: Account = Account(), remote: Remote = .queued, endSessionUri: String? = nil) {
        self.account = account
        self.remote = remote
        self.endSessionUri = endSessionUri
    }
}
