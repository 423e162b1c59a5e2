import LinuxIO
import SceneLogin
import SceneModel
import SceneOAuth
import SceneSystem
import SessionCore

// The login under way: its listener, its page, its callback.

extension Daemon {
    func beginLogin(_ order: LoginOrder, _ live: LiveSession) {
        count(.logins, live)
        guard let app = configuration.apps[live.key.app] else {
            return happened(live) { $0.loginFailed(order.login, .unknownApp($0.key.app), world: $1) }
        }
        let uid = live.key.uid
        guard sessions.values.count(where: { $0.key.uid == uid && $0.login != nil }) < quotas[.logins] else {
            return happened(live) { $0.loginFailed(order.login, self.quotas.exceeded(.logins, uid), world: $1) }
        }
        let client: Client
        do throws(OAuthFailure) {
            client = try self.client(of: app.name, host: order.host, clientID: app.clientID)
        } catch {
            return loginFailed(order.login, error, live)
        }
        let running = RunningLogin(id: order.login, page: number())
        live.login = running
        if order.presentation == .device { return beginDeviceLogin(order, running, client, live) }
        loginPages[running.page] = live
        do throws(LoopbackFailure) {
            let opened = try pages.open(
                login: running.page, uid: live.key.uid, redirectURI: app.redirectURI(at: order.host))
            authorize(order, client, running, opened, live)
        } catch {
            happened(live) { $0.loginFailed(order.login, error.failure, world: $1) }
        }
    }

    /// The login goes on at another login host, or tries its own once more.
    func moveLogin(_ order: LoginOrder, _ live: LiveSession) {
        guard let running = live.login, running.id == order.login, let app = configuration.apps[live.key.app] else {
            return
        }
        if order.presentation == .device { return moveDeviceLogin(order, running, app, live) }
        running.task?.cancel()
        running.pending = nil
        running.hasFailed = false
        unkeep(running)
        do throws(LoopbackFailure) {
            guard
                let opened = try pages.move(login: running.page, redirectURI: app.redirectURI(at: order.host))
            else { return }
            portsClosed()
            var order = order
            order.loginHint = running.accountName ?? order.loginHint
            do throws(OAuthFailure) {
                let client = try client(of: app.name, host: order.host, clientID: app.clientID)
                authorize(order, client, running, opened, live)
            } catch {
                failed(running, error, live)
            }
        } catch {
            guard pages.isSeen(login: running.page) else {
                return happened(live) { $0.loginFailed(order.login, error.failure, world: $1) }
            }
            running.hasFailed = true
            pages.failed(login: running.page, error.failure.fault)
        }
    }

    private func authorize(
        _ order: LoginOrder, _ client: Client, _ running: RunningLogin, _ opened: OpenedLogin, _ live: LiveSession
    ) {
        running.attempt += 1
        let attempt = running.attempt
        running.task = Task {
            do throws(OAuthFailure) {
                let pending = try await oauth.authorize(
                    host: order.host, client: client, redirectURI: opened.redirectURI, loginHint: order.loginHint,
                    idTokenHint: order.idTokenHint, force: order.force)
                if running.attempt == attempt { ready(running, pending, opened, live) }
            } catch {
                if running.attempt == attempt { notReady(running, error, live) }
            }
        }
    }

    private func ready(
        _ running: RunningLogin, _ pending: PendingAuthorization, _ opened: OpenedLogin, _ live: LiveSession
    ) {
        guard live.login === running else { return }
        running.pending = pending
        showWay(running)
        let page = LoginPage(
            loginScreen: opened.loginScreen, authorizationUri: pending.authorizationUri,
            identityProviderUri: identityProviderUri(pending, live))
        // First, so that whoever is told the address finds it again after a crash.
        if let attempt = live.session.login { keep(running, KeptLogin(live.key, attempt, pending, opened: opened)) }
        happened(live) { $0.loginReady(running.id, page: page, world: $1) }
    }

    /// From its screen to its login host, with the account name that was typed there.
    func showWay(_ running: RunningLogin) {
        guard let pending = running.pending else { return }
        let uri = running.accountName.map { pending.authorizationUri(loginHint: $0) } ?? pending.authorizationUri
        pages.ready(login: running.page, state: pending.state, authorizationUri: uri)
    }

    /// Who looks at the screen is told there, and may try again or choose another login host.
    private func notReady(_ running: RunningLogin, _ failure: OAuthFailure, _ live: LiveSession) {
        guard live.login === running, pages.isSeen(login: running.page) else { return failed(running, failure, live) }
        running.hasFailed = true
        note(failure, live)
        pages.failed(login: running.page, failure.faultOfHost)
    }

    func failed(_ running: RunningLogin, _ failure: OAuthFailure, _ live: LiveSession) {
        guard live.login === running else { return }
        loginFailed(running.id, failure, live)
    }

    private func loginFailed(_ login: Int, _ failure: OAuthFailure, _ live: LiveSession) {
        note(failure, live)
        happened(live) { $0.loginFailed(login, failure.failure, world: $1) }
    }

