import SceneModel

/// What a login host knows an app as.
package struct Client: Sendable {
    package var clientID: String
    /// For confidential clients only: a secret or a key, and how it is used.
    package var clientSecret: Secret?
    package var key: ClientKey?
    package var authentication = ClientAuthenticationMethod.auto
    /// Whom a `private_key_jwt` assertion is made out to, where that is not the issuer.
    package var assertionAudience: String?
    /// Separated by spaces; `openid` is asked for in any case.
    package var scopes: String
    /// `max_age` of every login: the host asks for credentials where the user gave them longer ago, seconds.
    package var defaultMaxAge: Int?
    // For login hosts whose metadata does not name them.
    package var revocationEndpoint: String?
    package var deviceAuthorizationEndpoint: String?
    package var userinfoEndpoint: String?
    package var endSessionEndpoint: String?

    package init(
        clientID: String, clientSecret: Secret? = nil, scopes: String = "openid", revocationEndpoint: String? = nil,
        deviceAuthorizationEndpoint: String? = nil, userinfoEndpoint: String? = nil, endSessionEndpoint: String? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.revocationEndpoint = revocationEndpoint
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        self.userinfoEndpoint = userinfoEndpoint
        self.endSessionEndpoint = endSessionEndpoint
    }

    /// Whether it can show the login host who it is.
    var isConfidential: Bool { authentication != .none && (clientSecret != nil || key != nil) }

    var scopeNames: [String] {
        let names = scopes.split(whereSeparator: \.isWhitespace).map(String.init)
        return names.contains("openid") ? names : ["openid"] + names
    }
}

/// How a client is to show who it is (OpenID Connect Core 1.0, section 9), as a configuration has it.
package enum ClientAuthenticationMethod: String, CaseIterable, Hashable, Sendable {
    /// By what there is and what the login host lists.
    case auto
    /// `client_secret_basic`
    case basic
    /// `client_secret_post`
    case post
    case privateKeyJWT = "private_key_jwt"
    case none
}
