import SceneModel

/// Asks a token endpoint (RFC 6749, section 3.2).
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
        let requested = clock()
        let authentication = try ClientAuthentication(
            client, metadata: metadata, methods: metadata.tokenAuthentication, wallNow: requested.wall)
        return (try await http.post(form, to: url, as: client, authentication, maximumBytes: 256 << 10), requested)
    }

    /// What an answer means. Only the host's own refusal is `refused`; everything that a proxy, an overload or a broken
    /// line may cause is `unavailable`, or `lost` where the host may have granted what the answer does not bring.
    static func read(
        _ response: HTTPResponse, hiding secrets: [Secret], requested: Moment, wallNow: Int
    ) throws(OAuthFailure) -> Tokens {
        let unavailable = response.unavailable("a token request", wallNow: wallNow)
        if response.isOverloaded { throw saysNotDone.contains(response.status) ? unavailable : unavailable.asLost }
        let refusal = response.refusal(hiding: secrets)
        switch response.status {
        case 200...299:
            // Some hosts refuse with 200.
            if let refusal { throw read(refusal, unavailable) }
            return try Tokens.read(members(of: response), requested: requested)
        case 400 where response.body.isEmpty && response.isDelimited:
            throw .refused(code: "invalid_grant", description: nil)
        case 400, 401, 403:
            throw refusal.map { read($0, unavailable) } ?? unavailable
        default: throw unavailable
        }
    }

    /// Request Timeout, Too Many Requests and Service Unavailable: turned away at the door.
    private static let saysNotDone = [408, 429, 503]
    /// A page of HTML, as a captive portal has it, or an answer that breaks off may be whole the next time; JSON that is
    /// not in order will not.
    private static func members(of response: HTTPResponse) throws(OAuthFailure) -> [String: JSONValue] {
        do throws(JSONFault) {
            return try JSONValue.members(of: response.body)
        } catch {
            func lost(_ reason: String) -> OAuthFailure { .lost(retryAfterSeconds: nil, reason: reason) }
            switch error {
            case .noObject: throw lost("the answer to a token request is no JSON object")
            case .cut: throw lost("the answer to a token request breaks off")
            case .malformed(let reason): throw .invalidTokenResponse("it is no JSON that can be used: \(reason)")
            }
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
