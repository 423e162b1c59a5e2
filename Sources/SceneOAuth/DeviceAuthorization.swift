import SceneModel

/// A code that a user may type on another device, and what its tokens are asked for with (RFC 8628, section 3.2).
package struct DeviceAuthorization: Sendable {
    package var deviceCode: Secret
    package var userCode: String
    package var verificationUri: String
    package var verificationUriComplete: String?
    /// When the code was asked for: its life is counted from here.
    package var requested: Instant
    /// Seconds.
    package var expiresIn: Int
    /// Seconds between two token requests, at the least.
    package var interval: Int
    package var clientID: String
    /// Exactly as the login host states it.
    package var issuer: String
    package var host: String

    package init(
        deviceCode: Secret, userCode: String, verificationUri: String, verificationUriComplete: String?,
        requested: Instant, expiresIn: Int, interval: Int, clientID: String, issuer: String, host: String
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationUri = verificationUri
        self.verificationUriComplete = verificationUriComplete
        self.requested = requested
        self.expiresIn = expiresIn
        self.interval = interval
        self.clientID = clientID
        self.issuer = issuer
        self.host = host
    }
}

extension DeviceAuthorization {
    private static let defaultInterval = 5

    /// Reads a device authorization response. What is shown to a person is plain text, and the address one that a browser
    /// may be sent to.
    init(
        _ members: [String: JSONValue], requested: Instant, clientID: String, issuer: String, host: String
    ) throws(OAuthFailure) {
        func invalid(_ reason: String) -> OAuthFailure { .invalid(code: "invalid_device_response", reason: reason) }
        guard let deviceCode = members["device_code"]?.string, (1...8192).contains(deviceCode.utf8.count) else {
            throw invalid("no usable device_code")
        }
        guard let userCode = members["user_code"]?.string, ScrubbedText.visible(userCode, longest: 64) == userCode,
            !userCode.allSatisfy(\.isWhitespace)
        else { throw invalid("no user_code that can be shown") }
        // Drafts of the RFC called it verification_url, and so do some hosts.
        let address = members["verification_uri"] ?? members["verification_url"]
        guard let verificationUri = address?.string, Self.isPresentable(verificationUri, host) else {
            throw invalid("no verification_uri that is an https address")
        }
        guard let expiresIn = members["expires_in"].flatMap(Tokens.seconds), expiresIn > 0 else {
            throw invalid("no usable expires_in")
        }
        let interval = members["interval"].flatMap(Tokens.seconds) ?? Self.defaultInterval
        self.init(
            deviceCode: Secret(deviceCode), userCode: userCode, verificationUri: verificationUri,
            verificationUriComplete: members["verification_uri_complete"]?.string.flatMap {
                Self.isPresentable($0, host) ? $0 : nil
            }, requested: requested, expiresIn: min(expiresIn, 86_400), interval: min(max(interval, 1), 86_400),
            clientID: clientID, issuer: issuer, host: host)
    }

    /// https, or http on loopback where the login host is there too; unlike an endpoint it may have a fragment.
    private static func isPresentable(_ text: String, _ host: String) -> Bool {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }),
            let host = WebAddress(host), let address = WebAddress(String(text.prefix { $0 != "#" }))
        else { return false }
        return host.allows(address)
    }
}

/// What came of asking for tokens (RFC 8628, section 3.5).
package enum DeviceTokens: Sendable {
    case granted(Tokens, Identity)
    /// The user has not used the code yet.
    case pending
    /// As `pending`, and the interval is to grow by 5 seconds.
    case slowDown
    /// No answer, or none of the host's own: ask again, less often.
    case unavailable(OAuthFailure)
}

