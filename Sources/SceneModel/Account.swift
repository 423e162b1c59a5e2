/// A signed-in user account of an app.
public struct Account: Hashable, Sendable {
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// Tokens can be had.
        case active
        /// The login host cannot be reached; the account stays.
        case degraded
        /// The login host has refused the account's grant.
        case loginRequired
    }

    /// Stable, opaque and unique within the app.
    public var id: String
    /// OpenID Connect `iss`.
    public var issuer: String
    /// OpenID Connect `sub`.
    public var subject: String
    public var loginHost: String
    public var username: String?
    public var displayName: String?
    public var email: String?
    public var picture: String?
    public var state: State

    public init(
        id: String = "", issuer: String = "", subject: String = "", loginHost: String = "", username: String? = nil,
        displayName: String? = nil, email: String? = nil, picture: String? = nil, state: State = .active
    ) {
        self.id = id
        self.issuer = issuer
        self.subject = subject
        self.loginHost = loginHost
        self.username = username
        self.displayName = displayName
        self.email = email
        self.picture = picture
        self.state = state
    }
}
