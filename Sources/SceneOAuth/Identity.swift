/// Who signed in, by the ID token's claims completed by userinfo's (OpenID Connect Core 1.0, section 5.1).
package struct Identity: Sendable, Equatable {
    package var issuer: String
    package var subject: String
    package var username: String?
    package var displayName: String?
    package var email: String?
    package var picture: String?
    /// All claims, as one JSON object.
    package var claims: String

    package init(
        issuer: String, subject: String, username: String? = nil, displayName: String? = nil, email: String? = nil,
        picture: String? = nil, claims: String = "{}"
    ) {
        self.issuer = issuer
        self.subject = subject
        self.username = username
        self.displayName = displayName
        self.email = email
        self.picture = picture
        self.claims = claims
    }
}

extension Identity {
    /// What the login host has signed counts before what userinfo says.
    init(_ token: IDToken, userinfo: [String: JSONValue]?) {
        self.init(
            issuer: token.issuer, subject: token.subject,
            claims: token.claims.merging(userinfo ?? [:]) { signed, _ in signed })
    }

    init(issuer: String, subject: String, claims: [String: JSONValue]) {
        func text(_ name: String) -> String? {
            claims[name]?.string.flatMap { ScrubbedText.visible($0, longest: 1024) }
        }
        self.init(
            issuer: issuer, subject: subject, username: text("preferred_username"),
            displayName: text("name"), email: text("email"), picture: text("picture"),
            claims: JSONValue.text(of: claims))
    }

    /// These claims, completed by former ones of the same user that a later ID token need not repeat (OpenID Connect
    /// Core 1.0, section 12.2); what belonged to the former token itself goes. `sid`
    /// stays: a login host may end that session later (OpenID Connect Back-Channel Logout 1.0, section 2.1).
    package func claims(over former: String?) -> String {
        guard let signed = JSONValue.object(in: Array(claims.utf8)),
            let former = former.flatMap({ JSONValue.object(in: Array($0.utf8)) })
        else { return claims }
        let kept = former.filter { !["nonce", "at_hash", "c_hash", "s_hash", "jti"].contains($0.key) }
        return JSONValue.text(of: kept.merging(signed) { _, newer in newer })
    }
}
