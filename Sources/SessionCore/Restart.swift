import SceneModel

// What of a session outlives the process that held it.

/// A login that waited for its user when the process before this one ended.
package struct RestoredLogin: Hashable, Sendable {
    package var host: String
    package var force: Bool
    package var loginHint: String?
    /// The scene that presented it.
    package var presenter: String?
    /// What the user was shown.
    package var shown: Shown

    package enum Shown: Hashable, Sendable {
        case page(LoginPage)
        case code(DevicePrompt)
    }

    /// Whom it is to bring, where the identity provider app has said so.
    package var expected: Account?

    package init(
        host: String, force: Bool, loginHint: String?, presenter: String?, shown: Shown, expected: Account? = nil
    ) {
        self.host = host
        self.force = force
        self.loginHint = loginHint
        self.presenter = presenter
        self.shown = shown
        self.expected = expected
    }
}

extension Session {
    /// A scene whose connection was kept: nothing has happened, as far as it is concerned.
    package mutating func sceneRestored(_ scene: Scene) {
        scenes[scene.id] = scene
    }

    /// The login's listener, state and verifier were kept, or its device code: it goes on, and is anybody's who asks within
    /// 30 seconds after the process has started.
    package mutating func loginRestored(_ restored: RestoredLogin, since start: Instant, world: World) -> Int {
        let id = nextLogin
        nextLogin += 1
        let state: LoginAttempt.State
        let presentation: LoginOptions.Presentation
        switch restored.shown {
        case .page(let page): (state, presentation) = (.presenting(page), .browser)
        case .code(let prompt):
            // The process before this one may have been asking when it ended.
            state = .polling(DevicePolling(prompt, world.now.boot, mayBeSpent: true))
            presentation = .device
        }
        var attempt = LoginAttempt(
            id: id, host: restored.host, force: restored.force, loginHint: restored.loginHint,
            presentation: presentation, state: state, presenter: Caller(call: CallID(0), scene: restored.presenter))
        attempt.expected = restored.expected
        attempt.keptUntil = start.advanced(bySeconds: Bounds.keptLogin)
        owedEnd = nil
        login = attempt
        return id
    }

    /// The daemon has taken the session up from the store, and what was kept of it.
    package mutating func restarted(world: World) -> [Action] {
        planRetries(world)
        let owes = owedEnd != nil || owedLoginHost != nil
        return retryRevocations(world: world) + (owes ? enqueue(.announceOwed, world) : [])
            + withdrawAuthorizations(world)
    }

    /// What other apps had asked their identity provider, this one, went with the process before: scenes that still ask the
    /// user are told.
    private mutating func withdrawAuthorizations(_ world: World) -> [Action] {
        guard !policy.identityProviderFor.isEmpty, let oldest = history.oldest else { return [] }
        var ended: Set<String> = []
        var actions: [Action] = []
        for sequence in (oldest..<oldest.plus(history.count)).reversed() {
            guard let event = history[sequence], let request = event.request, ended.insert(request).inserted,
                event.kind == .authorizationRequested
            else { continue }
            actions += enqueue(
                .endAuthorization(request, app: event.requestingApp ?? "", reason: LoginEnd.abandoned.reason), world)
        }
        return actions
    }

    /// Nobody has come back for the login in time.
    mutating func giveUpKeptLogin(_ world: World) -> [Action] {
        guard let keptUntil = login?.keptUntil, keptUntil <= world.now.boot else { return [] }
        login?.keptUntil = nil
        return settle(world)
    }
}
