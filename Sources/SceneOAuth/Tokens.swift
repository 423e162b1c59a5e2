import SceneModel

/// A token response (RFC 6749, section 5.1).
package struct Tokens: Sendable {
    package var accessToken: Secret
    /// "Bearer" or "DPoP", whatever its case was.
    package var tokenType: String
    package var refreshToken: Secret?
    /// Absent from many a refresh: keep the old one then.
    package var idToken: Secret?
    /// What was granted; absent where it is what was asked for.
    package var scope: String?
    package var expiresIn: Int?
    package var instanceUrl: String?
    /// When the tokens were asked for: their life is counted from here.
    package var requested: Moment

    package init(
        accessToken: Secret, tokenType: String = "Bearer", refreshToken: Secret? = nil, idToken: Secret? = nil,
        scope: String? = nil, expiresIn: Int? = nil, instanceUrl: String? = nil, requested: Moment
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
        self.expiresIn = expiresIn
        self.instanceUrl = instanceUrl
        self.requested = requested
    }
}

extension Tokens {
    /// Throws `unusable` where there are tokens and something else is not in order.
    static func read(_ members: [String: JSONValue], requested: Moment) throws(OAuthFailure) -> Tokens {
        do {
            return try Tokens(members, requested: requested)
        } catch {
            func sendable(_ name: String) -> Secret? {
                members[name]?.string.flatMap { isSendable($0) ? Secret($0) : nil }
            }
            let tokens = UnusableTokens(
                accessToken: sendable("access_token"), refreshToken: sendable("refresh_token"))
            throw tokens == UnusableTokens() ? error : .unusable(tokens, error)
        }
    }

    func unusable(_ cause: OAuthFailure, areAnothers: Bool = false) -> OAuthFailure {
        .unusable(
            UnusableTokens(accessToken: accessToken, refreshToken: refreshToken, areAnothers: areAnothers), cause)
    }

    private init(_ members: [String: JSONValue], requested: Moment) throws(OAuthFailure) {
        guard let accessToken = members["access_token"]?.string, Tokens.isSendable(accessToken) else {
            throw .invalidTokenResponse("access_token is missing or not plain text")
        }
        switch members["token_type"]?.string?.lowercased() {
        case "bearer": tokenType = "Bearer"
        case "dpop": tokenType = "DPoP"
        case nil: throw .invalidTokenResponse("token_type is missing")
        default: throw .invalidTokenResponse("token_type is neither Bearer nor DPoP")
        }
        self.accessToken = Secret(accessToken)
        refreshToken = try Tokens.secret("refresh_token", in: members)
        idToken = try Tokens.secret("id_token", in: members)
        scope = members["scope"]?.string.flatMap { ScrubbedText.visible($0, longest: 8192) }
        expiresIn = members["expires_in"].flatMap(Tokens.seconds)
        instanceUrl = members["instance_url"]?.string.flatMap { WebAddress($0)?.text }
        self.requested = requested
    }

    private static func secret(_ name: String, in members: [String: JSONValue]) throws(OAuthFailure) -> Secret? {
        guard let text = members[name]?.string, !text.isEmpty else { return nil }
        guard isSendable(text) else {
            throw .invalidTokenResponse("\(name) is larger than 64 KiB or not plain text")
        }
        return Secret(text)
    }

    /// Visible ASCII (RFC 6749, appendix A.12), so that it goes into a header as it is; 64 KiB at most.
    private static func isSendable(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.count <= 64 << 10 && token.utf8.allSatisfy { 0x21...0x7e ~= $0 }
    }

    /// Some hosts send `expires_in` as a string. Negative and absurd values are kept in bounds.
    static func seconds(_ value: JSONValue) -> Int? {
        (value.whole ?? value.string.flatMap { Int($0) }).map { min(max($0, 0), Int(Int32.max)) }
    }
}

extension OAuthFailure {
    package static let invalidTokenResponseCode = "invalid_token_response"

    static func invalidTokenResponse(_ fault: String) -> OAuthFailure {
        .invalid(
            code: invalidTokenResponseCode, reason: "the login host's token response is not in order: " + fault)
    }
}
