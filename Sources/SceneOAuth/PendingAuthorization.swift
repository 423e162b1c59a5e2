import SceneModel

/// An authorization request that a browser was sent off with, and what its answer is checked against.
package struct PendingAuthorization: Sendable {
    package var authorizationUri: String
    package var state: String
    package var nonce: String
    package var verifier: Secret
    package var redirectURI: String
    /// Exactly as the login host states it.
    package var issuer: String
    package var host: String
    /// Whose authorization it is: also where the app is configured otherwise by now.
    package var clientID: String
    /// Whether the host says that its answers carry `iss` (RFC 9207).
    package var announcesIssuer: Bool
    /// Where the client has a `max_age`: when the user has to have signed in at the host, at the earliest; seconds since
    /// 1970.
    package var authenticatedSince: Int?

    package init(
        authorizationUri: String, state: String, nonce: String, verifier: Secret, redirectURI: String, issuer: String,
        host: String, clientID: String, announcesIssuer: Bool = false, authenticatedSince: Int? = nil
    ) {
        self.authorizationUri = authorizationUri
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.redirectURI = redirectURI
        self.issuer = issuer
        self.host = host
        self.clientID = clientID
        self.announcesIssuer = announcesIssuer
        self.authenticatedSince = authenticatedSince
    }
}

extension PendingAuthorization {
    /// That of the redirect URI, in lower case, where it is a private one.
    package var scheme: String? {
        let scheme = redirectURI.prefix { $0 != ":" }.lowercased()
        return IdentityProviderMessage.isScheme(scheme) ? scheme : nil
    }

    /// Whether this is the redirect URI, but for queries. What opens URLs writes schemes in lower case.
    package func isAnswered(at address: some StringProtocol) -> Bool {
        let expected = redirectURI.prefix { $0 != "?" }
        guard let colon = expected.firstIndex(of: ":"), let found = address.firstIndex(of: ":") else { return false }
        return expected[..<colon].lowercased() == address[..<found].lowercased()
            && expected[colon...] == address[found...]
    }

    /// Code flow with PKCE (OpenID Connect Core 1.0, section 3.1.2.1; RFC 7636, section 4.3).
    init(
        host: String, metadata: ProviderMetadata, client: Client, redirectURI: String, loginHint: String?,
        idTokenHint: Secret? = nil, force: Bool, wallNow: Int
    ) {
        let verifier = PKCE.makeVerifier()
        let state = RandomText.make()
        let nonce = RandomText.make()
        var query = Form()
        query.add("response_type", "code")
        query.add("client_id", client.clientID)
        query.add("redirect_uri", redirectURI)
        query.add("scope", client.scopeNames.joined(separator: " "))
        query.add("state", state)
        query.add("nonce", nonce)
        query.add("code_challenge", PKCE.challenge(for: verifier))
        query.add("code_challenge_method", "S256")
        // `max_age=0` would say the same as `prompt=login`, but Glewlwyd refuses it as invalid.
        // Section 11: a refresh token for offline access is granted only where consent is asked for.
        let prompts = (force ? ["login"] : []) + (client.scopeNames.contains("offline_access") ? ["consent"] : [])
        if !prompts.isEmpty { query.add("prompt", prompts.joined(separator: " ")) }
        if let maxAge = client.defaultMaxAge { query.add("max_age", String(maxAge)) }
        if let loginHint, !loginHint.isEmpty { query.add("login_hint", loginHint) }
        // A long one makes an address that hosts refuse.
        if let idTokenHint, idTokenHint.count <= 4 << 10 { query.add("id_token_hint", idTokenHint) }
        self.init(
            authorizationUri: metadata.authorizationEndpoint.appendingQuery(query), state: state, nonce: nonce,
            verifier: verifier, redirectURI: redirectURI, issuer: metadata.issuer, host: host,
            clientID: client.clientID, announcesIssuer: metadata.announcesIssuer,
            authenticatedSince: client.defaultMaxAge.map { wallNow - $0 })
    }

    /// The same request with another account name filled in, or none.
    package func authorizationUri(loginHint: String) -> String {
        let halves = authorizationUri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let kept = halves.dropFirst().joined().split(separator: "&").filter { !$0.hasPrefix("login_hint=") }
        var query = Form()
        if !loginHint.isEmpty { query.add("login_hint", loginHint) }
        let fields = kept.map(String.init) + (loginHint.isEmpty ? [] : [query.text])
        return halves[0] + (fields.isEmpty ? "" : "?") + fields.joined(separator: "&")
    }

    /// The code of a callback that answers this request (RFC 6749, section 4.1.2; RFC 9207, section 2.4).
    func code(of callback: CallbackParameters) throws(OAuthFailure) -> Secret {
        guard let state = callback.state, Secret(state) == Secret(self.state) else {
            throw .invalid(code: "state_mismatch", reason: "the callback belongs to another request")
        }
        // Hosts that announce `iss` leave it out of their errors.
        guard callback.iss == issuer || callback.iss == nil && (!announcesIssuer || callback.error != nil) else {
            throw .invalid(code: "issuer_mismatch", reason: "the callback is not from the login host")
        }
        let secrets = [Secret(self.state), Secret(nonce), verifier] + (callback.code.map { [$0] } ?? [])
        if let error = callback.error {
            throw .refused(
                code: ScrubbedText.code(error, hiding: secrets),
                description: callback.errorDescription.flatMap { ScrubbedText.of($0, hiding: secrets) })
        }
        guard let code = callback.code else {
            throw .invalid(code: "code_missing", reason: "the callback carries neither code nor error")
        }
        return code
    }
}

extension String {
    /// An endpoint may have a query of its own, which stays (RFC 6749, section 3.1).
    func appendingQuery(_ query: Form) -> String {
        let separator = !contains("?") ? "?" : hasSuffix("?") || hasSuffix("&") ? "" : "&"
        return self + separator + query.text
    }
}
