import SceneModel
import SceneOAuth
import SceneSystem
import SessionCore

// Requests to login hosts for tokens that are there: refreshes and revocations.

extension Daemon {
    /// Runs a request to a login host that goes on whoever leaves.
    func request(_ body: @escaping () async -> Void) {
        let number = number()
        requests[number] = Task {
            await body()
            requests[number] = nil
        }
    }

    /// What a login host knows the app as, with what it shows who it is with. Throws where that cannot be read.
    func client(of app: String, host: String, clientID: String) throws(OAuthFailure) -> Client {
        var client = publicClient(of: app, host: host, clientID: clientID)
        try configuration.apps[app]?.addCredentials(to: &client, credentials: options.credentials)
        return client
    }

    private func publicClient(of app: String, host: String, clientID: String) -> Client {
        let configured = configuration.apps[app]
        let host = configured?.loginHosts.first { $0.host.url == host }
        var client = Client(clientID: clientID, scopes: configured?.scopes ?? "openid")
        client.defaultMaxAge = configured?.defaultMaxAge
        client.revocationEndpoint = host?.revocationEndpoint
        client.deviceAuthorizationEndpoint = host?.deviceAuthorizationEndpoint
        client.userinfoEndpoint = host?.userinfoEndpoint
        client.endSessionEndpoint = host?.endSessionEndpoint
        client.assertionAudience = host?.assertionAudience
        return client
    }

    func refresh(_ order: RefreshOrder, _ live: LiveSession) {
        count(.refreshes, live)
        let account = order.account
        tokenRequests += 1
        request { [self] in
            defer { tokenRequestEnded() }
            do throws(OAuthFailure) {
                // Without its configuration, and with it the client's secret, a refusal would say nothing of the grant.
                guard configuration.apps[live.key.app] != nil else {
                    throw .unavailable(retryAfterSeconds: nil, reason: "the app is no longer configured")
                }
                let client = try client(of: live.key.app, host: account.loginHost, clientID: order.clientID)
                let (tokens, identity) = try await oauth.refresh(
                    host: account.loginHost, client: client, refreshToken: order.refreshToken, scope: nil,
                    issuer: account.issuer, subject: account.subject)
                var refreshed = Refreshed(tokens, clientID: order.clientID, bootID: bootID)
                refreshed.claims = identity?.claims(over: order.claims)
                happened(live) {
                    $0.tokensRefreshed(account, generation: order.generation, refreshed, world: $1)
                }
            } catch {
                refreshFailed(order, error, live)
            }
        }
    }

    /// After what it brought has been told: a stop may have waited for it.
    func tokenRequestEnded() {
        tokenRequests -= 1
        stopIfQuiet()
    }

    private func refreshFailed(_ order: RefreshOrder, _ failure: OAuthFailure, _ live: LiveSession) {
        var retryAfter: Int?
        var mayBeSpent = false
        var told: Failure?
        switch failure {
        case .refused(let code, _) where !OAuthFailure.clientErrors.contains(code):
            // The host's own words, which may say why: that the user was disabled there, for one.
            Journal.write(
                JournalEntry(
                    priority: .warning, message: "The login host refused a refresh token: \(failure.explanation)",
                    messageID: MessageID.refreshRefused,
                    fields: [
                        ("SCENED_APP", live.key.app), ("SCENED_UID", "\(live.key.uid)"),
                        ("SCENED_ACCOUNT", order.account.id), ("SCENED_LOGIN_HOST", order.account.loginHost),
                    ]))
            return happened(live) {
                $0.refreshRefused(order.account, generation: order.generation, code: code, world: $1)
            }
        case .refused: told = failure.failure
        case .invalid(let code, _):
            told = failure.failure
            // Other faults are found before anything is sent.
            mayBeSpent = code == OAuthFailure.invalidTokenResponseCode
        case .unavailable(let seconds, _): retryAfter = seconds
        case .lost(let seconds, _):
            retryAfter = seconds
            mayBeSpent = true
        case .unusable, .cancelled: break
        }
        Journal.write(
            JournalEntry(
                // Once for an outage, however often it is tried.
                priority: order.account.state == .degraded ? .debug : .warning,
                message: "Tokens could not be refreshed: \(failure.explanation)",
                messageID: MessageID.loginHostUnavailable,
                fields: [("SCENED_APP", live.key.app), ("SCENED_LOGIN_HOST", order.account.loginHost)]))
        if case .unusable(let tokens, let cause) = failure {
            return refreshUnusable(order, tokens, cause.failure, live)
        }
        happened(live) {
            $0.refreshUnavailable(
                order.account, generation: order.generation, retryAfterSeconds: retryAfter, mayBeSpent: mayBeSpent,
                failure: told, world: $1)
        }
    }

