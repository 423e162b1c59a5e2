import SceneModel

/// What a login host knows an app as.
package struct Client: Sendable {
    package var clientID: String
    /// For confidential clients only.
    package var clientSecret: Secret?
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

    var scopeNames: [String] {
        let names = scopes.split(whereSeparator: \.isWhitespace).map(String.init)
        return names.contains("openid") ? names : ["openid"] + names
    }
}

/// How a client shows who it is (RFC 6749, section 2.3; OpenID Connect Core 1.0, section 9).
enum ClientAuthentication {
    case none
    case basic(Secret)
    case post(Secret)

    /// By what the metadata lists; `client_secret_basic` where it lists nothing. A client without a secret is public,
    /// whether or not the host lists `none`.
    init(_ client: Client, methods: [String]?) {
        guard let secret = client.clientSecret else {
            self = .none
            return
        }
        let methods = methods ?? []
        let onlyPost = methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
        self = onlyPost ? .post(secret) : .basic(secret)
    }

    /// Adds the credentials to a request's form and headers.
    func apply(_ client: Client, to form: inout Form, headers: inout [(name: String, value: String)]) {
        switch self {
        case .none: form.add("client_id", client.clientID)
        case .post(let secret):
            form.add("client_id", client.clientID)
            form.add("client_secret", secret)
        case .basic(let secret):
            let pair = Form.encode(client.clientID) + ":" + Form.encode(secret.text)
            headers.append((name: "Authorization", value: "Basic " + Base64URL.padded(pair.utf8)))
        }
    }
}
