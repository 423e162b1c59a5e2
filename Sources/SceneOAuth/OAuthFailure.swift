import SceneModel

/// Why a login host gave us nothing. Texts that came from the host are scrubbed.
package enum OAuthFailure: Error, Sendable, Equatable {
    /// The host's own no: an OAuth error code, and its description.
    case refused(code: String, description: String?)
    /// It cannot be reached or is overloaded, or what answers in its place is no login host; nothing is lost.
    case unavailable(retryAfterSeconds: Int?, reason: String)
    /// The request went out, and what came back, if anything, does not tell what became of it: the code or the refresh
    /// token that it carried may be used up.
    case lost(retryAfterSeconds: Int?, reason: String)
    /// The host's answer fails a check: an ID token, metadata, a callback.
    case invalid(code: String, reason: String)
    /// Tokens came, and for this reason they are not to be used. They live on at the host until it is told to forget them.
    indirect case unusable(UnusableTokens, OAuthFailure)
    case cancelled
}

/// What an answer brought that is not in order.
package struct UnusableTokens: Sendable, Equatable {
    package var accessToken: Secret?
    package var refreshToken: Secret?
    /// At a refresh: an ID token says that they are another user's.
    package var areAnothers = false
}

extension OAuthFailure {
    /// Error codes of a token endpoint that find fault with the app's registration there, not with the grant (RFC 6749,
    /// section 5.2): signing in again would not help.
    package static let clientErrors: Set<String> = ["invalid_client", "unauthorized_client", "unsupported_grant_type"]

    /// Why, whatever came with it.
    package var cause: OAuthFailure {
        if case .unusable(_, let cause) = self { cause.cause } else { self }
    }

    var asLost: OAuthFailure {
        guard case .unavailable(let seconds, let reason) = self else { return self }
        return .lost(retryAfterSeconds: seconds, reason: reason)
    }

    static func unavailable(_ reason: String) -> OAuthFailure {
        .unavailable(retryAfterSeconds: nil, reason: reason)
    }

    /// The client's own secret or key cannot be used: nothing was sent, and the one who configured it can mend it.
    package static func unusableCredential(_ reason: String) -> OAuthFailure {
        .invalid(code: unusableCredentialCode, reason: reason)
    }

    package static let unusableCredentialCode = "clientCredentialUnusable"

    init(_ failure: HTTPFailure) {
        self =
            switch failure {
            case .unreachable(let reason): .unavailable(reason)
            case .timedOut: .unavailable("no answer in time")
            case .interrupted(let reason): .lost(retryAfterSeconds: nil, reason: reason)
            case .tooLarge: .lost(retryAfterSeconds: nil, reason: "the answer is too large")
            case .tls(let reason): .unavailable("TLS: \(reason)")
            case .cancelled: .cancelled
            case .badURL: .invalid(code: "invalid_url", reason: "not an https address, nor http on loopback")
            }
    }
}