    /// A refresh brought tokens, and with them something that is not in order. Of the same user's, the refresh token is kept:
    /// the one before may be spent. Another's are revoked.
    private func refreshUnusable(_ order: RefreshOrder, _ tokens: UnusableTokens, _ fault: Failure, _ live: LiveSession)
    {
        let isNew = tokens.refreshToken != order.refreshToken
        if let refreshToken = tokens.refreshToken, !tokens.areAnothers {
            let refreshed = Refreshed(
                clientID: order.clientID, accessToken: tokens.accessToken, refreshToken: refreshToken, fault: fault)
            return happened(live) {
                $0.tokensRefreshed(order.account, generation: order.generation, refreshed, world: $1)
            }
        }
        if tokens.areAnothers {
            let another = RevocableTokens(
                clientID: order.clientID, accessToken: tokens.accessToken,
                refreshToken: isNew ? tokens.refreshToken : nil)
            happened(live) { $0.unusableTokensReceived(order.account, another, world: $1) }
        }
        happened(live) {
            $0.refreshUnavailable(
                order.account, generation: order.generation, retryAfterSeconds: nil, mayBeSpent: true, failure: fault,
                world: $1)
        }
    }

    func revoke(_ revocation: RevocationRecord, idToken: Secret?, _ live: LiveSession) {
        count(.revocations, live)
        let host = revocation.account.loginHost
        let publicClient = publicClient(of: live.key.app, host: host, clientID: revocation.clientID)
        let returnsTo = configuration.apps[live.key.app]?.postLogoutRedirectURI
        request { [self] in
            // Before the host is told: what it takes for that does not keep the browser's user waiting.
            func offerEndSession() {
                let uri = oauth.endSessionUri(
                    host: host, idToken: idToken, client: publicClient, postLogoutRedirectURI: returnsTo)
                if let uri { happened(live) { session, _ in session.endSessionKnown(revocation.id, uri) } }
            }
            var outcome: RevocationOutcome
            offerEndSession()
            do throws(OAuthFailure) {
                try await oauth.learn(host)
                offerEndSession()
                let client = try client(of: live.key.app, host: host, clientID: revocation.clientID)
                let answer = try await oauth.revoke(
                    host: host, client: client, refreshToken: revocation.refreshToken,
                    accessToken: revocation.accessToken)
                outcome = answer == .revoked ? .revoked : .unsupported
            } catch .invalid(OAuthFailure.unusableCredentialCode, let reason) {
                // The token stays at the host until somebody mends this, so it stays queued.
                Journal.write(
                    JournalEntry(
                        priority: .warning, message: "Tokens could not be revoked: \(reason)",
                        messageID: MessageID.loginHostUnavailable,
                        fields: [("SCENED_APP", live.key.app), ("SCENED_LOGIN_HOST", host)]))
                outcome = .unavailable(retryAfterSeconds: nil)
            } catch .refused, .invalid {
                outcome = .unsupported
            } catch .unavailable(let seconds, _), .lost(let seconds, _) {
                outcome = .unavailable(retryAfterSeconds: seconds)
            } catch {
                outcome = .unavailable(retryAfterSeconds: nil)
            }
            // Without its configuration, and with it the client's secret, a refusal says nothing for good.
            if outcome == .unsupported, configuration.apps[live.key.app] == nil {
                outcome = .unavailable(retryAfterSeconds: nil)
            }
            happened(live) { $0.revocationEnded(revocation.id, outcome, world: $1) }
        }
    }
}

extension Refreshed {
    init(_ tokens: Tokens, clientID: String, bootID: String) {
        self.init(
            clientID: clientID, accessToken: tokens.accessToken, tokenType: tokens.tokenType,
            refreshToken: tokens.refreshToken, idToken: tokens.idToken, scope: tokens.scope,
            lifetime: Lifetime(tokens, bootID: bootID), instanceUrl: tokens.instanceUrl)
    }
}

extension Lifetime {
    /// Nil where the login host gave no `expires_in`.
    init?(_ tokens: Tokens, bootID: String) {
        guard let seconds = tokens.expiresIn else { return nil }
        self.init(obtained: tokens.requested, seconds: seconds, bootID: bootID)
    }
}
