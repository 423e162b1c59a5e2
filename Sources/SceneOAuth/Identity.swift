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
}
