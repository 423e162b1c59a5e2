import SceneModel

@testable import SessionCore

/// One session to which anything happens, in any order: calls, answers of the login host, faults, and the daemon's death.
final class RandomHistory {
    let stage: Stage
    var generator: SeededGenerator
    var host = LoginHostModel()
    /// Accounts whose sign-out is stored.
    private(set) var signedOut: Set<String> = []
    private(set) var faults: [String] = []
    /// When each user was signed out last, and when the user of the login under way came back to it.
    private var signOuts: [String: Int] = [:]
    private var returnTime = 0
    private var time = 0
    private var steps = 0
    private(set) var counts: [String: Int] = [:]
    /// What happened last, for who has to find a fault.
    private(set) var trail: [String] = []
    /// Exchanges of logins that ended before their tokens came.
    private var lateLogins: [Int] = []
    private var returned: Int?
    private var cursors: [String: Cursor] = [:]

    private static let users = ["ann", "bob", "cyd", "dan"]
    private static let sceneNames = ["s1", "s2", "s3", "s4", "s5"]

    init(seed: UInt64, uid: UInt32, app: String) {
        generator = SeededGenerator(seed: seed)
        var policy = AppPolicy.test()
        policy.app = app
        stage = Stage(
            StoredSession(key: SessionKey(uid: uid, app: app), record: SessionRecord(epoch: "epoch-\(uid)-\(app)")),
            policy: policy)
        stage.onStored = { [unowned self] change in
            time += 1
            for event in change.events { heed(event) }
        }
    }

    private func heed(_ event: Event) {
        guard let account = event.account else { return }
        switch event.kind {
        case .loggedOut:
            signedOut.insert(account.id)
            signOuts[account.subject] = time
        case .loggedIn:
            if let out = signOuts[account.subject], out > returnTime {
                faults.append("\(account.subject) was signed out while their login was completing, and is back")
            }
        default: break
        }
    }

    private lazy var actions: [(weight: Int, name: String, run: (RandomHistory) -> Void)] = {
        let table: [(weight: Int, name: String, run: (RandomHistory) -> () -> Void)] = [
            (40, "disk", RandomHistory.disk), (10, "connect", RandomHistory.connect),
            (6, "hang up", RandomHistory.hangUp), (4, "update", RandomHistory.updateScene),
            (14, "loginIfRequired", RandomHistory.loginIfRequired), (6, "login", RandomHistory.requestLogin),
            (3, "handleLogout", RandomHistory.handleLogout),
            (3, "cancel", RandomHistory.cancel), (24, "login host and user", RandomHistory.goOnWithLogin),
            (4, "late login", RandomHistory.lateLogin),
            (5, "switch", RandomHistory.switchAccount), (6, "logout", RandomHistory.logout),
            (1, "logoutAll", RandomHistory.logoutAll),
            (22, "token", RandomHistory.token), (16, "refresh", RandomHistory.finishRefresh),
            (12, "revocation", RandomHistory.finishRevocation),
            (4, "host", RandomHistory.hosts), (2, "lock", RandomHistory.lock), (14, "wait", RandomHistory.wait),
            (2, "clock", RandomHistory.stepClock), (1, "policy", RandomHistory.policy),
            (1, "crash", RandomHistory.crash),
        ]
        return table.map { entry in (entry.weight, entry.name, { entry.run($0)() }) }
    }()

    private var pollTimes: [Int: Int] = [:]
    private lazy var totalWeight = actions.reduce(0) { $0 + $1.weight }

    func step() {
        var choice = Int.random(in: 0..<totalWeight, using: &generator)
        for action in actions {
            choice -= action.weight
            guard choice < 0 else { continue }
            note(action.name)
            stage.random = Double.random(in: 0..<1, using: &generator)
            action.run(self)
            break
        }
        pollTimes = pollTimes.filter { id, _ in stage.polls.contains { $0.login == id } }
        for poll in stage.polls where pollTimes[poll.login] == nil {
            time += 1
            pollTimes[poll.login] = time
        }
        steps += 1
        if steps.isMultiple(of: 100) { host.forgetDead() }
    }

    private func note(_ name: String) {
        counts[name, default: 0] += 1
        if trail.count >= 40 { trail.removeFirst() }
        trail.append(name)
    }

    private func pick<Element>(_ elements: some Collection<Element>) -> Element? {
        elements.randomElement(using: &generator)
    }

    // MARK: The disk, the clock, and the end