    func note(_ failure: OAuthFailure, _ live: LiveSession) {
        Journal.write(
            JournalEntry(
                priority: .warning, message: "A login failed: \(failure.explanation)",
                messageID: MessageID.loginFailed,
                fields: [("SCENED_APP", live.key.app), ("SCENED_UID", "\(live.key.uid)")]))
    }

    /// The browser came back with a login's state.
    func callbackArrived(_ page: Int, query: String, respond: @escaping (LoginOutcome) -> Void) {
        guard let live = loginPages[page], let running = live.login, running.page == page else {
            return respond(.cancelled)
        }
        if let callback = CallbackParameters(query: query), take(callback, running, live, respond: respond) { return }
        respond(.failed(LoginFault(.foreign)))
        // What was forged does not use the state up: the login goes on, unless its answer has come another way.
        if live.login === running, live.session.login?.awaitsUser == true { showWay(running) }
    }

    /// Hands a callback to the login that waits for it. False: it is none of ours, and nothing has changed.
    func take(
        _ callback: CallbackParameters, _ running: RunningLogin, _ live: LiveSession,
        respond: @escaping (LoginOutcome) -> Void
    ) -> Bool {
        guard let pending = running.pending, live.session.login?.awaitsUser == true,
            let state = callback.state, Secret(state) == Secret(pending.state),
            callback.iss == nil || callback.iss == pending.issuer
        else { return false }
        running.respond = respond
        unkeep(running)
        happened(live) { $0.userReturned(running.id, world: $1) }
        tokenRequests += 1
        running.task = Task {
            defer { tokenRequestEnded() }
            do throws(OAuthFailure) {
                let client = try client(
                    of: live.key.app, host: pending.host, clientID: pending.clientID)
                let (tokens, identity) = try await oauth.redeem(callback, of: pending, client: client)
                let signIn = SignIn(tokens, identity, host: pending.host, client, bootID: bootID)
                // Not only while the login goes on: what comes too late is revoked.
                happened(live) { $0.tokensReceived(running.id, signIn, world: $1) }
            } catch {
                revokeUnusable(
                    error, issuer: pending.issuer, host: pending.host, clientID: pending.clientID, live)
                failed(running, error, live)
            }
        }
        return true
    }

    /// Tokens came with an answer that is not in order: whose they are is not known, and nobody gets them.
    func revokeUnusable(
        _ failure: OAuthFailure, issuer: String, host: String, clientID: String, _ live: LiveSession
    ) {
        guard case .unusable(let tokens, _) = failure else { return }
        let revocable = RevocableTokens(
            clientID: clientID, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
        happened(live) {
            $0.unusableTokensReceived(Account(issuer: issuer, loginHost: host), revocable, world: $1)
        }
    }

    func endLogin(_ id: Int, _ end: LoginEnd, _ live: LiveSession) {
        guard let running = live.login, running.id == id else { return }
        live.login = nil
        loginPages[running.page] = nil
        let outcome = end.outcome(of: running, live.session.current?.account)
        running.respond?(outcome)
        running.respond = nil
        pages.close(login: running.page, outcome)
        unkeep(running)
        portsClosed()
        statusChanged()
        // An exchange that is under way goes on: tokens that it brings are to be revoked.
        if running.pending == nil, running.device == nil { running.task?.cancel() }
    }
}

extension SignIn {
    init(_ tokens: Tokens, _ identity: Identity, host: String, _ client: Client, bootID: String) {
        let account = Account(
            issuer: identity.issuer, subject: identity.subject, loginHost: host, username: identity.username,
            displayName: identity.displayName, email: identity.email, picture: identity.picture)
        let grant = Grant(
            generation: 0, clientID: client.clientID, accessToken: tokens.accessToken, tokenType: tokens.tokenType,
            refreshToken: tokens.refreshToken, idToken: tokens.idToken, scope: tokens.scope ?? client.scopes,
            lifetime: Lifetime(tokens, bootID: bootID), instanceUrl: tokens.instanceUrl)
        self.init(account: account, grant: grant, claims: identity.claims)
    }
}

extension LoginEnd {
    fileprivate func outcome(of running: RunningLogin, _ account: Account?) -> LoginOutcome {
        switch self {
        case .signedIn(let name): .signedIn(name: name, wanted: running.otherAccountName(than: account))
        case .cancelled, .abandoned: .cancelled
        case .timedOut: .failed(LoginFault(.timedOut))
        case .failed(let failure): .failed(failure.fault)
        }
    }
}

extension LoopbackFailure {
    var failure: Failure {
        switch self {
        case .portTaken(let port):
            .loginFailed(
                code: "redirectPortTaken",
                description:
                    "another program listens on port \(port); end it, or give the app another port (RedirectURI=)")
        case .unsupportedRedirectURI(let reason):
            .loginFailed(code: "unsupportedRedirectURI", description: reason)
        case .system(let reason):
            .loginFailed(code: "system", description: reason)
        }
    }
}
