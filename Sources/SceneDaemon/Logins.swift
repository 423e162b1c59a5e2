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
        running.task = Task {
            do throws(OAuthFailure) {
                let pending = try await oauth.authorize(
                    host: order.host, client: client, redirectURI: opened.redirectURI, loginHint: order.loginHint,
                    idTokenHint: order.idTokenHint, force: order.force)
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
        if live.login === running { keep(running, live, token: opened.token, page: page) }
    }

    private func failed(_ running: RunningLogin, _ failure: OAuthFailure, _ live: LiveSession) {
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
    private func take(
        _ callback: CallbackParameters, _ running: RunningLogin, _ live: LiveSession,
        respond: @escaping (LoginOutcome) -> Void
    ) -> Bool {
        guard let pending = running.pending, live.session.login?.awaitsUser == true,
            let state = callback.state, Secret(state) == Secret(pending.state),
            callback.iss == nil || callback.iss == pending.issuer
        else { return false }
        running.respond = respond
        unkeep(running)
        happened(live) { session, _ in session.userReturned(running.id) }
        tokenRequests += 1
        running.task = Task {
            defer { tokenRequestEnded() }
            do throws(OAuthFailure) {
                let client = try client(
                    of: live.key.app, host: pending.host, clientID: pending.clientID)
                let (tokens, identity) = try await oauth.redeem(callback, of: pending, client: client)
                let signIn = SignIn(tokens, identity, pending, client, bootID: bootID)
                // Not only while the login goes on: what comes too late is revoked.
                happened(live) { $0.tokensReceived(running.id, signIn, world: $1) }
            } catch {
                failed(running, error, live)
            }
        }
        return true
    }

    /// A URL that the desktop opened, or that a person pasted.
    func responseHandled(_ url: String, uid: UInt32) -> Bool {
        guard let mark = url.firstIndex(of: "?") else { return false }
        let address = url[..<mark]
        let query = url[url.index(after: mark)...].prefix { $0 != "#" }
        guard let callback = CallbackParameters(query: String(query)) else { return false }
        for live in sessions.values where live.key.uid == uid {
            guard let running = live.login, let pending = running.pending, pending.redirectURI == address else {
                continue
            }
            if take(callback, running, live, respond: { _ in }) { return true }
        }
        return false
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
        if running.pending == nil { running.task?.cancel() }
    }
}

extension SignIn {
    init(_ tokens: Tokens, _ identity: Identity, _ pending: PendingAuthorization, _ client: Client, bootID: String) {
        let account = Account(
            issuer: identity.issuer, subject: identity.subject, loginHost: pending.host, username: identity.username,
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
            .loginFailed(code: "redirectPortTaken", description: "another program listens on port \(port)")
        case .unsupportedRedirectURI(let reason):
            .loginFailed(code: "unsupportedRedirectURI", description: reason)
        case .system(let reason):
            .loginFailed(code: "system", description: reason)
        }
    }
}
