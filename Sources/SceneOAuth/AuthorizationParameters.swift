import SceneModel

/// An authorization request (OpenID Connect Core 1.0, section 3.1.2.1) that another program is to send its user off with:
/// all that the login host has to be told, and nothing by which its answer could be used.
package struct AuthorizationParameters: Hashable, Sendable {
    /// The login host's address, as the apps' configurations have it.
    package var loginHost: String
    package var clientID: String
    package var redirectURI: String
    package var scope: String
    package var state: String
    package var nonce: String
    package var codeChallenge: String
    package var maxAge: Int?
    package var loginHint: String?
    /// The scene that asks.
    package var scene: String?

    /// Nil where something is missing, too long, or of no code flow with PKCE by S256 (RFC 7636, section 4.3).
    init?(_ fields: [String: String]) {
        func text(_ name: String, longest: Int = 512) -> String? {
            fields[name].flatMap { Self.isVisible($0, longest: longest) ? $0 : nil }
        }
        guard fields["response_type"] == "code", fields["code_challenge_method"] == "S256",
            let host = text("idp_login_host", longest: 2048), WebAddress(host) != nil,
            let clientID = text("client_id"), let redirectURI = text("redirect_uri", longest: 2048),
            let scope = fields["scope"], Self.isText(scope, longest: 1024),
            scope.split(separator: " ").contains("openid"),
            let state = text("state"), let nonce = text("nonce"),
            let challenge = text("code_challenge"), challenge.utf8.count == 43,
            fields["login_hint"].map({ Self.isText($0) }) ?? true, fields["idp_scene"].map({ Self.isText($0) }) ?? true
        else { return nil }
        if let maxAge = fields["max_age"] {
            guard let seconds = Int(maxAge), seconds >= 0 else { return nil }
            self.maxAge = seconds
        }
        loginHost = host
        (self.clientID, self.redirectURI, self.scope) = (clientID, redirectURI, scope)
        (self.state, self.nonce, codeChallenge) = (state, nonce, challenge)
        loginHint = fields["login_hint"]
        scene = fields["idp_scene"]
    }

    /// What the browser was to be sent off with. Nil where it is none that another program could be given.
    package init?(_ pending: PendingAuthorization, loginHint: String?, scene: String?) {
        let query = pending.authorizationUri.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        var fields = Dictionary(
            (Form.decode(query) ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
        fields["idp_login_host"] = pending.host
        // Some hosts have longer names than a message takes; it does without.
        fields["login_hint"] = loginHint.flatMap { Self.isText($0) ? $0 : nil }
        fields["idp_scene"] = scene
        self.init(fields)
    }

    func add(to query: inout Form) {
        query.add("idp_login_host", loginHost)
        if let scene { query.add("idp_scene", scene) }
        addRequest(to: &query)
        if let loginHint { query.add("login_hint", loginHint) }
    }

    private func addRequest(to query: inout Form) {
        query.add("response_type", "code")
        query.add("client_id", clientID)
        query.add("redirect_uri", redirectURI)
        query.add("scope", scope)
        query.add("state", state)
        query.add("nonce", nonce)
        query.add("code_challenge", codeChallenge)
        query.add("code_challenge_method", "S256")
        if let maxAge { query.add("max_age", String(maxAge)) }
    }

    /// As the login host is asked, for this user.
    func query(loginHint: String?) -> Form {
        var query = Form()
        addRequest(to: &query)
        // Section 11, as in a login of our own.
        if scope.split(separator: " ").contains("offline_access") { query.add("prompt", "consent") }
        if let loginHint { query.add("login_hint", loginHint) }
        return query
    }

    static func isText(_ text: String, longest: Int = 256) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// VSCHAR of RFC 6749, appendix A, without the space.
    private static func isVisible(_ text: String, longest: Int) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

extension LoginHostClient {
    /// Where a browser asks the host for what another app wants. Without the user's ID token: who opens the address shows
    /// it to all users of the machine, and the host has the user's session.
    package func authorizationUri(
        for parameters: AuthorizationParameters, loginHint: String?
    ) async throws(OAuthFailure) -> String {
        try await metadata(of: parameters.loginHost).authorizationEndpoint.appendingQuery(
            parameters.query(loginHint: loginHint))
    }
}
