import LinuxIO
import SceneModel

/// Speaks OAuth 2.0 and OpenID Connect with login hosts. Confined to the loop's thread.
package final class LoginHostClient {
    let http: HTTPClient
    let clock: () -> Moment
    private let metadata: DocumentCache<ProviderMetadata>
    let keys: DocumentCache<[JSONWebKey]>

    package convenience init(http: HTTPClient) {
        self.init(http: http, clock: { EventLoop.now })
    }

    init(http: HTTPClient, clock: @escaping () -> Moment) {
        self.http = http
        self.clock = clock
        metadata = DocumentCache(loop: http.loop, clock: clock) { host, completion in
            Discovery.fetch(host: host, http: http, clock: clock, completion: completion)
        }
        keys = DocumentCache(loop: http.loop, clock: clock) { url, completion in
            SigningKeys.fetch(url, http: http, clock: clock, completion: completion)
        }
    }

    /// A request for the browser; `force` has the host ask for credentials whoever is signed in there. `idTokenHint` tells
    /// it whose session is meant.
    package func authorize(
        host: String, client: Client, redirectURI: String, loginHint: String?, idTokenHint: Secret? = nil, force: Bool
    ) async throws(OAuthFailure) -> PendingAuthorization {
        PendingAuthorization(
            host: host, metadata: try await metadata(of: host), client: client, redirectURI: redirectURI,
            loginHint: loginHint, idTokenHint: idTokenHint, force: force, wallNow: clock().wall)
    }

    /// Exchanges the callback's code for tokens and finds out who signed in. The code can be used once. Throws `unusable`
    /// where tokens came and it cannot be told whose they are.
    package func redeem(
        _ callback: CallbackParameters, of pending: PendingAuthorization, client: Client
    ) async throws(OAuthFailure) -> (Tokens, Identity) {
        let code = try pending.code(of: callback)
        let metadata = try await metadata(of: pending.host, issuer: pending.issuer)
        // Before the code is used up: without keys, the login could not end well.
        _ = try await keys.document(metadata.jwksUri)

        var form = Form()
        form.add("grant_type", "authorization_code")
        form.add("code", code)
        form.add("redirect_uri", pending.redirectURI)
        form.add("code_verifier", pending.verifier)
        let tokens = try await tokenEndpoint.request(
            form, client: client, metadata: metadata, secrets: [code, pending.verifier])
        let verified: IDToken
        do throws(OAuthFailure) {
            verified = try await verify(
                tokens.idToken, accessToken: tokens.accessToken, metadata: metadata,
                expected: IDTokenExpectation(
                    issuer: pending.issuer, clientID: client.clientID, nonce: pending.nonce,
                    authenticatedSince: pending.authenticatedSince, now: clock().wall))
        } catch {
            throw tokens.unusable(error)
        }
        let userinfo = await userinfo(of: verified.subject, tokens: tokens, client: client, metadata: metadata)
        return (tokens, Identity(verified, userinfo: userinfo))
    }

    /// New tokens for a grant (RFC 6749, section 6). Without a refresh or ID token in the answer, the old ones stay good.
    /// Throws `unusable` where tokens came that may be another user's, or that cannot be read.
    package func refresh(
        host: String, client: Client, refreshToken: Secret, scope: String?, issuer: String, subject: String
    ) async throws(OAuthFailure) -> (Tokens, Identity?) {
        let metadata = try await metadata(of: host, issuer: issuer)
        var form = Form()
        form.add("grant_type", "refresh_token")
        form.add("refresh_token", refreshToken)
        if let scope, !scope.isEmpty { form.add("scope", scope) }
        var tokens = try await tokenEndpoint.request(
            form, client: client, metadata: metadata, secrets: [refreshToken])
        guard let idToken = tokens.idToken else { return (tokens, nil) }
        let expected = IDTokenExpectation(issuer: issuer, clientID: client.clientID, subject: subject)
        let verified: IDToken?
        do throws(OAuthFailure) {
            verified = try await verifyRefreshed(
                idToken, accessToken: tokens.accessToken, metadata: metadata, expected: expected)
        } catch {
            let claims = try? SignedToken(idToken).unverifiedClaims()
            let isSame = { (name: String, value: String) in (claims?[name]?.string ?? value) == value }
            throw tokens.unusable(error, areAnothers: !isSame("iss", issuer) || !isSame("sub", subject))
        }
        if verified == nil { tokens.idToken = nil }
        return (tokens, verified.map { Identity($0, userinfo: nil) })
    }

    /// Has the host forget a grant: the refresh token first, as that ends most. Throws `unavailable` where it is to be
    /// told again later.
    package func revoke(
        host: String, client: Client, refreshToken: Secret?, accessToken: Secret?
    ) async throws(OAuthFailure) -> Revocation {
        let metadata = try await metadata(of: host)
        guard let url = usable(client.revocationEndpoint, at: host) ?? metadata.revocationEndpoint else {
            return .unsupported
        }
        let endpoint = RevocationEndpoint(http: http, clock: clock, url: url, metadata: metadata)
        guard let refreshToken else {
            guard let accessToken else { return .unsupported }
            return try await endpoint.revoke(accessToken, hint: "access_token", client: client)
        }
        let outcome = try await endpoint.revoke(refreshToken, hint: "refresh_token", client: client)
        if let accessToken {
            _ = try await endpoint.revoke(accessToken, hint: "access_token", client: client)
        }
        return outcome
    }

    /// Fetches the host's metadata, unless it is known.
    package func learn(_ host: String) async throws(OAuthFailure) {
        _ = try await metadata(of: host)
    }

    /// Where a browser ends the user's session at the host (OpenID Connect RP-Initiated Logout 1.0, section 2); nil where
    /// the host has no such place, as far as is known. Asks nobody.
    package func endSessionUri(
        host: String, idToken: Secret?, client: Client, postLogoutRedirectURI: String? = nil
    ) -> String? {
        let known = metadata.known(HostAddress.withoutSlash(host))?.endSessionEndpoint
        guard let endpoint = usable(client.endSessionEndpoint, at: host) ?? known else { return nil }
        var query = Form()
        if let idToken, idToken.count <= 8 << 10 { query.add("id_token_hint", idToken) }
        query.add("client_id", client.clientID)
        if let postLogoutRedirectURI { query.add("post_logout_redirect_uri", postLogoutRedirectURI) }
        // Some hosts send the browser back only where there is a state.
        query.add("state", RandomText.make())
        return endpoint.appendingQuery(query)
    }
}

