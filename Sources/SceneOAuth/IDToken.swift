import SceneModel

/// What an ID token must say (OpenID Connect Core 1.0, section 3.1.3.7).
struct IDTokenExpectation {
    var issuer: String
    var clientID: String
    /// Nil at a refresh, and for a device.
    var nonce: String?
    /// At a refresh: the subject that signed in (section 12.2).
    var subject: String?
    /// Seconds since 1970.
    var now: Int
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
        func check(_ condition: Bool, _ claim: String) throws(OAuthFailure) {
            guard condition else {
                throw .invalid(code: "invalid_id_token", reason: "the ID token's \(claim) is missing or wrong")
            }
        }
        let subject = claims["sub"]?.string ?? ""
        try check(claims["iss"]?.string == expected.issuer, "iss")
        try check(IDToken.isSubject(subject), "sub")
        try check(expected.subject == nil || expected.subject == subject, "sub")
        try check(IDToken.isAudience(claims, clientID: expected.clientID), "aud or azp")
        try check(IDToken.isTimely(claims, expected), "exp, iat or nbf")
        if let nonce = expected.nonce {
            try check(claims["nonce"]?.string.map { Secret($0) == Secret(nonce) } ?? false, "nonce")
        }
        if let hash = claims["at_hash"], hash != .null {
            try check(hash.string != nil && hash.string == accessTokenHash, "at_hash")
        }
        issuer = expected.issuer
        self.subject = subject
        self.claims = claims
    }

    /// Section 2: at most 255 ASCII characters; not empty, and nothing that a terminal would act on.
    static func isSubject(_ text: String) -> Bool {
        1...255 ~= text.utf8.count && text.utf8.allSatisfy { 0x20...0x7e ~= $0 }
    }

    /// Of several audiences, `azp` has to say that the token was issued to us.
    private static func isAudience(_ claims: [String: JSONValue], clientID: String) -> Bool {
        let audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
        guard audiences.contains(clientID) else { return false }
        switch claims["azp"] {
        case nil, .null?: return audiences.count == 1
        case .some(let party): return party.string == clientID
        }
    }

    private static func isTimely(_ claims: [String: JSONValue], _ expected: IDTokenExpectation) -> Bool {
        guard let expiry = claims["exp"]?.whole, let issued = claims["iat"]?.whole else { return false }
        let earliest = expected.now - expected.leeway
        let latest = expected.now + expected.leeway
        if let start = claims["nbf"], start != .null {
            guard let start = start.whole, start <= latest else { return false }
        }
        return expiry > earliest && issued <= latest
    }
}
