import LinuxIO
import SceneLogin
import SceneModel
import SceneOAuth
import SceneSystem
import SessionCore

// The login under way: its listener, its page, its callback.

extension Daemon {
    func beginLogin(_ order: LoginOrder, _ live: LiveSession) {
        counters.logins += 1
        guard let app = configuration.apps[live.key.app] else {
            return happened(live) { $0.loginFailed(order.login, .unknownApp($0.key.app), world: $1) }
        }
        // It begins again at another host, at the address that the browser has.
        let former = live.login?.id == order.login ? live.login : nil
        let uid = live.key.uid
        let others = sessions.values.count { $0.key.uid == uid && $0.login != nil && $0 !== live }
        guard others < quotas[.logins] else {
            return happened(live) { $0.loginFailed(order.login, self.quotas.exceeded(.logins, uid), world: $1) }
        }
        let client: Client
        do throws(OAuthFailure) {
            client = try self.client(of: app.name, host: order.host, clientID: app.clientID)
        } catch {
            return loginFailed(order.login, error, live)
        }
        if let former {
            // Asking for the tokens of its code may bring some, which are to be revoked.
            if former.device == nil { former.task?.cancel() }
            unkeep(former)
        }
        let running = RunningLogin(id: order.login, page: former?.page ?? number())
        live.login = running
        if order.presentation == .device { return beginDeviceLogin(order, running, client, live) }
        loginPages[running.page] = live
        let screen = app.screen(of: live.session)
        let label = screen.loginHosts.first { $0.url == order.host }?.label ?? order.host
        let opened: OpenedLogin
        do throws(LoopbackFailure) {
            opened = try pages.open(
                login: running.page, uid: live.key.uid, redirectURI: app.redirectURI(at: order.host), screen: screen,
                hostLabel: label)
        } catch {
            return happened(live) { $0.loginFailed(order.login, error.failure, world: $1) }
        }
        if former != nil { portsClosed() }
        running.task = Task {
            do throws(OAuthFailure) {
                let pending = try await oauth.authorize(
                    host: order.host, client: client, redirectURI: opened.redirectURI, loginHint: order.loginHint,
                    force: order.force)
                ready(running, pending, opened, live)
            } catch {
                failed(running, error, live)
            }
        }
    }

    private func ready(
        _ running: RunningLogin, _ pending: PendingAuthorization, _ opened: OpenedLogin, _ live: LiveSession
    ) {
        guard live.login === running else { return }
        running.pending = pending
        pages.ready(login: running.page, state: pending.state, authorizationUri: pending.authorizationUri)
        let page = LoginPage(loginScreen: opened.loginScreen, authorizationUri: pending.authorizationUri)
        happened(live) { $0.loginReady(running.id, page: page, world: $1) }
        guard live.login === running, let attempt = live.session.login else { return }
        keep(
            running,
            KeptLogin(live.key, attempt, pending, token: opened.token, loginScreen: page.loginScreen))
    }

    func failed(_ running: RunningLogin, _ failure: OAuthFailure, _ live: LiveSession) {
        guard live.login === running else { return }
        loginFailed(running.id, failure, live)
    }

    private func loginFailed(_ login: Int, _ failure: OAuthFailure, _ live: LiveSession) {
        Journal.write(
            JournalEntry(
                priority: .warning, message: "A login failed: \(failure.explanation)",
                messageID: MessageID.loginFailed,
                fields: [("SCENED_APP", live.key.app), ("SCENED_UID", "\(live.key.uid)")]))
        happened(live) { $0.loginFailed(login, failure.failure, world: $1) }
    }

    /// The browser came back with a login's state.
    func callbackArrived(_ page: Int, query: String, respond: @escaping (LoginOutcome) -> Void) {
        guard let live = loginPages[page], let running = live.login, running.page == page else {
            return respond(.cancelled)
        }
        if let callback = CallbackParameters(query: query), take(callback, running, live, respond: respond) { return }
        respond(.failed(message: "This answer is not from the login host that was asked. Nothing has changed."))
        // What was forged does not use the state up: the login goes on.
        guard live.login === running, let pending = running.pending else { return }
        pages.ready(login: page, state: pending.state, authorizationUri: pending.authorizationUri)
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
        running.respond?(end.outcome)
        running.respond = nil
        pages.close(login: running.page)
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
    var outcome: LoginOutcome {
        switch self {
        case .signedIn(let name): .signedIn(name: name)
        case .cancelled, .abandoned: .cancelled
        case .timedOut: .failed(message: "It took too long. Sign in again in the app.")
        case .failed(let failure): .failed(message: failure.words)
        }
    }
}

extension Failure {
    /// For the user on the outcome page.
    var words: String {
        switch self {
        case .loginFailed("access_denied", _):
            "Access was denied at the login host. Sign in again in the app if you want to."
        case .loginFailed(_, let description?): "The login host said: \(description). Sign in again in the app."
        case .loginFailed(let code, nil): "The login host said: \(code). Sign in again in the app."
        case .loginHostUnavailable: "The login host cannot be reached. Sign in again in the app later."
        case .storageUnavailable: "The sign-in could not be stored. Free some space and sign in again in the app."
        default: "Sign in again in the app."
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