    private func disk() {
        // Mostly held, so that things happen meanwhile; sometimes broken for a while.
        if generator.once(in: 20) {
            stage.disk = pick([.held, .works, .full]) ?? .held
            while stage.disk != .held, stage.change != nil { stage.disk(works: stage.disk == .works) }
        } else if stage.change != nil {
            stage.disk(works: !generator.once(in: 12))
        }
    }

    private func wait() {
        let seconds = pick([0.1, 1, 3, 10, 60, 700, 4000] as [Double]) ?? 1
        stage.wait(seconds: seconds + Double(Int.random(in: 0..<1000, using: &generator)) / 1000)
    }

    private func stepClock() {
        stage.stepClock(bySeconds: pick([-100_000, -30, 30, 5000]) ?? 0)
    }

    private func policy() {
        var policy = stage.session.policy
        policy.afterLogout = pick(AppPolicy.AfterLogout.allCases) ?? .follow
        stage.mayBecome(policy)
    }

    private func crash() {
        guard generator.once(in: 3) else {
            if generator.once(in: 4) { stage.happens { $0.appVanished(world: $1) } }
            return
        }
        note("the daemon dies")
        lateLogins = []
        returned = nil
        stage.crash(changeIsStored: generator.once(in: 2), reboots: generator.once(in: 3))
        host.lose(host.atStake.subtracting(keptTokens()))
    }

    // MARK: Scenes

    private func connect() {
        guard let name = pick(Self.sceneNames) else { return }
        let remembered = stage.streams.values.contains { $0.scene == name && $0.at == cursors[name] }
        let after = generator.once(in: 3) || !remembered ? nil : cursors[name]
        if generator.once(in: 5) {
            stage.connect()
        } else {
            stage.connect(name, after: after, pid: generator.once(in: 4) ? 8 : 7)
        }
        if generator.once(in: 6) { stage.running.remove(ProcessIdentity(pid: 7, startTime: 1)) }
    }

    private func hangUp() {
        guard let call = pick(stage.open.sorted { $0.number < $1.number }) else { return }
        if let replay = stage.streams[call], let scene = replay.scene { cursors[scene] = replay.at }
        stage.hangUp(call)
        if generator.once(in: 4) { stage.forgetClosedStreams() }
    }

    private func updateScene() {
        guard let name = pick(Self.sceneNames) else { return }
        let activation = pick(Activation.allCases)
        stage.call { session, caller, _ in
            session.sceneUpdated(caller, scene: name, activation: activation, title: nil)
        }
    }

    private var someScene: String? {
        generator.once(in: 3) ? nil : pick(stage.session.scenes.keys.sorted())
    }

    // MARK: Logins

    private var options: LoginOptions {
        var options = LoginOptions()
        if generator.once(in: 8) { options.force = true }
        if generator.once(in: 8) { options.loginHost = pick([AppPolicy.production, AppPolicy.sandbox]) }
        if generator.once(in: 3) { options.presentation = .device }
        if generator.once(in: 10) { options.presentation = LoginOptions.Presentation.none }
        options.timeoutSeconds = generator.once(in: 4) ? nil : pick([2, 20, 5000])
        return options
    }

    private func loginIfRequired() {
        stage.loginIfRequired(someScene, streams: !generator.once(in: 4), options)
    }

    private func requestLogin() {
        stage.requestLogin(someScene, streams: !generator.once(in: 4), options)
    }

    private func handleLogout() {
        let options = options
        stage.call(scene: someScene) { $0.logoutHandled($1, options: options, world: $2) }
    }

    private func cancel() {
        stage.call(scene: someScene) { $0.loginCancelled($1, world: $2) }
    }