extension LoginHostClient {
    var tokenEndpoint: TokenEndpoint { TokenEndpoint(http: http, clock: clock) }

    /// `issuer` is what the host stated when the account signed in: a host that has become another gets no token.
    func metadata(of host: String, issuer: String? = nil) async throws(OAuthFailure) -> ProviderMetadata {
        guard WebAddress(host) != nil else { throw OAuthFailure(.badURL) }
        let metadata = try await metadata.document(HostAddress.withoutSlash(host))
        guard issuer == nil || issuer == metadata.issuer else {
            throw .invalid(code: "issuer_mismatch", reason: "the login host states another issuer than before")
        }
        return metadata
    }

    func usable(_ endpoint: String?, at host: String) -> String? {
        endpoint.flatMap { Self.canUse(endpoint: $0, at: host) ? $0 : nil }
    }

    /// Whether an endpoint that is configured for a login host is one that is connected to.
    package static func canUse(endpoint: String, at host: String) -> Bool {
        guard let host = WebAddress(host), let address = WebAddress(endpoint) else { return false }
        return host.allows(address)
    }

    func verify(
        _ idToken: Secret?, accessToken: Secret, metadata: ProviderMetadata, expected: IDTokenExpectation
    ) async throws(OAuthFailure) -> IDToken {
        guard let idToken else {
            throw .invalid(code: "id_token_missing", reason: "the token response has no ID token")
        }
        let token = try SignedToken(idToken)
        let (claims, keys) = try await claims(of: token, metadata)
        guard let claims else { throw token.mismatch(with: keys) }
        return try IDToken(claims, expected: expected, accessTokenHash: token.accessTokenHash(of: accessToken))
    }

    /// The claims, if a key of the login host signed them; and its keys, fetched once more where none did: the host may have
    /// changed them since, be it under the same name.
    private func claims(
        of token: SignedToken, _ metadata: ProviderMetadata
    ) async throws(OAuthFailure) -> ([String: JSONValue]?, [JSONWebKey]) {
        var keys = try await keys.document(metadata.jwksUri)
        if let claims = try token.claims(verifiedBy: keys) { return (claims, keys) }
        keys = try await self.keys.newerDocument(metadata.jwksUri)
        return (try token.claims(verifiedBy: keys), keys)
    }

    /// An ID token that came with a refresh has to be the same user's (section 12.2). Nil where it cannot be verified now,
    /// or has the wrong time by a clock that may be ours: the old refresh token is used up, and to lose the new one would
    /// sign the user out. It came from the host itself, over TLS (section 3.1.3.7, item 6); the old ID token stays.
    private func verifyRefreshed(
        _ idToken: Secret, accessToken: Secret, metadata: ProviderMetadata, expected: IDTokenExpectation
    ) async throws(OAuthFailure) -> IDToken? {
        let token = try SignedToken(idToken)
        let hash = token.accessTokenHash(of: accessToken)
        var claims: [String: JSONValue]?
        do throws(OAuthFailure) {
            let keys: [JSONWebKey]
            (claims, keys) = try await self.claims(of: token, metadata)
            let isKeyKnown = !keys.candidates(keyID: token.keyID, algorithm: token.algorithm).isEmpty
            if claims == nil, isKeyKnown { throw token.mismatch(with: keys) }
        } catch {
            if case .invalid = error { throw error }
        }
        let unverified = try token.unverifiedClaims()
        _ = try IDToken(claims ?? unverified, expected: expected, accessTokenHash: hash)
        var timely = expected
        timely.now = clock().wall
        return claims.flatMap { try? IDToken($0, expected: timely, accessTokenHash: hash) }
    }

    /// Claims about that user, or about whose the token is; nil where they cannot be had, which does not stand in a login's way.
    func userinfo(
        of subject: String?, tokens: Tokens, client: Client, metadata: ProviderMetadata
    ) async -> [String: JSONValue]? {
        guard let url = usable(client.userinfoEndpoint, at: metadata.issuer) ?? metadata.userinfoEndpoint else {
            return nil
        }
        let request = HTTPRequest(
            url: url,
            headers: [
                (name: "Accept", value: "application/json"),
                (name: "Authorization", value: "\(tokens.tokenType) \(tokens.accessToken.text)"),
            ], maximumBytes: 64 << 10, timeoutSeconds: 10)
        guard let response = try? await http.send(request), response.status == 200,
            let claims = JSONValue.object(in: response.body), subject == nil || claims["sub"]?.string == subject
        else { return nil }
        return claims
    }
}
