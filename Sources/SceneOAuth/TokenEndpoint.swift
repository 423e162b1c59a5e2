import SceneModel

/// Asks a token endpoint (RFC 6749, section 3.2). Never follows redirects: a token would go elsewhere.
struct TokenEndpoint {
    let http: HTTPClient
    let clock: () -> Moment

    /// `secrets` are what the form carries; they are kept out of the host's error texts.
    func request(
        _ form: Form, client: Client, metadata: ProviderMetadata, secrets: [Secret]
    ) async throws(OAuthFailure) -> Tokens {
        let (response, requested) = try await send(form, to: metadata.tokenEndpoint, client: client, metadata: metadata)
        let hidden = secrets + (client.clientSecret.map { [$0] } ?? [])
        return try TokenEndpoint.read(response, hiding: hidden, requested: requested, wallNow: clock().wall)
    }

    /// Sends the form as the client, and says when.
    func send(
        _ form: Form, to url: String, client: Client, metadata: ProviderMetadata
    ) async throws(OAuthFailure) -> (HTTPResponse, Moment) {
        var form = form
        var headers = [(name: "Accept", value: "application/json")]
        headers.append((name: "Content-Type", value: "application/x-www-form-urlencoded"))
        ClientAuthentication(client, methods: metadata.tokenAuthentication)
            .apply(client, to: &form, headers: &headers)
        let requested = clock()
        do {
            let response = try await http.send(
                HTTPRequest(method: "POST", url: url, headers: headers, body: form.take(), maximumBytes: 256 << 10))
            return (response, requested)
        } catch {
            throw OAuthFailure(error)
        }
    }

    /// What an answer means. Only the host's own refusal is `refused`; everything that a proxy, an overload or a broken
    /// line may cause is `unavailable`.
    static func read(
        _ response: HTTPResponse, hiding secrets: [Secret], requested: Moment, wallNow: Int
    ) throws(OAuthFailure) -> Tokens {
        let unavailable = response.unavailable("a token request", wallNow: wallNow)
        if response.isOverloaded { throw unavailable }
        let refusal = response.refusal(hiding: secrets)
        switch response.status {
        case 200...299:
            // Some hosts refuse with 200.
            if let refusal { throw read(refusal, unavailable) }
            guard let members = JSONValue.object(in: response.body) else {
                throw .unavailable("the answer to a token request is no JSON object")
            }
            return try Tokens(members, requested: requested)
        case 400 where response.body.isEmpty && response.isDelimited:
            throw .refused(code: "invalid_grant", description: nil)
        case 400, 401, 403:
            throw refusal.map { read($0, unavailable) } ?? unavailable
        default: throw unavailable
        }
    }

    private static func read(
        _ refusal: (code: String, description: String?), _ unavailable: OAuthFailure
    ) -> OAuthFailure {
        guard passingErrors.contains(refusal.code) else {
            return .refused(code: refusal.code, description: refusal.description)
        }
        guard case .unavailable(let seconds, _) = unavailable else { return unavailable }
        return .unavailable(retryAfterSeconds: seconds, reason: refusal.code)
    }
}
