import SceneModel
import Testing

@testable import SessionCore

extension SessionKey {
    static let test = SessionKey(uid: 1000, app: "notes")
}

extension AppPolicy {
    static let production = "https://login.example.com"
    static let sandbox = "https://test.example.com"

    static func test(
        _ afterLogout: AfterLogout = .follow, canChangeLoginHost: Bool = true, onlyManagedLoginHosts: Bool = false,
        lock: Lock = .call
    ) -> AppPolicy {
        AppPolicy(
            app: "notes", afterLogout: afterLogout,
            loginHosts: [
                LoginHost(url: production, label: "Production"), LoginHost(url: sandbox, label: "Sandbox"),
            ],
            canChangeLoginHost: canChangeLoginHost, onlyManagedLoginHosts: onlyManagedLoginHosts, lock: lock)
    }
}

extension Account {
    static func test(_ id: String, state: State = .active) -> Account {
        Account(
            id: id, issuer: AppPolicy.production, subject: "sub-\(id)", loginHost: AppPolicy.production,
            username: "user-\(id)", state: state)
    }
}

extension AccountRecord {
    /// A token that is good for an hour from when the stage's clocks begin.
    static func test(_ id: String, state: Account.State = .active, refreshToken: String? = "refresh") -> AccountRecord {
        AccountRecord(
            account: .test(id, state: state),
            grant: .test(id, refreshToken: refreshToken.map { "\($0)-\(id)" }), claims: "{}")
    }
}

extension Grant {
    static func test(
        _ name: String, generation: Int = 1, refreshToken: String?, lives seconds: Int? = 3600, scope: String? = nil
    ) -> Grant {
        Grant(
            generation: generation, clientID: "scene", accessToken: Secret("access-\(name)"), tokenType: "Bearer",
            refreshToken: refreshToken.map { Secret($0) }, idToken: Secret("id-\(name)"), scope: scope,
            lifetime: seconds.map { .test($0) })
    }
}

extension Lifetime {
    static func test(
        _ seconds: Int, at moment: Moment = Moment(boot: Instant(nanoseconds: 1_000_000_000_000), wall: 1_800_000_000),
        bootID: String = "boot-1"
    ) -> Lifetime {
        Lifetime(obtained: moment, seconds: seconds, bootID: bootID)
    }
}

extension SignIn {
    /// Of the user who has the account `user`, or would have it.
    static func test(_ user: String, refreshToken: String? = "new") -> SignIn {
        var account = Account.test(user)
        account.id = ""
        return SignIn(
            account: account, grant: .test("new-\(user)", refreshToken: refreshToken.map { "\($0)-\(user)" }),
            claims: "{}")
    }
}

extension Refreshed {
    static func test(_ name: String, refreshToken: String? = nil, lives: Lifetime? = nil) -> Refreshed {
        Refreshed(
            clientID: "scene", accessToken: Secret("access-\(name)"), tokenType: "Bearer",
            refreshToken: refreshToken.map { Secret($0) }, idToken: nil, scope: nil, lifetime: lives, instanceUrl: nil)
    }

    /// Of which only the refresh token can be used.
    static func faulty(refreshToken: String) -> Refreshed {
        Refreshed(
            clientID: "scene", accessToken: Secret("access-faulty"), refreshToken: Secret(refreshToken),
            fault: .loginFailed(code: "invalid_id_token", description: "its aud"))
    }
}

// What tests do and ask all the time.
extension Stage {
    @discardableResult
    func connect(
        _ scene: String? = nil, after: Cursor? = nil, pid: Int32 = 7, foreground: Bool = false
    ) -> CallID {
        let process = ProcessIdentity(pid: pid, startTime: 1)
        running.insert(process)
        let call = call(scene: scene) {
            $0.sceneConnected(
                $1, title: nil, after: after, process: process, isRunning: { self.running.contains($0) }, world: $2)
        }
        if foreground, let scene {
            self.call { session, caller, _ in
                session.sceneUpdated(caller, scene: scene, activation: .foreground, title: nil)
            }
        }
        return call
    }

