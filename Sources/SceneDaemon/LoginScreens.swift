import SceneLogin
import SceneModel
import SceneOAuth
import SessionCore

// The login screen: what it shows, and what a user does on it.

extension Daemon {
    func serveLoginScreens() {
        pages.onCallback = { page, query, respond in self.callbackArrived(page, query: query, respond: respond) }
        pages.content = { self.screenContent($0) }
        pages.onAction = { page, action, respond in self.acted(on: page, action, respond: respond) }
    }

    private func screenContent(_ page: Int) -> LoginScreenContent? {
        guard let live = loginPages[page], let running = live.login, running.page == page,
            let app = configuration.apps[live.key.app], let attempt = live.session.login
        else { return nil }
        return LoginScreenContent(
            screen: screen(app, live), appearance: app.appearance, appName: app.displayName,
            host: attempt.host, accountName: running.accountName ?? attempt.loginHint ?? "")
    }

    /// As it is to be shown now.
    func screen(_ app: AppConfiguration, _ live: LiveSession) -> LoginScreen {
        app.screen(
            of: live.session,
            canAskProvider: live.session.canReturnToProvider
                && app.identityProvider.map { canBeAsked($0, live.key.uid) } == true)
    }

    /// A scene of the app is there, or can be brought there.
    private func canBeAsked(_ provider: String, _ uid: UInt32) -> Bool {
        if sessions[SessionKey(uid: uid, app: provider)]?.session.scenes.isEmpty == false { return true }
        return !options.isSystem && configuration.apps[provider]?.policy.canBeStarted == true
    }

    private func acted(
        on page: Int, _ action: ScreenAction, respond: @escaping (ScreenActionResult) -> Void
    ) {
        guard let live = loginPages[page], let running = live.login, running.page == page else {
            return respond(.ended(.cancelled))
        }
        switch action {
        case .signIn(let accountName): goOn(as: accountName, running, live, respond)
        case .selectHost(let url):
            call(running, live, { $0.loginHostSelected($1, url: url, world: $2) }) { failure in
                respond(failure.map { .refused(HostProblem($0.problem)) } ?? .screen)
            }
        case .removeHost(let url):
            call(running, live, { $0.loginHostRemoved($1, url: url, world: $2) }) { failure in
                respond(failure.map { .refused(HostProblem($0.problem)) } ?? .hosts)
            }
        case .addHost(let url, let label):
            let name = trimmed(label)
            call(
                running, live, { $0.loginHostAdded($1, url: url, label: name.isEmpty ? nil : name, world: $2) }
            ) { failure in
                respond(failure.map { .refused(HostProblem($0.problem, address: url, label: label)) } ?? .hosts)
            }
        case .goBack:
            switch screenContent(page)?.screen.backButtonAction {
            case nil: respond(.screen)
            case "identityProvider"?:
                respond(.ended(.handedBack(app: providerName(live))))
                happened(live) { $0.returnedToProvider(self.screenCaller(running), world: $1) }
            case let action?:
                respond(.ended(action == "cancel" ? .cancelled : .wentBack(address: action)))
                happened(live) { $0.loginCancelled(self.screenCaller(running), world: $1) }
            }
        }
    }

    private func goOn(
        as accountName: String, _ running: RunningLogin, _ live: LiveSession,
        _ respond: (ScreenActionResult) -> Void
    ) {
        let isName = accountName.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isName, accountName.utf8.count <= 320 else { return respond(.invalidAccountName) }
        running.accountName = accountName
        if running.pending != nil, live.session.login?.awaitsUser == true {
            showWay(running)
        } else if running.hasFailed, let attempt = live.session.login {
            moveLogin(attempt.order, live)
        }
        respond(.goOn)
    }

    private func providerName(_ live: LiveSession) -> String {
        let provider = configuration.apps[live.key.app]?.identityProvider ?? ""
        return configuration.apps[provider]?.displayName ?? provider
    }

    private func screenCaller(_ running: RunningLogin) -> Caller {
        Caller(call: connections.nextCall(of: nil), login: running.id)
    }

    /// Does on the screen what a call does; `respond` is given the failure that the call would end with.
    private func call(
        _ running: RunningLogin, _ live: LiveSession, _ event: (inout Session, Caller, World) -> [Action],
        _ respond: @escaping (Failure?) -> Void
    ) {
        let caller = screenCaller(running)
        screenCalls[caller.call] = respond
        happened(live) { event(&$0, caller, $1) }
    }

    /// True where it was no peer's call, but something done on a login screen.
    func endedOnScreen(_ call: CallID, _ failure: Failure?) -> Bool {
        guard !screenCalls.isEmpty, let respond = screenCalls.removeValue(forKey: call) else { return false }
        respond(failure)
        return true
    }
}

extension RunningLogin {
    /// The account name that the user typed and the login host did not sign in.
    func otherAccountName(than account: Account?) -> String? {
        guard let accountName, !accountName.isEmpty, let account else { return nil }
        let names = [account.username, account.email, account.displayName, account.subject].compactMap { $0 }
        return names.contains { $0.lowercased() == accountName.lowercased() } ? nil : accountName
    }
}

extension Failure {
    /// Of a change to the login hosts, for the user.
    fileprivate var problem: HostProblem.Kind {
        switch self {
        case .invalidLoginHost: .invalid
        case .quotaExceeded: .quota
        case .loginHostNotRemovable: .notRemovable
        case .unknownLoginHost: .unknown
        case .accessDenied: .hidden
        case .storageUnavailable: .storage
        default: .other
        }
    }
}