extension LoginHostClient {
    /// Asks for a code (RFC 8628, section 3.1). `loginHint` and `force` go along for hosts that heed them; others ignore
    /// what they do not know.
    package func authorizeDevice(
        host: String, client: Client, loginHint: String?, force: Bool
    ) async throws(OAuthFailure) -> DeviceAuthorization {
        let metadata = try await metadata(of: host)
        guard let url = usable(client.deviceAuthorizationEndpoint, at: host) ?? metadata.deviceAuthorizationEndpoint
        else { throw .noDeviceFlow("the login host names no device endpoint") }
        // Before the user types the code: without keys, the login could not end well.
        _ = try await keys.document(metadata.jwksUri)

        var form = Form()
        form.add("scope", client.scopeNames.joined(separator: " "))
        if let loginHint, !loginHint.isEmpty { form.add("login_hint", loginHint) }
        if force { form.add("prompt", "login") }
        let (response, requested) = try await tokenEndpoint.send(form, to: url, client: client, metadata: metadata)
        if response.isOverloaded { throw response.unavailable("a device code", wallNow: clock().wall) }
        if let refusal = response.refusal(hiding: client.clientSecret.map { [$0] } ?? []) {
            if passingErrors.contains(refusal.code) { throw .unavailable(refusal.code) }
            throw .refused(code: refusal.code, description: refusal.description)
        }
        switch response.status {
        case 200...299: break
        case 404, 405: throw .noDeviceFlow("its device endpoint answers with HTTP status \(response.status)")
        default: throw response.unavailable("a device code", wallNow: clock().wall)
        }
        guard let members = JSONValue.object(in: response.body) else {
            throw .unavailable("the answer to a request for a device code is no JSON object")
        }
        return try DeviceAuthorization(
            members, requested: requested.boot, clientID: client.clientID, issuer: metadata.issuer, host: host)
    }

    /// Asks once for the code's tokens (section 3.4), and finds out who signed in. Throws what ends the login.
    package func redeem(_ device: DeviceAuthorization, client: Client) async throws(OAuthFailure) -> DeviceTokens {
        let metadata: ProviderMetadata
        let tokens: Tokens
        do throws(OAuthFailure) {
            metadata = try await self.metadata(of: device.host, issuer: device.issuer)
            _ = try await keys.document(metadata.jwksUri)
            var form = Form()
            form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
            form.add("device_code", device.deviceCode)
            let (response, requested) = try await tokenEndpoint.send(
                form, to: metadata.tokenEndpoint, client: client, metadata: metadata)
            let hidden = [device.deviceCode] + (client.clientSecret.map { [$0] } ?? [])
            // Whatever the status: it is 400 by the RFC, and 403 or 428 at some hosts.
            switch response.refusal(hiding: hidden)?.code {
            case "authorization_pending": return .pending
            case "slow_down": return .slowDown
            default: break
            }
            tokens = try TokenEndpoint.read(response, hiding: hidden, requested: requested, wallNow: clock().wall)
        } catch {
            switch error {
            case .refused, .invalid, .unusable, .cancelled: throw error
            default: return .unavailable(error)
            }
        }
        do throws(OAuthFailure) {
            return .granted(tokens, try await identity(of: tokens, device, client, metadata))
        } catch {
            throw tokens.unusable(error)
        }
    }

    /// By the ID token, which has no nonce here. Some hosts give none: what userinfo says is as good then, as both the
    /// access token and the answer come from the host itself, over TLS.
    private func identity(
        of tokens: Tokens, _ device: DeviceAuthorization, _ client: Client, _ metadata: ProviderMetadata
    ) async throws(OAuthFailure) -> Identity {
        if let idToken = tokens.idToken {
            let verified = try await verify(
                idToken, accessToken: tokens.accessToken, metadata: metadata,
                expected: IDTokenExpectation(issuer: device.issuer, clientID: client.clientID, now: clock().wall))
            let userinfo = await userinfo(of: verified.subject, tokens: tokens, client: client, metadata: metadata)
            return Identity(verified, userinfo: userinfo)
        }
        guard let claims = await userinfo(of: nil, tokens: tokens, client: client, metadata: metadata),
            let subject = claims["sub"]?.string, IDToken.isSubject(subject)
        else {
            throw .invalid(
                code: "id_token_missing",
                reason: "the token response has no ID token, and userinfo does not say who it is")
        }
        return Identity(issuer: device.issuer, subject: subject, claims: claims)
    }
}

extension OAuthFailure {
    static func noDeviceFlow(_ reason: String) -> OAuthFailure {
        .invalid(
            code: "noDeviceFlow",
            reason: "\(reason); sign in with a browser, or set DeviceAuthorizationEndpoint= in its [LoginHost]")
    }

    package var retryAfterSeconds: Int? {
        switch self {
        case .unavailable(let seconds, _), .lost(let seconds, _): seconds
        case .refused, .invalid, .unusable, .cancelled: nil
        }
    }
}
