import SceneModel

@testable import SessionCore

/// A call that is to be answered, as its caller knows it.
struct Asked {
    enum Method: Equatable {
        case connectScene(after: Cursor?)
        case updateScene
        case loginIfRequired, login, handleLogout, cancelLogin, returnToProvider
        case switchAccount(String)
        case logout(String?)
        case logoutAll, logoutUser
        case token(account: String?, rejected: Secret?, scope: String?)
        case addLoginHost, removeLoginHost(String), selectLoginHost(String)
        case lock(Bool)
        case authorize(request: String?)
    }

    var method: Method
    var scene: String?
    var streams: Bool
    var options: LoginOptions?
    /// When its own time is up.
    var deadline: Instant?

    init(method: Method, scene: String?, streams: Bool, options: LoginOptions?, at now: Instant) {
        self.method = method
        self.scene = scene
        self.streams = streams
        self.options = options
        deadline = options.map {
            now.advanced(bySeconds: min($0.timeoutSeconds ?? Bounds.loginTimeout, Bounds.longestLoginTimeout))
        }
    }
}

/// Remembers what a session was told and what it promised, to hold it to that.
struct Witness {
    var faults: [String] = []
    /// Calls that wait.
    var asked: [CallID: Asked] = [:]
    /// The call that comes next.
    var next: Asked?
    /// Accounts whose sign-out is stored.
    private(set) var signedOut: Set<String> = []
    /// When each user was signed out last, and when the user of the login under way came back to it.
    private var signOuts: [User: Int] = [:]
    var returnTime = 0
    /// When the login host was last asked whether a login's code has been used.
    var pollTimes: [Int: Int] = [:]
    private(set) var time = 0
    /// History shows a login begun and not ended.
    private(set) var hasBegun = false
    /// The generation of each account's grant that its login host has refused.
    var refused: [String: Int] = [:]
    /// The accounts whose login host could not be reached for a refresh.
    var unavailable: Set<String> = []
    /// The generation of each account's grant whose refresh was cut short by the daemon's death.
    private(set) var interrupted: [String: Int] = [:]
    /// A change could not be stored in this step, or tokens could not in one before.
    var diskHasFailed = false
    var appHasVanished = false
    /// Why logins have failed, by what the identity provider said.
    var failuresOfProvider: Set<Failure> = []
    /// Requests of another app that were answered.
    var answered: Set<String> = []

    mutating func called(_ call: CallID) {
        asked[call] = next
        next = nil
    }

    mutating func tick() -> Int {
        time += 1
        return time
    }

    mutating func stored(_ change: Change) {
        time += 1
        for event in change.events {
            switch event.kind {
            case .loginStarted: hasBegun = true
            case .loginEnded: hasBegun = false
            case .loggedOut:
                guard let account = event.account else { continue }
                signedOut.insert(account.id)
                signOuts[User(account)] = time
                refused[account.id] = nil
            case .loggedIn:
                guard let account = event.account else { continue }
                if let out = signOuts[User(account)], out > returnTime {
                    faults.append("\(account.subject) was signed out while their login was completing, and is back")
                }
            default: break
            }
        }
    }

    /// The daemon has died, and with it every call that waited.
    mutating func died(ledger: StoredSession) {
        asked = [:]
        next = nil
        unavailable = []
        interrupted = [:]
        for holder in ledger.accounts where holder.grant.isRefreshing {
            interrupted[holder.account.id] = holder.grant.generation
        }
    }
}
