import SceneModel

@testable import SessionCore

// Calls that want a user, and what the login host and the user make of it.
extension RandomHistory {
    private var options: LoginOptions {
        var options = LoginOptions()
        if generator.once(in: 8) { options.force = true }
        if generator.once(in: 8) {
            options.loginHost = pick([AppPolicy.production, AppPolicy.sandbox, "unknown.example"])
        }
        if generator.once(in: 10) { options.loginHint = pick(["user-ann", "user-bob", ""]) }
        if generator.once(in: 4) { options.presentation = pick([LoginOptions.Presentation.none, .browser, .device]) }
        if generator.once(in: 10) { options.local = true }
        options.timeoutSeconds = generator.once(in: 4) ? nil : pick([2, 20, 700, 5000])
        if generator.once(in: 50) { options.timeoutSeconds = pick([0, .max]) }
        return options
    }

    private func want(
        _ method: Asked.Method, _ call: (inout Session, Caller, LoginOptions, World) -> [Action]
    ) {
        let options = options
        let scene = someScene
        detail("\(scene ?? "no scene"), \(options.timeoutSeconds ?? 600) s\(options.force == true ? ", force" : "")")
        // The answer that costs the daemon nothing is the one that the session would give.
        let isQuick = stage.session.isAlreadySignedIn(scene: scene, options: options)
        let number = ask(method, scene: scene, streams: !generator.once(in: 4), options: options) {
            call(&$0, $1, options, $2)
        }
        let state = stage.progress(of: number)?.state
        if method == .loginIfRequired, !stage.isDead, isQuick != (state == .alreadySignedIn) {
            witness.faults.append("already signed in: \(isQuick) before the call, \(!isQuick) in its answer")
        }
    }

    func loginIfRequired() {
        want(.loginIfRequired) { $0.loginIfRequired($1, options: $2, world: $3) }
    }

    func requestLogin() {
        want(.login) { $0.loginRequested($1, options: $2, world: $3) }
    }

    func handleLogout() {
        want(.handleLogout) { $0.logoutHandled($1, options: $2, world: $3) }
    }

    func cancel() {
        ask(.cancelLogin, scene: someScene) { $0.loginCancelled($1, world: $2) }
    }

    /// On the login screen.
    func goBack() {
        guard stage.session.canReturnToProvider, stage.session.login != nil else { return }
        ask(.returnToProvider, scene: nil) { $0.returnedToProvider($1, world: $2) }
    }

    func goOnWithLogin() {
        guard let login = stage.login else { return }
        switch stage.session.login?.state {
        case .preparing where generator.once(in: 10):
            fail(login.login, .loginHostUnavailable(retryAfterSeconds: nil))
        case .preparing where login.presentation == .device:
            detail("a code is shown")
            let (lives, interval) = (pick([1, 30, 900]) ?? 900, pick([0, 5, 100]) ?? 5)
            stage.showCode {
                $0.expires = stage.now.boot.advanced(bySeconds: lives)
                $0.interval = interval
            }
        case .polling: answerPoll(of: login.login)
        case .preparing:
            detail("the screen is up")
            let number = stage.nextNumber()
            var page = LoginPage(loginScreen: "http://127.0.0.1/\(number)", authorizationUri: "\(login.host)/\(number)")
            if login.sent != nil, !generator.once(in: 8) { page.identityProviderUri = "com.example.idp:/idp/\(number)" }
            stage.happens { $0.loginReady(login.login, page: page, world: $1) }
            if stage.login?.login == login.login, !stage.isDead { stage.keptPage = page }
        case .presenting:
            stage.keptPage = nil
            detail("the user is back")
            returned = login.login
            witness.returnTime = witness.tick()
            stage.comeBack()
        case .redeeming where generator.once(in: 8):
            returned = nil
            if generator.once(in: 2) { receiveUnusableTokens() }
            fail(login.login, .loginFailed(code: "access_denied", description: nil))
        case .redeeming:
            returned = nil
            receiveTokens(login.login)
        default: break
        }
    }

    /// What the login host says when it was asked whether the code has been used.
    private func answerPoll(of login: Int) {
        guard stage.polls.contains(where: { $0.login == login }) else { return }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: stage.answer(.pending, to: login)
        case 2: stage.answer(.slowDown, to: login)
        case 3: stage.answer(.unavailable(retryAfterSeconds: pick([nil, 100, .max] as [Int?]) ?? nil), to: login)
        case 4:
            stage.polls.removeAll { $0.login == login }
            fail(login, .loginFailed(code: "access_denied", description: nil))
        default:
            stage.polls.removeAll { $0.login == login }
            witness.returnTime = witness.pollTimes[login] ?? 0
            receiveTokens(login)
        }
    }

    private func fail(_ login: Int, _ failure: Failure) {
        detail("it fails")
        stage.happens { $0.loginFailed(login, failure, world: $1) }
    }

    /// The exchange of a login goes on when the login has ended; other news of it come late as well.
    func lateLogin() {
        if let id = returned, stage.login?.login != id {
            returned = nil
            lateLogins.append(id)
        }
        if let poll = stage.polls.first(where: { $0.login != stage.login?.login }) {
            if generator.once(in: 2) { return stage.answer(.pending, to: poll.login) }
            stage.polls.removeAll { $0.login == poll.login }
            return receiveTokens(poll.login)
        }
        guard let late = lateLogins.popLast() else { return }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: stage.happens { $0.loginReady(late, page: Stage.page, world: $1) }
        case 1: stage.happens { $0.userReturned(late, world: $1) }
        case 2: fail(late, .loginFailed(code: "late", description: nil))
        default: receiveTokens(late)
        }
    }

    /// They are somebody's, and it cannot be told whose.
    private func receiveUnusableTokens() {
        let token = host.issue()
        host.handOut(token)
        detail("\(token) for nobody")
        let tokens = RevocableTokens(clientID: "scene", accessToken: nil, refreshToken: Secret(token))
        let account = Account(loginHost: AppPolicy.production)
        stage.happens { $0.unusableTokensReceived(account, tokens, world: $1) }
    }

    private func receiveTokens(_ login: Int) {
        let chosen = stage.session.login.flatMap { $0.id == login ? $0.chosen?.subject : nil }
        let asked = chosen.flatMap { subject in Self.users.first { "sub-\($0)" == subject } }
        let user = (generator.once(in: 3) ? nil : asked) ?? pick(Self.users) ?? "ann"
        let token = generator.once(in: 10) ? nil : host.issue()
        if let token { host.handOut(token) }
        detail("\(user) gets \(token ?? "no refresh token")")
        var signIn = SignIn.test(user)
        let scope = generator.once(in: 3) ? nil : pick(["openid", "openid profile"])
        signIn.grant = .test("\(user)-\(stage.nextNumber())", refreshToken: token, lives: nil, scope: scope)
        signIn.grant.lifetime = give(signIn.grant.accessToken, scope: scope)
        stage.happens { $0.tokensReceived(login, signIn, world: $1) }
        if let chosen, chosen != signIn.account.subject, case .completing = stage.session.login?.state {
            witness.faults.append("\(signIn.account.subject) is signed in, and \(chosen) was picked")
        }
    }

    /// The login host gives an access token for a time.
    func give(_ accessToken: Secret, scope: String?) -> Lifetime? {
        let seconds = pick([30, 90, 3600, nil] as [Int?]) ?? nil
        host.gave(
            accessToken, LoginHostModel.Issue(at: stage.now, bootID: stage.bootID, seconds: seconds, scope: scope))
        return seconds.map { .test($0, at: stage.now, bootID: stage.bootID) }
    }
}