    private func goOnWithLogin() {
        guard let login = stage.login else { return }
        switch stage.session.login?.state {
        case .preparing where generator.once(in: 10):
            stage.happens { $0.loginFailed(login.login, .loginHostUnavailable(retryAfterSeconds: nil), world: $1) }
        case .preparing where login.presentation == .device: stage.showCode { $0.interval = 1 }
        case .preparing: stage.present()
        case .polling:
            guard !stage.polls.isEmpty else { return stage.wait(seconds: 5) }
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                stage.polls = []
                stage.happens {
                    $0.loginFailed(login.login, .loginFailed(code: "access_denied", description: nil), world: $1)
                }
            case 1: stage.answer(.slowDown, to: login.login)
            case 2: stage.answer(.unavailable(retryAfterSeconds: nil), to: login.login)
            case 3: stage.answer(.pending, to: login.login)
            default:
                stage.polls = []
                returnTime = pollTimes[login.login] ?? 0
                receiveTokens(login.login)
            }
        case .presenting:
            returned = login.login
            time += 1
            returnTime = time
            stage.comeBack()
        case .redeeming where generator.once(in: 8):
            returned = nil
            let failure = Failure.loginFailed(code: "access_denied", description: nil)
            stage.happens { $0.loginFailed(login.login, failure, world: $1) }
        case .redeeming:
            returned = nil
            receiveTokens(login.login)
        default: break
        }
    }

    /// The exchange of a login goes on when the login has ended.
    private func lateLogin() {
        if let id = returned, stage.login?.login != id {
            returned = nil
            lateLogins.append(id)
        }
        if let poll = stage.polls.first(where: { $0.login != stage.login?.login }) {
            stage.polls.removeAll { $0.login == poll.login }
            receiveTokens(poll.login)
        }
        if let late = lateLogins.popLast() { receiveTokens(late) }
    }

    private func receiveTokens(_ login: Int) {
        let user = pick(Self.users) ?? "ann"
        let token = host.issue()
        host.handOut(token)
        var signIn = SignIn.test(user)
        signIn.grant = .test(token, refreshToken: token, lives: nil)
        signIn.grant.lifetime = .test(pick([30, 3600]) ?? 30, at: stage.now, bootID: stage.bootID)
        stage.happens { $0.tokensReceived(login, signIn, world: $1) }
    }

    // MARK: Accounts

    private var someAccount: String {
        if generator.once(in: 8) { return pick(signedOut.sorted()) ?? "nobody" }
        return pick(stage.session.accounts.map(\.account.id)) ?? "nobody"
    }

    private func switchAccount() {
        let id = someAccount
        stage.call(scene: someScene) { $0.switchRequested($1, account: id, world: $2) }
    }

    private func logout() {
        stage.logout(generator.once(in: 3) ? nil : someAccount)
    }

    private func logoutAll() {
        let byUser = generator.once(in: 2)
        stage.call { $0.logoutAllRequested($1, reason: nil, byUser: byUser, world: $2) }
    }

    private func lock() {
        let locks = generator.once(in: 4)
        stage.call { $0.lockRequested($1, locks, world: $2) }
    }

    private func hosts() {
        let url = pick([AppPolicy.production, AppPolicy.sandbox, "own.example", "no host"]) ?? ""
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: stage.call { $0.loginHostAdded($1, url: url, label: nil, world: $2) }
        case 1: stage.call { $0.loginHostRemoved($1, url: url, world: $2) }
        default: stage.call { $0.loginHostSelected($1, url: url, world: $2) }
        }
    }

    // MARK: Tokens

    private func token() {
        let id = generator.once(in: 2) ? nil : someAccount
        let held = id.flatMap { stage.session.account($0)?.grant.accessToken.text }
        let validity = generator.once(in: 4) ? nil : pick([0, 20, 5000])
        stage.token(id, validity: validity, rejected: generator.once(in: 5) ? held : nil)
    }

    private func finishRefresh() {
        guard let index = pick(stage.refreshes.indices) else { return }
        let order = stage.finishRefresh(index)
        let name = order.refreshToken.text
        // The login host may rotate, and its answer may yet be lost.
        if generator.once(in: 4) {
            if generator.once(in: 3) { host.kill(name) }
            stage.happens {
                $0.refreshUnavailable(order.account, generation: order.generation, retryAfterSeconds: nil, world: $1)
            }
        } else if host.isLive(name) {
            let rotated = generator.once(in: 4) ? nil : host.issue()
            if let rotated {
                host.kill(name)
                host.handOut(rotated)
            }
            let lives = Lifetime.test(pick([30, 3600]) ?? 30, at: stage.now, bootID: stage.bootID)
            let refreshed = Refreshed.test("\(name)-\(stage.nextNumber())", refreshToken: rotated, lives: lives)
            stage.happens {
                $0.tokensRefreshed(order.account, generation: order.generation, refreshed, world: $1)
            }
        } else {
            stage.happens {
                $0.refreshRefused(order.account, generation: order.generation, code: "invalid_grant", world: $1)
            }
        }
    }

    private func finishRevocation() {
        guard let index = pick(stage.revocations.indices) else { return }
        let record = stage.finishRevocation(index)
        let outcome = pick([RevocationOutcome.revoked, .revoked, .unsupported, .unavailable(retryAfterSeconds: nil)])
        // What is not stored is told once, and that is the end of it.
        let isStored = stage.session.revocations.contains { $0.id == record.id }
        if let token = record.refreshToken?.text {
            if case .unavailable = outcome, isStored {} else { host.kill(token) }
        }
        if let outcome { stage.happens { $0.revocationEnded(record.id, outcome, world: $1) } }
    }
}
