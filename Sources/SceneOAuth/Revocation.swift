import SceneModel

/// What a login host does about a token that is to be forgotten (RFC 7009).
package enum Revocation: Sendable, Equatable {
    case revoked
    /// It offers no revocation, or not to this client.
    case unsupported
}

struct RevocationEndpoint {
    let http: HTTPClient
    let clock: () -> Moment
    let url: String
    let metadata: ProviderMetadata

    func revoke(_ token: Secret, hint: String, client: Client) async throws(OAuthFailure) -> Revocation {
        var form = Form()
        form.add("token", token)
        form.add("token_type_hint", hint)
        // For each request anew: an assertion can be used once.
        let authentication = try ClientAuthentication(
            client, metadata: metadata, methods: metadata.revocationAuthentication ?? metadata.tokenAuthentication,
            wallNow: clock().wall)
        let response = try await http.post(form, to: url, as: client, authentication, maximumBytes: 64 << 10)
        return try RevocationEndpoint.read(response, isConfidential: client.isConfidential, wallNow: clock().wall)
    }

    /// A token that the host knows no more is one that it has forgotten: section 2.2 has it say 200, some say so.
    /// A page of HTML is no login host's answer: what it says about a token is what a captive portal says. A confidential
    /// client that is refused has a secret that has expired, say: it is tried until somebody mends that.
    static func read(
        _ response: HTTPResponse, isConfidential: Bool, wallNow: Int
    ) throws(OAuthFailure) -> Revocation {
        switch response.status {
        case 200...299 where !response.isPage: return .revoked
        case 404, 405: return .unsupported
        case 401, 403: if !isConfidential { return .unsupported }
        case 400:
            switch response.refusal(hiding: [])?.code {
            case "unsupported_token_type": return .unsupported
            case "invalid_client", "unauthorized_client": if !isConfidential { return .unsupported }
            case "invalid_token", "invalid_grant": return .revoked
            default: break
            }
        default: break
        }
        throw response.unavailable("a revocation", wallNow: wallNow)
    }
}
