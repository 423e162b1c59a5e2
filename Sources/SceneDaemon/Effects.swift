import LinuxIO
import SceneModel
import SceneOAuth
import SceneProtocol
import SceneSystem
import SessionCore
import Varlink

// The one place where decisions become effects.

extension Daemon {
    /// Something happened to a session: it decides, and what it decides is done.
    func happened(_ live: LiveSession, _ event: (inout Session, World) -> [Action]) {
        let (actions, deadline) = live.decide(event, world)
        arm(live, for: deadline)
        for action in actions { carryOut(action, live) }
        toldLast = nil
        if live.inviting != nil { settleInvitation(live) }
        stopIfQuiet()
    }

    private func arm(_ live: LiveSession, for deadline: Instant?) {
        guard deadline != live.deadline else { return }
        live.deadline = deadline
        live.timer?.cancel()
        live.timer = deadline.map { deadline in
            loop.schedule(at: deadline) {
                live.deadline = nil
                self.happened(live) { $0.timeReached(world: $1) }
            }
        }
    }

    private func carryOut(_ action: Action, _ live: LiveSession) {
        switch action {
        case .reply(let call, let reply): if !endedOnScreen(call, nil) { answer(call, reply) }
        case .progress(let call, let progress): tell(call, progress)
        case .fail(let call, let failure): if !endedOnScreen(call, failure) { fail(call, failure) }
        case .commit(let change): commit(change, live)
        case .published: published(live)
        case .openStream(let call, let opening, let position):
            openStream(call, opening: opening, position: position, live)
        case .closeStream(let call): closeStream(call)
        case .beginLogin(let order): beginLogin(order, live)
        case .moveLogin(let order): moveLogin(order, live)
        case .pollDevice(let id): pollDevice(id, live)
        case .endLogin(let id, let end): endLogin(id, end, live)
        case .refresh(let order): refresh(order, live)
        case .revoke(let revocation, let idToken): revoke(revocation, idToken: idToken, live)
        case .tellProvider(let app, let message): tellProvider(app, message, from: live)
        case .tellAsker(let app, let request, let answer): tellAsker(app, request, answer, uid: live.key.uid)
        case .offerLogin(let app, let request, let choice): offerLogin(app, request, choice, from: live)
        case .startApp: startApp(live)
        case .audit(let entry): Journal.write(entry.journalEntry(of: live.key))
        }
    }

    private func answer(_ call: CallID, _ reply: Reply) {
        switch reply {
        case .login(let progress): answer(call, message(progress, continues: false))
        case .done: answer(call, UpdateScene.Reply())
        case .switched(let account, let at): answer(call, SwitchAccount.Reply(account: account, at: at))
        case .loggedOut(let result, let at): answer(call, Logout.Reply(result: result, at: at))
        case .loggedOutAll(let results, let at): answer(call, LogoutAll.Reply(results: results, at: at))
        case .token(let token): answer(call, token.message)
        case .loginHost(let host): answer(call, AddLoginHost.Reply(loginHost: host))
        case .authorized(let opening): answer(call, AuthorizeApp.Reply(opening))
        case .denied(let id, let code, let description):
            answer(call, AuthorizeApp.Reply(message: refusal(of: id, code: code, description: description)))
        case .accountsSignedOut(let count): signedOut(call, count)
        }
    }

    /// How a login stands, encoded once for all that are told so in a row: thousands may wait for it.
    func message(_ progress: LoginProgress, continues: Bool) -> [UInt8] {
        if let toldLast, toldLast.continues == continues, toldLast.progress == progress { return toldLast.message }
        let message = VarlinkMessage.reply(LoginIfRequired.Reply(progress: progress), continues: continues)
        toldLast = (progress, continues, message)
        return message
    }

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

    private func refresh(_ order: RefreshOrder, _ live: LiveSession) {
        counters.refreshes += 1
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

    private func revoke(_ revocation: RevocationRecord, idToken: Secret?, _ live: LiveSession) {
        counters.revocations += 1
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

extension AccessToken {
    /// GetAccessToken's reply.
    var message: Secret {
        var bytes = VarlinkMessage.reply(GetAccessToken.Reply(token: self))
        return Secret(wiping: &bytes)
    }
}

extension AuthorizeApp.Reply {
    init(_ opening: Opening) {
        switch opening {
        case .screen(let page): self.init(loginScreen: page.loginScreen, authorizationUri: page.authorizationUri)
        case .loginHost(let uri): self.init(authorizationUri: uri)
        case .message(let url): self.init(message: url)
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

extension OAuthFailure {
    /// For the journal and for people; what came from the login host is scrubbed already.
    var explanation: String {
        switch self {
        case .refused(let code, let description): description.map { "\(code): \($0)" } ?? code
        case .unavailable(_, let reason), .lost(_, let reason), .invalid(_, let reason): reason
        case .unusable(_, let cause): cause.explanation
        case .cancelled: "cancelled"
        }
    }

    /// What a call that waited for a login ends with.
    var failure: Failure {
        switch self {
        case .refused(let code, let description): .loginFailed(code: code, description: description)
        case .unavailable(let seconds, _), .lost(let seconds, _): .loginHostUnavailable(retryAfterSeconds: seconds)
        case .invalid(let code, let reason): .loginFailed(code: code, description: reason)
        case .unusable(_, let cause): cause.failure
        case .cancelled: .loginCancelled
        }
    }
}
