/// A place in a session's history. Sequences grow by one within an epoch.
public struct Cursor: Hashable, Sendable {
    public var epoch: String
    public var sequence: Int

    public init(epoch: String = "", sequence: Int = 0) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

/// What a session waits for before it has a current user again.
public enum Pending: String, CaseIterable, Hashable, Sendable {
    case nothing, login, selection
}

/// What a session looks like at one moment.
public struct Snapshot: Hashable, Sendable {
    public var accounts: [Account] = []
    public var current: Account?
    public var pending: Pending = .nothing
    public var loginUnderWay = false
    /// The scene that shows the login screen; absent where a caller without a scene does.
    public var presenter: String?
    public var loginHost = ""
    public var locked = false

    public init() {}
}

/// One entry of a session's history, delivered to every connected scene, in order, once.
public struct Event: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case snapshot, resumed, currentUserChanged, loggedIn, loggedOut, accountChanged, selectionRequired
        case loginRequired, loginStarted, loginEnded, loginHostChanged, locked, unlocked, authorizationRequested
        case authorizationEnded
    }

    public var kind: Kind
    public var at: Cursor
    /// With snapshot and resumed: this scene's identifier.
    public var scene: String?
    /// With snapshot: whether history between the given cursor and this snapshot was lost.
    public var gap: Bool?
    public var snapshot: Snapshot?
    /// With currentUserChanged; absent means nobody.
    public var previous: Account?
    public var current: Account?
    /// With loggedIn, loggedOut, accountChanged, loginRequired: whom it is about.
    public var account: Account?
    /// With loggedOut, loginRequired, loginEnded, authorizationEnded, and locked and unlocked by the screen: why (see
    /// README, "Reasons").
    public var reason: String?
    /// With selectionRequired.
    public var accounts: [Account]?
    /// With loginStarted: the scene that presents the login screen. With authorizationRequested: the scene that is to ask
    /// the user.
    public var presenter: String?
    public var previousLoginHost: String?
    public var loginHost: String?
    /// With authorizationRequested and authorizationEnded.
    public var request: String?
    public var requestingApp: String?

    public init(_ kind: Kind = .snapshot, at: Cursor = Cursor()) {
        self.kind = kind
        self.at = at
    }
}
