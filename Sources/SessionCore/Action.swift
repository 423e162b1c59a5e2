import SceneModel

/// A call of a peer that is still to be answered; numbered by the daemon.
package struct CallID: Hashable, Sendable {
    package var number: Int

    package init(_ number: Int) {
        self.number = number
    }
}

/// Who calls: for the answer, for the audit, and for those who hear of a change.
package struct Caller: Hashable, Sendable {
    package var call: CallID
    /// The scene that the call names; absent where the call's own connection stands for itself.
    package var scene: String?
    package var pid: Int32
    /// The call can be told how it stands before it ends (Varlink's `more`).
    package var streams: Bool
    /// The login on whose screen a user did this.
    package var login: Int?

    package init(
        call: CallID, scene: String? = nil, pid: Int32 = 0, streams: Bool = false, login: Int? = nil
    ) {
        self.call = call
        self.scene = scene
        self.pid = pid
        self.streams = streams
        self.login = login
    }
}

/// What decisions need of the world at the time they are taken.
package struct World {
    package var now: Moment
    package var bootID: String
    /// Draws an identifier that nobody can guess.
    package var newIdentifier: () -> String
    /// Draws a number from 0 up to 1, for jitter.
    package var random: () -> Double

    package init(
        now: Moment, bootID: String, newIdentifier: @escaping () -> String, random: @escaping () -> Double
    ) {
        self.now = now
        self.bootID = bootID
        self.newIdentifier = newIdentifier
        self.random = random
    }
}

/// The result of a call, as its method's reply carries it.
package indirect enum Reply: Sendable {
    case login(LoginProgress)
    case done
    case switched(Account, Cursor)
    case loggedOut(LogoutResult, Cursor)
    case loggedOutAll([LogoutResult], Cursor)
    case token(AccessToken)
    case loginHost(LoginHost)
    /// What is to be opened where the user was asked.
    case authorized(Opening)
    /// They said no to that app's request.
    case denied(request: String, code: String, description: String?)
    /// LogoutUser of org.scened.Manager.
    case accountsSignedOut(Int)
}

/// A login that the world is to carry out.
package struct LoginOrder: Equatable, Sendable {
    package var login: Int
    package var host: String
    package var loginHint: String?
    package var force: Bool
    /// Browser or device.
    package var presentation = LoginOptions.Presentation.browser
    package var idTokenHint: Secret?
    /// Where the identity provider is to be asked by a URL.
    package var sent: SentRequest?
}

/// A refresh that the world is to carry out (RFC 6749, section 6).
package struct RefreshOrder: Equatable, Sendable {
    package var account: Account
    package var generation: Int
    package var clientID: String
    package var refreshToken: Secret
    /// As they are known so far, as one JSON object.
    package var claims: String?
}

/// What an administrator wants to find in the journal afterwards.
package struct AuditEntry: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case signedIn, signedOut, switched, loginStarted, loginEnded, grantRefused, degraded, recovered
        case tokensRevoked, revocationQueued, revocationAbandoned, locked, unlocked
        case authorizationRequested, authorizationApproved, authorizationDenied
    }

    package var kind: Kind
    package var account: Account?
    package var scene: String?
    package var pid: Int32?
    package var reason: String?
}

/// What is to be done after something happened; the daemon turns it into effects, in order.
package indirect enum Action: Sendable {
    case reply(CallID, Reply)
    case progress(CallID, LoginProgress)
    case fail(CallID, Failure)
    /// Store the change, then say `changeCommitted` or `commitFailed`.
    case commit(Change)
    /// The history has grown to this sequence: every scene is to hear of it.
    case published(Int)
    /// Somebody has left, and many may at once: say `turnEnded` when whoever else leaves now has left.
    case awaitTurnEnd
    /// Begin a scene's stream with this event; what follows `position` in the history comes next.
    case openStream(CallID, opening: Event, position: Int)
    /// Another connection of the same client has taken the scene over.
    case closeStream(CallID)
    case beginLogin(LoginOrder)
    /// Ask the login host whether the login's code was used (RFC 8628, section 3.4).
    case pollDevice(Int)
    /// The login goes on at another login host: what it has asked of the one before counts no longer, its screen stays.
    case moveLogin(LoginOrder)
    /// Whatever belongs to the login is to go: its listener, its requests, its secrets.
    case endLogin(Int, LoginEnd)
    /// The login's screen goes, and the login waits for its identity provider.
    case leaveScreen(Int)
    case refresh(RefreshOrder)
    case revoke(RevocationRecord, idToken: Secret?)
    /// Pass this on to the session of the app that is the identity provider.
    case tellProvider(String, ProviderMessage)
    /// Pass this on to the session of the app that asked.
    case tellAsker(String, request: String, ProviderAnswer)
    /// Likewise, where the provider begins the login.
    case offerLogin(String, request: String, AuthorizedAccount)
    /// Start the app itself: another asks it, and no scene is there.
    case startApp
    case audit(AuditEntry)
}

/// How a login came to its end.
package enum LoginEnd: Hashable, Sendable {
    case signedIn(name: String?)
    case cancelled
    case timedOut
    /// Nobody waits for it any more.
    case abandoned
    case failed(Failure)

    /// The user was signed out while their sign-in was being completed.
    static let signedOut = failed(.loginFailed(code: "signedOut", description: nil))

    /// Another user signed in than was picked in the identity provider app.
    static let otherAccount = failed(.loginFailed(code: "otherAccount", description: nil))

    /// For people and programs, as README's "Reasons" lists them.
    package var reason: String {
        switch self {
        case .signedIn: "signedIn"
        case .cancelled: "cancelled"
        case .timedOut: "timedOut"
        case .abandoned: "abandoned"
        case .failed(.loginFailed(let code, _)): code
        case .failed(.loginHostUnavailable): "loginHostUnavailable"
        case .failed(.storageUnavailable): "storageUnavailable"
        case .failed(.unknownApp): "unknownApp"
        case .failed(.quotaExceeded): "quotaExceeded"
        case .failed: "failed"
        }
    }

    /// What a call that waited for the login ends with.
    var failure: Failure {
        switch self {
        case .cancelled: .loginCancelled
        case .timedOut: .loginTimedOut
        case .failed(let failure): failure
        case .abandoned, .signedIn: .interactionRequired(reason: "no waiting call can show the login screen")
        }
    }
}
