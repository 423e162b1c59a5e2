import SceneModel

@testable import SessionCore

/// One session to which anything happens, in any order: calls, answers of the login host, faults, and the daemon's death.
final class RandomHistory {
    let stage: Stage
    let mailbox: Mailbox
    var generator: SeededGenerator
    var host = LoginHostModel()
    var witness = Witness()
    var compared = Compared()
    /// The user's exchanges with the login host that were begun, and those of logins that ended before the tokens came.
    var returned: Int?
    var lateLogins: [Int] = []
    /// What scenes that are gone knew when they went.
    var memories: [String: [Replay]] = [:]
    /// Time has passed without a timer: the machine slept.
    var hasSlept = false
    var someoneDied = false

    private var steps = 0
    private(set) var counts: [String: Int] = [:]
    /// What happened last, for who has to find a fault.
    private(set) var trail: [String] = []
    private static let trailLength = 30

    static let users = ["ann", "bob", "cyd", "dan"]
    static let sceneNames = ["s1", "s2", "s3", "s4", "s5"]

    init(seed: UInt64, uid: UInt32, app: String, numberedFrom first: Int, mailbox: Mailbox) {
        self.mailbox = mailbox
        generator = SeededGenerator(seed: seed)
        var policy = AppPolicy.test(AppPolicy.AfterLogout.allCases.randomElement(using: &generator) ?? .follow)
        policy.app = app
        policy.lock = generator.once(in: 3) ? .session : .call
        // One of one user's apps signs in through the other.
        if app == "mail" { policy.identityProvider = "notes" }
        if app == "notes", uid == 1000 {
            policy.identityProviderFor = ["mail", Self.elsewhere]
            policy.canBeStarted = true
        }
        // The other user's through one that is reached by URLs.
        if uid == 1001 { policy.identityProvider = "com.example.idp:" }
        stage = Stage(key: SessionKey(uid: uid, app: app), policy: policy, numberedFrom: first)
        stage.disk = .held
        stage.onCall = { [unowned self] in witness.called($0) }
        stage.onAction = { [unowned self] in watch($0) }
        stage.onStored = { [unowned self] in witness.stored($0) }
    }

    private struct Happening: Sendable {
        var weight: Int
        var name: String
        var run: @Sendable (RandomHistory) -> () -> Void
    }

    private static let happenings = [
        Happening(weight: 60, name: "the disk answers", run: RandomHistory.disk),
        Happening(weight: 8, name: "a scene connects", run: RandomHistory.connect),
        Happening(weight: 4, name: "a call hangs up", run: RandomHistory.hangUp),
        Happening(weight: 4, name: "a scene is updated", run: RandomHistory.updateScene),
        Happening(weight: 3, name: "a scene stops reading, or reads on", run: RandomHistory.read),
        Happening(weight: 14, name: "LoginIfRequired", run: RandomHistory.loginIfRequired),
        Happening(weight: 14, name: "Login", run: RandomHistory.requestLogin),
        Happening(weight: 3, name: "HandleLogout", run: RandomHistory.handleLogout),
        Happening(weight: 1, name: "CancelLogin", run: RandomHistory.cancel),
        Happening(weight: 6, name: "the user goes back", run: RandomHistory.goBack),
        Happening(weight: 60, name: "the login goes on", run: RandomHistory.goOnWithLogin),
        Happening(weight: 4, name: "a late login goes on", run: RandomHistory.lateLogin),
        Happening(weight: 10, name: "AuthorizeApp", run: RandomHistory.answerRequest),
        Happening(weight: 4, name: "a message comes as a URL", run: RandomHistory.takeMessage),
        Happening(weight: 4, name: "SwitchAccount", run: RandomHistory.switchAccount),
        Happening(weight: 3, name: "Logout", run: RandomHistory.logout),
        Happening(weight: 1, name: "LogoutAll or LogoutUser", run: RandomHistory.logoutAll),
        Happening(weight: 16, name: "GetAccessToken", run: RandomHistory.token),
        Happening(weight: 12, name: "a refresh is answered", run: RandomHistory.finishRefresh),
        Happening(weight: 14, name: "a revocation is answered", run: RandomHistory.finishRevocation),
        Happening(weight: 4, name: "a login host is added, removed or selected", run: RandomHistory.hosts),
        Happening(weight: 2, name: "the session is locked or unlocked", run: RandomHistory.lock),
        Happening(weight: 2, name: "the screen is locked or unlocked", run: RandomHistory.screen),
        Happening(weight: 10, name: "time passes", run: RandomHistory.wait),
        Happening(weight: 2, name: "the clock is set, or the machine sleeps", run: RandomHistory.stepClock),
        Happening(weight: 1, name: "the configuration changes", run: RandomHistory.policy),
        Happening(weight: 1, name: "a storm of events", run: RandomHistory.storm),
        Happening(weight: 2, name: "death draws near", run: RandomHistory.draw),
    ]

    private static let totalWeight = happenings.reduce(0) { $0 + $1.weight }

    func step() {
        var choice = Int.random(in: 0..<Self.totalWeight, using: &generator)
        for happening in Self.happenings {
            choice -= happening.weight
            guard choice < 0 else { continue }
            note(happening.name)
            stage.random = Double.random(in: 0..<1, using: &generator)
            witness.diskHasFailed = false
            happening.run(self)()
            break
        }
        steps += 1
        if steps.isMultiple(of: 500) {
            host.forgetDead(accessTokens: Set(stage.session.accounts.map(\.grant.accessToken.text)))
            stage.forgetOutcomes()
        }
    }

    /// What another session has to say arrives.
    func take(_ letter: Mailbox.Letter) {
        note("word comes of \(letter.request)")
        witness.diskHasFailed = false
        letter.open(self)
    }

    func count(_ name: String) { counts[name, default: 0] += 1 }

    func note(_ name: String) {
        count(name)
        if trail.count >= Self.trailLength { trail.removeFirst() }
        trail.append(name)
    }

    /// More of what was noted last.
    func detail(_ text: @autoclosure () -> String) {
        guard !trail.isEmpty else { return }
        trail[trail.count - 1] += ": " + text()
    }

    func pick<Element>(_ elements: some Collection<Element>) -> Element? {
        elements.randomElement(using: &generator)
    }

    /// A peer calls, and its call is remembered until it ends.
    @discardableResult
    func ask(
        _ method: Asked.Method, scene: String? = nil, streams: Bool = true, options: LoginOptions? = nil,
        _ body: (inout Session, Caller, World) -> [Action]
    ) -> CallID {
        witness.next = Asked(method: method, scene: scene, streams: streams, options: options, at: stage.now.boot)
        return stage.call(scene: scene, streams: streams, body)
    }
}
