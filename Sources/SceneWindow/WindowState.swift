import SceneSession
import TerminalScreen

/// All that the window shows. It is changed by what happened, in the past tense.
struct WindowState: Equatable {
    enum Presence: Equatable {
        case connecting, connected
        /// scened does not answer.
        case away
    }

    struct Notice: Equatable {
        var text: String
        var isFailure = false
    }

    struct Entry: Equatable {
        /// Counts the entries of this window.
        var number: Int
        var sequence: Int
        /// When it came here, by the user's clock: "08:05:09".
        var time: String
        var text: String
    }

    /// Longer than any screen.
    static let historyLimit = 200

    var app: String
    var title: String
    var scene = ""
    var presence = Presence.connecting
    var snapshot = Snapshot()
    /// Whether a call of this window waits for a login.
    var isWaiting = false
    /// The login that this window presents.
    private(set) var login: LoginScreenState?
    /// The account that the list to choose from stands at; nil while there is no list.
    var chosen: String?
    var notice: Notice?
    private(set) var history: [Entry] = []

    init(app: String, title: String) {
        self.app = app
        self.title = title
    }

    /// Accounts but the current one.
    var others: [Account] { snapshot.accounts.filter { $0.id != snapshot.current?.id } }

    mutating func connected(scene: String) {
        self.scene = scene
        presence = .connected
    }

    mutating func happened(_ event: Event, time: String) {
        let wasPending = snapshot.pending
        snapshot.apply(event)
        history.append(
            Entry(
                number: (history.last?.number ?? 0) + 1, sequence: event.at.sequence, time: time,
                text: EventText(event: event, scene: scene).text))
        if history.count > Self.historyLimit { history.removeFirst() }
        if [.locked, .unlocked, .loginStarted].contains(event.kind) { notice = nil }
        if snapshot.pending == .selection, wasPending != .selection { openList() }
        if snapshot.pending != .selection, wasPending == .selection { chosen = nil }
        if let chosen, !snapshot.accounts.contains(where: { $0.id == chosen }) { openList() }
    }

    // MARK: Logins

    mutating func loginOpened(_ login: LoginScreenState) {
        self.login = login
        // An address to open is not to lie under a list.
        chosen = nil
    }

    mutating func loginChanged(_ change: (inout LoginScreenState) -> Void) {
        if var login {
            change(&login)
            self.login = login
        }
    }

    mutating func loginClosed() {
        login = nil
    }

    /// The call that waited for a login has ended.
    mutating func loginEnded(_ failure: SceneError?) {
        isWaiting = false
        if snapshot.pending == .selection { openList() }
        if let failure, failure != .cancelled { failed(failure) }
    }

    /// What the user sees and presses keys for.
    var showsLogin: Bool { login != nil && chosen == nil && presence == .connected }

    // MARK: What is told

    mutating func failed(_ error: SceneError) {
        tell(Notice(text: FailureText.text(error), isFailure: true))
    }

    mutating func told(_ text: String) {
        tell(Notice(text: text))
    }

    private mutating func tell(_ notice: Notice) {
        self.notice = notice
        loginChanged { if notice.isFailure { $0.failed(notice.text) } else { $0.told(notice.text) } }
    }

    // MARK: The list to choose from

    mutating func openList() {
        chosen = (others.first ?? snapshot.accounts.first)?.id
    }

    mutating func moved(by step: Int) {
        let accounts = snapshot.accounts
        guard let index = accounts.firstIndex(where: { $0.id == chosen }) else { return }
        chosen = accounts[min(max(0, index + step), accounts.count - 1)].id
    }
}
