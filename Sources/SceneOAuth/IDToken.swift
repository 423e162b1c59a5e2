import SceneModel

/// What an ID token must say (OpenID Connect Core 1.0, section 3.1.3.7).
struct IDTokenExpectation {
    var issuer: String
    var clientID: String
    /// Nil at a refresh, and for a device.
    var nonce: String?
    /// At a refresh: the subject that signed in (section 12.2).
    var subject: String?
    /// Where `max_age` was asked for: the user has to have given credentials since, seconds since 1970.
    var authenticatedSince: Int?
    /// Seconds since 1970; nil where the token's times do not matter.
    var now: Int?
    /// Clock skew that is tolerated, seconds.
    var leeway = 60
}

/// A verified ID token.
struct IDToken {
    let issuer: String
    let subject: String
    let claims: [String: JSONValue]

    /// Checks claims whose signature was checked. `accessTokenHash` is what `at_hash` has to be, if there is one.
    init(
        _ claims: [String: JSONValue], expected: IDTokenExpectation, accessTokenHash: String?
    ) throws(OAuthFailure) {
        let reader = ClaimReader(claims)
        guard try reader.text("iss") == expected.issuer else { throw .invalidIDToken("is of another issuer: its iss") }
        subject = try reader.subject(expected)
        try reader.checkAudience(expected.clientID)
        try reader.checkTimes(expected)
        if let nonce = expected.nonce {
            guard Secret(try reader.text("nonce")) == Secret(nonce) else {
                throw .invalidIDToken("belongs to another login: its nonce")
            }
        }
        if reader.has("at_hash") {
            guard try reader.text("at_hash") == accessTokenHash else {
                throw .invalidIDToken("belongs to another access token: its at_hash")
            }
        }
        issuer = expected.issuer
        self.claims = claims
    }

    /// Section 2: at most 255 ASCII characters; not empty, and nothing that a terminal would act on.
    static func isSubject(_ text: String) -> Bool {
        1...255 ~= text.utf8.count && text.utf8.allSatisfy { 0x20...0x7e ~= $0 }
    }
}

/// Reads claims one by one, each with its own complaint.
private struct ClaimReader {
    private let claims: [String: JSONValue]

    init(_ claims: [String: JSONValue]) {
        self.claims = claims
    }

    /// A claim that is null is one that is absent.
    func has(_ name: String) -> Bool { (claims[name] ?? .null) != .null }

    func text(_ name: String) throws(OAuthFailure) -> String {
        guard has(name) else { throw .invalidIDToken("lacks \(name)") }
        guard let text = claims[name]?.string else { throw .invalidIDToken("has a claim that is no text: \(name)") }
        return text
    }

    /// Seconds since 1970.
    func time(_ name: String) throws(OAuthFailure) -> Int {
        guard has(name) else { throw .invalidIDToken("lacks \(name)") }
        guard let time = claims[name]?.whole else { throw .invalidIDToken("has a claim that is no time: \(name)") }
        return time
    }

    func subject(_ expected: IDTokenExpectation) throws(OAuthFailure) -> String {
        let subject = try text("sub")
        guard !subject.isEmpty else { throw .invalidIDToken("has an empty sub") }
        guard subject.utf8.count <= 255 else { throw .invalidIDToken("has a sub of more than 255 bytes") }
        guard IDToken.isSubject(subject) else { throw .invalidIDToken("has a sub that is not plain ASCII") }
        guard expected.subject ?? subject == subject else { throw .invalidIDToken("is of another user: its sub") }
        return subject
    }

    /// Of several audiences, `azp` has to say that the token was issued to us.
    func checkAudience(_ clientID: String) throws(OAuthFailure) {
        guard has("aud") else { throw .invalidIDToken("lacks aud") }
        let audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
        guard audiences.count == claims["aud"]?.elements?.count ?? audiences.count else {
            throw .invalidIDToken("has an audience that is no text: its aud")
        }
        guard audiences.contains(clientID) else { throw .invalidIDToken("is meant for another client: its aud") }
        guard has("azp") else {
            guard audiences.count == 1 else { throw .invalidIDToken("has several audiences and lacks azp") }
            return
        }
        guard try text("azp") == clientID else { throw .invalidIDToken("was issued to another client: its azp") }
    }

    func checkTimes(_ expected: IDTokenExpectation) throws(OAuthFailure) {
        guard let now = expected.now else { return }
        let clock = ", by this machine's clock"
        let latest = now + expected.leeway
        guard try time("exp") > now - expected.leeway else { throw .invalidIDToken("has expired: its exp" + clock) }
        guard try time("iat") <= latest else { throw .invalidIDToken("is from the future: its iat" + clock) }
        if has("nbf") {
            guard try time("nbf") <= latest else { throw .invalidIDToken("is not valid yet: its nbf" + clock) }
        }
        if let since = expected.authenticatedSince {
            guard try time("auth_time") >= since - expected.leeway else {
                throw .invalidIDToken("says that the user signed in too long ago: its auth_time")
            }
        }
    }
}
