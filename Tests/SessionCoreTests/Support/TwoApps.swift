import SceneModel
import Testing

@testable import SessionCore

/// The sessions of an app, "mail", and of its identity provider, "notes", with what they say to each other.
final class TwoApps {
    let asker: Stage
    let provider: Stage
    private var letters: [() -> Void] = []
    /// What is said stays on its way until `deliver`.
    var isHeld = false

    /// The provider has accounts "a1", "a2", … and one scene, "p1".
    init(accounts: Int = 2, scene: String? = "p1", allows: Set<String> = ["mail"], canBeStarted: Bool = false) {
        var asking = AppPolicy.test()
        asking.app = "mail"
        asking.identityProvider = "notes"
        asker = Stage(key: SessionKey(uid: 1000, app: "mail"), policy: asking, numberedFrom: 1000)
        var asked = AppPolicy.test()
        asked.identityProviderFor = allows
        asked.canBeStarted = canBeStarted
        provider = Stage(accounts: accounts, policy: asked)
        asker.onAction = { [unowned self] in heard($0, from: asker) }
        provider.onAction = { [unowned self] in heard($0, from: provider) }
        if let scene { provider.connect(scene) }
    }

    private func heard(_ action: Action, from stage: Stage) {
        switch action {
        case .tellProvider("notes", let message):
            letters.append { [unowned self] in provider.happens { $0.askerSaid(message, world: $1) } }
        case .tellAsker("mail", let request, let answer):
            letters.append { [unowned self] in asker.happens { $0.providerAnswered(request, answer, world: $1) } }
        case .offerLogin("mail", let request, let choice):
            letters.append { [unowned self] in
                asker.happens { $0.loginOffered(request, by: "notes", choice, world: $1) }
            }
        default: break
        }
    }

    func deliver() {
        while !letters.isEmpty { letters.removeFirst()() }
    }

    private func afterwards<Value>(_ value: Value) -> Value {
        if !isHeld { deliver() }
        return value
    }

    // MARK: What happens

    func logIn(_ scene: String? = nil, _ options: LoginOptions = LoginOptions()) -> CallID {
        afterwards(asker.loginIfRequired(scene, options))
    }

    @discardableResult
    func approve(_ account: String = "a1", scene: String? = "p1", request: String? = nil) -> CallID {
        let id = request ?? self.request ?? ""
        return afterwards(
            provider.call(scene: scene) {
                $0.authorizationApproved($1, request: id, account: account, world: $2)
            })
    }

    @discardableResult
    func deny(scene: String? = "p1", request: String? = nil, code: String? = nil, description: String? = nil) -> CallID
    {
        let id = request ?? self.request ?? ""
        return afterwards(
            provider.call(scene: scene) {
                $0.authorizationDenied($1, request: id, code: code, description: description, world: $2)
            })
    }

    func begin(_ account: String = "a1", app: String = "mail") -> CallID {
        afterwards(
            provider.call(scene: "p1") {
                $0.authorizationBegun($1, requestingApp: app, account: account, world: $2)
            })
    }

    func then(_ body: () -> Void) {
        body()
        if !isHeld { deliver() }
    }

    func wait(seconds: Double) {
        then {
            asker.wait(seconds: seconds)
            provider.wait(seconds: seconds)
        }
    }

    /// The request that the provider's scenes were told of last.
    var request: String? {
        provider.session.history.newest(.authorizationRequested)?.request
    }

    func page(of call: CallID) -> LoginPage? {
        if case .reply(.authorized(.screen(let page))) = provider.outcomes[call] { page } else { nil }
    }

    func expectNoFaults() {
        asker.expectNoFaults()
        provider.expectNoFaults()
    }
}

extension History {
    func newest(_ kind: Event.Kind) -> Event? { last { $0.kind == kind } }
}
