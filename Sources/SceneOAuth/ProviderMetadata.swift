/// What a login host says of itself (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2).
struct ProviderMetadata: Sendable, Equatable {
    /// Exactly as the host states it: ID tokens and callbacks are compared with this.
    var issuer: String
    var authorizationEndpoint: String
    var tokenEndpoint: String
    var jwksUri: String
    var userinfoEndpoint: String?
    var revocationEndpoint: String?
    var deviceAuthorizationEndpoint: String?
    var endSessionEndpoint: String?
    var tokenAuthentication: [String]?
    /// `token_endpoint_auth_signing_alg_values_supported`, for `private_key_jwt`.
    var tokenAuthenticationAlgorithms: [String]?
    var revocationAuthentication: [String]?
    /// `authorization_response_iss_parameter_supported` (RFC 9207, section 3).
    var announcesIssuer: Bool

    /// Throws where the document is not this host's or lacks what a sign-in needs. Endpoints that we would not connect to
    /// count as absent.
    init(_ document: [UInt8], host: String) throws(OAuthFailure) {
        guard let members = JSONValue.object(in: document) else {
            throw .unavailable("the login host's metadata is no JSON object")
        }
        guard let issuer = members["issuer"]?.string,
            HostAddress.withoutSlash(issuer) == HostAddress.withoutSlash(host)
        else { throw .invalid(code: "issuer_mismatch", reason: "the metadata's issuer is not the login host") }
        guard let base = WebAddress(host) else { throw OAuthFailure(.badURL) }

        func endpoint(_ name: String) -> String? { base.endpoint(name, in: members) }
        guard let authorizationEndpoint = endpoint("authorization_endpoint"),
            let tokenEndpoint = endpoint("token_endpoint"), let jwksUri = endpoint("jwks_uri")
        else {
            throw .invalid(
                code: "invalid_metadata", reason: "no usable authorization_endpoint, token_endpoint or jwks_uri")
        }
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.jwksUri = jwksUri
        userinfoEndpoint = endpoint("userinfo_endpoint")
        revocationEndpoint = endpoint("revocation_endpoint")
        deviceAuthorizationEndpoint = endpoint("device_authorization_endpoint")
        endSessionEndpoint = endpoint("end_session_endpoint")
        tokenAuthentication = members["token_endpoint_auth_methods_supported"]?.strings
        tokenAuthenticationAlgorithms = members["token_endpoint_auth_signing_alg_values_supported"]?.strings
        revocationAuthentication = members["revocation_endpoint_auth_methods_supported"]?.strings
        announcesIssuer = members["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// Whether another document of the host could add something.
    var isComplete: Bool { revocationEndpoint != nil && deviceAuthorizationEndpoint != nil }

    /// Takes what is missing here from another document of the same host; one that is not usable changes nothing.
    mutating func complete(from document: [UInt8], host: String) {
        guard let members = JSONValue.object(in: document), members["issuer"]?.string == issuer,
            let base = WebAddress(host)
        else { return }
        if revocationEndpoint == nil {
            revocationEndpoint = base.endpoint("revocation_endpoint", in: members)
            revocationAuthentication = members["revocation_endpoint_auth_methods_supported"]?.strings
        }
        deviceAuthorizationEndpoint =
            deviceAuthorizationEndpoint ?? base.endpoint("device_authorization_endpoint", in: members)
    }
}

extension WebAddress {
    /// An address of the login host's metadata that we may connect to.
    fileprivate func endpoint(_ name: String, in members: [String: JSONValue]) -> String? {
        guard let text = members[name]?.string, let address = WebAddress(text), allows(address) else { return nil }
        return text
    }
}
