import SceneModel

// What an app's session and its identity provider app's say to each other. They meet only in the daemon, which passes
// on what one has for the other; neither knows more of the other than this.

/// An app asks its identity provider, another app of the same user, to let it sign in.
package struct AuthorizationQuestion: Hashable, Sendable {
    /// Nobody can guess it, and it is good for one login.
    package var request: String
    package var requestingApp: String
    /// Where the asking app can sign in.
    package var loginHosts: [String]
    /// Whom it would like to sign in.
    package var loginHint: String?
    /// Of one that came as a URL: when that ends.
    package var expiry: Instant?

    package init(
        request: String, requestingApp: String, loginHosts: [String], loginHint: String?, expiry: Instant? = nil
    ) {
        self.request = request
        self.requestingApp = requestingApp
        self.loginHosts = loginHosts
        self.loginHint = loginHint
        self.expiry = expiry
    }
}

/// What the provider's scene is to open, where the user said yes.
package enum Opening: Equatable, Sendable {
    /// The login screen of an app of this daemon's.
    case screen(LoginPage)
    /// The login host, for an app that asked by a URL.
    case loginHost(authorizationUri: String)
    /// A message to such an app.
    case message(String)
}

/// The account that was picked in the provider app: whom the asking app's login is to bring.
package struct AuthorizedAccount: Equatable, Sendable {
    package var account: Account
    /// `id_token_hint` (OpenID Connect Core 1.0, section 3.1.2.1).
    package var idToken: Secret?
}

/// From the asking app's session.
package enum ProviderMessage: Sendable {
    case asks(AuthorizationQuestion)
    /// The provider's scene is to open this.
    case isReady(request: String, Opening)
    /// The login has come to its end, or does without the provider.
    case isOver(request: String, LoginEnd)
}

/// From the provider app's session.
package enum ProviderAnswer: Sendable {
    case approved(AuthorizedAccount)
    case denied(code: String, description: String?)
    /// Nobody answered in time.
    case expired
    /// No scene of the provider is there to ask the user.
    case nobodyThere
    /// The scene that was to open the login screen has gone.
    case leftThePage
    case failed(Failure)
}

/// A login's dealings with the identity provider app.
package struct AskedProvider: Sendable {
    package let app: String
    package let request: String
    let loginHosts: [String]
    /// Once it has approved.
    package internal(set) var choice: AuthorizedAccount?
    /// A scene of the provider's opens the login screen.
    var presents = true

    init(app: String, request: String, loginHosts: [String], choice: AuthorizedAccount? = nil) {
        self.app = app
        self.request = request
        self.loginHosts = loginHosts
        self.choice = choice
    }
}

extension Account {
    /// Whether a login host means the same user by both. A subject may be one for each client (OpenID Connect Core 1.0,
    /// section 8.1), so a name that both know does as well.
    func isUser(of other: Account) -> Bool {
        guard issuer == other.issuer else { return false }
        if subject == other.subject { return true }
        if let username, username == other.username { return true }
        return email.map { $0 == other.email } ?? false
    }
}