    @discardableResult
    func loginIfRequired(_ scene: String? = nil, streams: Bool = true, _ options: LoginOptions = LoginOptions())
        -> CallID
    {
        call(scene: scene, streams: streams) { $0.loginIfRequired($1, options: options, world: $2) }
    }

    @discardableResult
    func requestLogin(_ scene: String? = nil, streams: Bool = true, _ options: LoginOptions = LoginOptions())
        -> CallID
    {
        call(scene: scene, streams: streams) { $0.loginRequested($1, options: options, world: $2) }
    }

    @discardableResult
    func logout(_ account: String? = nil, reason: String? = nil) -> CallID {
        call { $0.logoutRequested($1, account: account, reason: reason, world: $2) }
    }

    @discardableResult
    func token(_ account: String? = nil, validity: Int? = nil, rejected: String? = nil, scope: String? = nil)
        -> CallID
    {
        call {
            $0.tokenRequested(
                $1, account: account, minimumValidity: validity, rejected: rejected.map { Secret($0) }, scope: scope,
                world: $2)
        }
    }

    static let page = LoginPage(loginScreen: "http://127.0.0.1:1/x", authorizationUri: "https://login.example.com/a")

    /// The login screen is up.
    func present() {
        guard let id = login?.login else { return }
        happens { $0.loginReady(id, page: Self.page, world: $1) }
    }

    /// The user has signed in at the login host.
    func comeBack() {
        guard let id = login?.login else { return }
        happens { $0.userReturned(id, world: $1) }
    }

    /// The login under way succeeds, from wherever it stands.
    func signIn(_ user: String = "a1", refreshToken: String? = "new") {
        guard let id = login?.login else { return }
        present()
        comeBack()
        var signIn = SignIn.test(user, refreshToken: refreshToken)
        signIn.grant.lifetime = .test(3600, at: now, bootID: bootID)
        happens { $0.tokensReceived(id, signIn, world: $1) }
    }

    static let prompt = DevicePrompt(
        userCode: "WDJB-MJHT", verificationUri: "https://login.example.com/device",
        verificationUriComplete: "https://login.example.com/device?user_code=WDJB-MJHT",
        expires: Instant(nanoseconds: 1_900_000_000_000), interval: 5)

    /// The login host has given a code for another device.
    func showCode(_ change: (inout DevicePrompt) -> Void = { _ in }) {
        guard let id = login?.login else { return }
        var prompt = Self.prompt
        prompt.expires = now.boot.advanced(bySeconds: 900)
        change(&prompt)
        happens { $0.deviceCodeReceived(id, prompt, world: $1) }
    }

    /// The login host answers the question whether the code was used.
    func answer(_ answer: DeviceAnswer, to id: Int = 1) {
        polls.removeAll { $0.login == id }
        happens { $0.deviceAnswered(id, answer, world: $1) }
    }

    func failure(of call: CallID) -> Failure? {
        if case .failed(let failure) = outcomes[call] { failure } else { nil }
    }

    func progress(of call: CallID) -> LoginProgress? {
        if case .reply(.login(let progress)) = outcomes[call] { progress } else { nil }
    }

    func token(of call: CallID) -> AccessToken? {
        if case .reply(.token(let token)) = outcomes[call] { token } else { nil }
    }

    func isDone(_ call: CallID) -> Bool {
        if case .reply(.done) = outcomes[call] { true } else { false }
    }

    /// The kinds of events that a scene has got, its opening first.
    func kinds(_ stream: CallID) -> [Event.Kind] {
        streams[stream]?.events.map(\.kind) ?? []
    }

    /// What nobody should ever see.
    func expectNoFaults(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(faults == [], sourceLocation: sourceLocation)
        #expect(streams.values.flatMap(\.faults) == [], sourceLocation: sourceLocation)
        #expect(ledger.record == session.record, sourceLocation: sourceLocation)
        #expect(ledger.accounts == session.accounts, sourceLocation: sourceLocation)
        #expect(ledger.revocations == session.revocations, sourceLocation: sourceLocation)
        for replay in streams.values where replay.isOpen {
            #expect(replay.difference(from: session.snapshot) == nil, sourceLocation: sourceLocation)
        }
    }
}
