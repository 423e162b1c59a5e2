import SceneModel

// Identity providers and askers that are no apps of this daemon's, and talk through URLs. What a URL says is believed
// only where it carries a nonce that nobody else can know.

/// A request to the identity provider that goes as a URL, which the scene that presents the login opens. The login is as
/// one without it: its answer, and a user on its login screen, count alike.
package struct SentRequest: Hashable, Sendable {
    /// As in the policy: a scheme and a colon.
    package let provider: String
    package let request: String
    package let nonce: String
    /// The provider has had the app ask.
    package let isInvited: Bool
    /// When it is too late for an answer, from when there is something to open.
    package internal(set) var deadline: Instant?
}

/// The nonces of messages that were taken, as long as they would be good.
struct SeenNonces: Sendable {
    private var ends: [String: Instant] = [:]

    /// False where it was seen before, or where there are too many.
    mutating func add(_ nonce: String, until end: Instant, now: Instant) -> Bool {
        ends = ends.filter { $0.value > now }
        guard ends.count < Bounds.nonces, ends[nonce] == nil else { return false }
        ends[nonce] = end
        return true
    }
}

extension String {
    /// Whether an app is named by the scheme that it is reached at.
    package var isScheme: Bool { hasSuffix(":") }
}

extension LoginOptions {
    var mayAskProvider: Bool { local != true && force != true && presentation != .device }
}

extension Session {
    // MARK: As the app that asks

    func requestToSend(for options: LoginOptions, isInvited: Bool = false, _ world: World) -> SentRequest? {
        guard let provider = policy.identityProvider, provider.isScheme, options.mayAskProvider else { return nil }
        return SentRequest(
            provider: provider, request: world.newIdentifier(), nonce: world.newIdentifier(), isInvited: isInvited)
    }

    /// It can be opened now, or could not be made.
    mutating func requestReady(_ page: LoginPage, _ world: World) {
        if page.identityProviderUri == nil {
            dropRequest()
        } else {
            login?.sent?.deadline = world.now.boot.advanced(bySeconds: Bounds.authorization)
        }
    }

    /// It came to nothing. A login that was begun for it alone is of use only to who has come to wait for it.
    private mutating func dropRequest() {
        if login?.sent?.isInvited == true { login?.keptUntil = nil }
        login?.sent = nil
    }

    /// Whether it has not been answered in time: the login goes on without.
    mutating func dropSilentRequest(_ world: World) -> Bool {
        guard let login, let deadline = login.sent?.deadline, deadline <= world.now.boot else { return false }
        self.login?.sent = nil
        guard login.awaitsUser else { return false }
        self.login?.localReason = "identityProviderSilent"
        return true
    }

    /// The identity provider has answered the request with an error.
    package mutating func requestRefused(_ request: String, code: String, description: String?, world: World)
        -> [Action]
    {
        guard let login, login.sent?.request == request, login.awaitsUser else { return [] }
        if code == Self.nobodyThereCode {
            dropRequest()
            return goOnLocally(self.login ?? login, because: Self.nobodyThere, world) + (isSteady ? [] : settle(world))
        }
        return end(.failed(.loginFailed(code: code, description: description)), world)
    }

    static let nobodyThere = "noIdentityProviderScene"
    /// The same in a message, as OAuth writes its codes.
    package static let nobodyThereCode = "no_identity_provider_scene"

    /// Why the provider may not have the app ask it now. Nil: `loginInvited` begins a login.
    package var refusalOfInvitation: Failure? {
        if record.locked { return .sessionLocked }
        return login == nil ? nil : Self.loginInProgress
    }

    /// The identity provider wants the app to ask it. Who brought its message opens the request.
    package mutating func loginInvited(loginHint: String?, world: World) -> [Action] {
        guard refusalOfInvitation == nil,
            let sent = requestToSend(for: LoginOptions(), isInvited: true, world)
        else { return [] }
        var attempt = LoginAttempt(
            id: nextLogin, host: selectedLoginHost, force: false, loginHint: loginHint, presentation: .browser,
            state: .starting, presenter: Caller(call: CallID(0)))
        nextLogin += 1
        attempt.sent = sent
        attempt.keptUntil = world.now.boot.advanced(bySeconds: Bounds.authorization)
        login = attempt
        return enqueue(.startLogin(attempt.id, attempt.presenter), world)
    }

    // MARK: As either

    /// Whether a message is new. It is none the next time.
    package mutating func isFirstSight(of nonce: String, seconds: Int, world: World) -> Bool {
        nonces.add(nonce, until: world.now.boot.advanced(bySeconds: seconds), now: world.now.boot)
    }

    // MARK: As the identity provider

    /// Whether a scene has been asked, and has not answered yet.
    package func isAsking(_ request: String) -> Bool { authorizations[request]?.isOpen ?? false }

    package var hasRoomForMessages: Bool {
        authorizations.values.count { $0.question.requestingApp.isScheme } < Bounds.openMessages
    }
}
