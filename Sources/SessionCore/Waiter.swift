import SceneModel

/// A call that waits for a user: LoginIfRequired, Login or HandleLogout. It leaves when its connection or its scene
/// ends, when its time is up, or with its answer.
struct Waiter: Sendable {
    enum Wish: Sendable {
        /// A current user, whoever it is.
        case currentUser
        /// The end of a login that signs somebody in.
        case login
    }

    var caller: Caller
    var wish: Wish
    var options: LoginOptions
    var deadline: Instant
    /// What the call was told last, lest it be told twice.
    var told: LoginProgress?
    /// It came when the login was ending already, so the next one is its own.
    var joinedEnding = false
}

/// A user, whatever account they have.
struct User: Hashable, Sendable {
    var issuer: String
    var subject: String

    init(_ account: Account) {
        issuer = account.issuer
        subject = account.subject
    }
}

/// Users who were signed out, or everybody.
struct SignedOut: Sendable {
    private var users: Set<User> = []
    private var isEverybody = false

    /// Nil stands for everybody.
    mutating func insert(_ user: User?) {
        if let user { users.insert(user) } else { isEverybody = true }
    }

    func contains(_ user: User) -> Bool { isEverybody || users.contains(user) }
}

/// The one login of a session.
///
/// starting → (asking →) preparing → presenting → redeeming → completing → gone; from each of them: → ending → gone.
/// With a code for another device: preparing → polling → completing.
package struct LoginAttempt: Sendable {
    package enum State: Sendable {
        /// Its event is being stored. → asking, preparing, ending
        case starting
        /// The identity provider app is asked. → preparing, ending
        case asking
        /// The listener is opened and the login host's metadata fetched. → presenting, polling, asking, ending
        case preparing
        /// The user is on the login screen. → redeeming, ending; preparing where they choose another login host; asking
        /// where they go back to the identity provider
        case presenting(LoginPage)
        /// The user has a code for another device; the login host is asked whether it was used. → completing, ending
        case polling(DevicePolling)
        /// The user is back; the code is being exchanged. → completing, ending
        case redeeming
        /// The account is being stored. → gone, ending
        case completing
        /// Whatever comes now is late; its end is being stored. → gone
        case ending(LoginEnd)
    }

    package let id: Int
    package internal(set) var host: String
    package let force: Bool
    package internal(set) var loginHint: String?
    /// Browser or device.
    package let presentation: LoginOptions.Presentation
    package internal(set) var state: State
    /// The call that shows the login screen.
    package internal(set) var presenter: Caller
    /// Where it goes through the app's identity provider.
    package internal(set) var asked: AskedProvider?
    /// Where the provider is asked by a URL.
    package internal(set) var sent: SentRequest?
    /// Whom it is to bring, where the provider has said so, and has no more to do with it.
    var expected: Account?
    /// Why it does not, where that was asked.
    var localReason: String?
    /// After a restart, or begun by the identity provider, it goes on without anybody who waits, for as long as this.
    var keptUntil: Instant?
    /// Who was signed out since the user came back: this login does not bring them in again.
    var signedOut = SignedOut()

    /// Whom it is to bring, where the identity provider app has said so.
    package var chosen: Account? { asked?.choice?.account ?? expected }

    var isEnding: Bool {
        if case .ending = state { true } else { false }
    }
}

/// Where the user signs in.
package struct LoginPage: Hashable, Sendable {
    package var loginScreen: String
    package var authorizationUri: String
    /// What asks the identity provider in their place.
    package var identityProviderUri: String?

    package init(loginScreen: String, authorizationUri: String, identityProviderUri: String? = nil) {
        self.loginScreen = loginScreen
        self.authorizationUri = authorizationUri
        self.identityProviderUri = identityProviderUri
    }
}

extension LoginAttempt {
    package var order: LoginOrder {
        LoginOrder(
            login: id, host: host, loginHint: loginHint, force: force, presentation: presentation,
            idTokenHint: asked?.choice?.idToken, sent: sent)
    }

    /// The user is on the login screen, and a callback would be news.
    package var awaitsUser: Bool {
        if case .presenting = state { true } else { false }
    }

    /// The login host is being asked for tokens.
    var isAsking: Bool {
        switch state {
        case .redeeming: true
        case .polling(let polling): polling.isAsking
        default: false
        }
    }
}
