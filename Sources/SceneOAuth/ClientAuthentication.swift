import SceneModel

/// How a client shows who it is (RFC 6749, section 2.3; OpenID Connect Core 1.0, section 9).
enum ClientAuthentication {
    /// A public client, which only names itself.
    case none
    case basic(Secret)
    case post(Secret)
    /// `private_key_jwt`: a signed assertion (RFC 7523).
    case assertion(Secret)

    /// By the client's own choice; else by what it has and by the `methods` that the metadata lists, of which hosts leave
    /// much out: a client without a secret is public, whether or not `none` is listed, and a secret goes by
    /// `client_secret_basic` unless only `client_secret_post` is. Throws where the choice lacks what it needs.
    init(
        _ client: Client, metadata: ProviderMetadata, methods: [String]?, wallNow: Int
    ) throws(OAuthFailure) {
        let methods = methods ?? []
        let onlyPost = methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
        switch (client.authentication, client.clientSecret, client.key) {
        case (.none, _, _), (.auto, nil, nil):
            self = .none
        case (.basic, let secret?, _):
            self = .basic(secret)
        case (.post, let secret?, _):
            self = .post(secret)
        case (.privateKeyJWT, _, let key?), (.auto, nil, let key?):
            self = .assertion(try ClientAuthentication.assertion(client, key, metadata, wallNow: wallNow))
        case (.auto, let secret?, _):
            self = onlyPost ? .post(secret) : .basic(secret)
        case (.basic, nil, _), (.post, nil, _), (.privateKeyJWT, _, nil):
            throw .unusableCredential("ClientAuthentication= needs a secret or key that is not configured")
        }
    }

    /// Made out to the issuer alone: an endpoint's address could be another host's, which a hostile host names as its own.
    /// `jti` is new each time, and the assertion good for five minutes.
    private static func assertion(
        _ client: Client, _ key: ClientKey, _ metadata: ProviderMetadata, wallNow: Int
    ) throws(OAuthFailure) -> Secret {
        let claims: [String: JSONValue] = [
            "iss": .string(client.clientID), "sub": .string(client.clientID),
            "aud": .string(client.assertionAudience ?? metadata.issuer), "jti": .string(RandomText.make()),
            "iat": .int(Int64(wallNow)), "exp": .int(Int64(wallNow) + 300),
        ]
        guard let assertion = key.sign(claims, supported: metadata.tokenAuthenticationAlgorithms) else {
            throw .unusableCredential("the client's key cannot sign")
        }
        return assertion
    }

    /// Adds the credentials to a request's form and headers.
    func apply(_ client: Client, to form: inout Form, headers: inout [(name: String, value: String)]) {
        switch self {
        case .none: form.add("client_id", client.clientID)
        case .post(let secret):
            form.add("client_id", client.clientID)
            form.add("client_secret", secret)
        case .assertion(let assertion):
            form.add("client_id", client.clientID)
            form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            form.add("client_assertion", assertion)
        case .basic(let secret):
            // Each half form-encoded before the base64 (section 2.3.1).
            let pair = Form.encode(client.clientID) + ":" + Form.encode(secret.text)
            headers.append((name: "Authorization", value: "Basic " + Base64URL.padded(pair.utf8)))
        }
    }
}

extension HTTPClient {
    /// Posts a form to an endpoint of a login host, with the client's credentials. The answer is not looked at, and no
    /// redirect followed: a token would go elsewhere.
    func post(
        _ form: Form, to url: String, as client: Client, _ authentication: ClientAuthentication, maximumBytes: Int
    ) async throws(OAuthFailure) -> HTTPResponse {
        var form = form
        var headers = [(name: "Accept", value: "application/json")]
        headers.append((name: "Content-Type", value: "application/x-www-form-urlencoded"))
        authentication.apply(client, to: &form, headers: &headers)
        do throws(HTTPFailure) {
            return try await send(
                HTTPRequest(
                    method: "POST", url: url, headers: headers, body: form.take(), maximumBytes: maximumBytes))
        } catch {
            throw OAuthFailure(error)
        }
    }
}
