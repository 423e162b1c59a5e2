import SceneModel

// A login of another app, seen from its identity provider: a scene is asked, the user picks the account there, and the
// scene opens the other app's login screen, where the user's session at the login host is.

/// What another app asks.
struct Authorization: Sendable {
    enum State: Sendable {
        /// No scene is there, and the app is being started. → open, gone
        case starting
        /// This scene is to ask the user; any may answer. → approved, gone
        case open(scene: String)
        /// The other app's login is under way; the call is told where its login screen is. → presenting, gone
        case approved(scene: String, Caller)
        /// The scene opens the login screen. → gone
        case presenting(scene: String)

        var scene: String? {
            switch self {
            case .starting: nil
            case .open(let scene), .approved(let scene, _), .presenting(let scene): scene
            }
        }
    }

    var question: AuthorizationQuestion
    var state: State
    /// When it is too late for an answer, or for a scene.
    var expiry: Instant

    var deadline: Instant? {
        switch state {
        case .starting, .open: expiry
        case .approved, .presenting: nil
        }
    }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }
}

extension Session {
    /// What may still be answered, oldest first.
    package func openAuthorizations(world: World) -> [AuthorizationRequest] {
        let open = authorizations.values.filter(\.isOpen)
        return open.sorted { ($0.expiry, $0.question.request) < ($1.expiry, $1.question.request) }.map {
            AuthorizationRequest(
                request: $0.question.request, requestingApp: $0.question.requestingApp,
                loginHosts: $0.question.loginHosts, loginHint: $0.question.loginHint, presenter: $0.state.scene ?? "",
                expiresInSeconds: max(0, $0.expiry.seconds(since: world.now.boot)))
        }
    }

    /// The session of another app has something to say to its identity provider, this one.
    package mutating func askerSaid(_ message: ProviderMessage, world: World) -> [Action] {
        switch message {
        case .asks(let question): return asked(question, world)
        case .isReady(let request, let opening): return ready(request, opening)
        case .isOver(let request, let end): return askerDone(request, end, world)
        }
    }

    private mutating func asked(_ question: AuthorizationQuestion, _ world: World) -> [Action] {
        let nobody = [Action.tellAsker(question.requestingApp, request: question.request, .nobodyThere)]
        guard policy.identityProviderFor.contains(question.requestingApp) else { return nobody }
        guard let scene = sceneToAsk else {
            guard policy.canBeStarted else { return nobody }
            let isStarting = authorizations.values.contains { if case .starting = $0.state { true } else { false } }
            authorizations[question.request] = Authorization(
                question: question, state: .starting, expiry: question.end(after: Bounds.providerStart, world))
            return isStarting ? [] : [.startApp]
        }
        authorizations[question.request] = Authorization(
            question: question, state: .open(scene: scene), expiry: question.end(after: Bounds.authorization, world))
        return enqueue(.requestAuthorization(question.request), world)
    }

    /// A scene is there for what waits for one.
    mutating func askNewScene(_ scene: String, _ world: World) -> [Action] {
        var actions: [Action] = []
        for (id, waiting) in authorizations.sorted(by: { $0.key < $1.key }) {
            guard case .starting = waiting.state else { continue }
            authorizations[id]?.state = .open(scene: scene)
            authorizations[id]?.expiry = waiting.question.end(after: Bounds.authorization, world)
            actions += enqueue(.requestAuthorization(id), world)
        }
        return actions
    }

    /// The app cannot be started: nobody waits for it.
    package mutating func startFailed() -> [Action] {
        var actions: [Action] = []
        for (id, waiting) in authorizations.sorted(by: { $0.key < $1.key }) {
            guard case .starting = waiting.state else { continue }
            authorizations[id] = nil
            actions.append(.tellAsker(waiting.question.requestingApp, request: id, .nobodyThere))
        }
        return actions
    }

    /// One that the user looks at, else the one that has been there longest.
    private var sceneToAsk: String? {
        scenes.values.min { first, second in
            let ranks = [first, second].map { $0.activation == .foreground ? 0 : 1 }
            return ranks[0] != ranks[1]
                ? ranks[0] < ranks[1] : (first.connected, first.id) < (second.connected, second.id)
        }?.id
    }

    func authorizationStored(_ id: String) -> [Action] {
        guard let open = authorizations[id] else { return [] }
        var entry = AuditEntry(kind: .authorizationRequested, scene: open.state.scene)
        entry.reason = open.question.requestingApp
        return [.audit(entry)]
    }

    mutating func authorizationNotStored(_ id: String, _ failure: Failure) -> [Action] {
        guard let open = authorizations[id], case .open = open.state else { return [] }
        authorizations[id] = nil
        return [.tellAsker(open.question.requestingApp, request: id, .failed(failure))]
    }

    // MARK: What becomes of it

    private mutating func ready(_ id: String, _ opening: Opening) -> [Action] {
        guard let approved = authorizations[id], case .approved(let scene, let caller) = approved.state else {
            let app = authorizations[id]?.question.requestingApp
            return app.map { [.tellAsker($0, request: id, .leftThePage)] } ?? []
        }
        if case .screen = opening {
            authorizations[id]?.state = .presenting(scene: scene)
        } else {
            // Nobody tells how it ends.
            authorizations[id] = nil
        }
        return [.reply(caller.call, .authorized(opening))]
    }

    private mutating func askerDone(_ id: String, _ end: LoginEnd, _ world: World) -> [Action] {
        guard let former = authorizations.removeValue(forKey: id) else { return [] }
        switch former.state {
        case .approved(_, let caller): return [.fail(caller.call, end.failure)]
        case .starting, .presenting: return []
        case .open:
            return enqueue(
                .endAuthorization(id, app: former.question.requestingApp, reason: end.reason), world)
        }
    }

    /// Who was to open the login screen has hung up before it was there: whoever asked opens it.
    mutating func authorizingCallLeft(_ call: CallID) -> [Action] {
        var actions: [Action] = []
        for (id, waiting) in authorizations {
            guard case .approved(_, let caller) = waiting.state, caller.call == call else { continue }
            authorizations[id] = nil
            actions.append(.tellAsker(waiting.question.requestingApp, request: id, .leftThePage))
        }
        return actions
    }

    /// Another scene asks the user, or nobody does.
    mutating func authorizingSceneLeft(_ scene: String, _ world: World) -> [Action] {
        var actions: [Action] = []
        for (id, left) in authorizations.sorted(by: { $0.key < $1.key }) where left.state.scene == scene {
            let app = left.question.requestingApp
            if case .open = left.state {
                if let next = sceneToAsk {
                    authorizations[id]?.state = .open(scene: next)
                    actions += enqueue(.requestAuthorization(id), world)
                } else {
                    authorizations[id] = nil
                    actions.append(.tellAsker(app, request: id, .nobodyThere))
                    actions += enqueue(.endAuthorization(id, app: app, reason: "abandoned"), world)
                }
            } else {
                authorizations[id] = nil
                if case .approved(_, let caller) = left.state {
                    actions.append(.fail(caller.call, .unknownScene(scene)))
                }
                actions.append(.tellAsker(app, request: id, .leftThePage))
            }
        }
        return actions
    }

    mutating func expireAuthorizations(_ world: World) -> [Action] {
        var actions: [Action] = []
        for (id, open) in authorizations.sorted(by: { $0.key < $1.key }) {
            guard let deadline = open.deadline, deadline <= world.now.boot else { continue }
            authorizations[id] = nil
            guard open.isOpen else {
                actions.append(.tellAsker(open.question.requestingApp, request: id, .nobodyThere))
                continue
            }
            actions.append(.tellAsker(open.question.requestingApp, request: id, .expired))
            actions += enqueue(.endAuthorization(id, app: open.question.requestingApp, reason: "expired"), world)
        }
        return actions
    }

    /// The provider app is configured no longer.
    mutating func dropAuthorizations(_ failure: Failure, _ world: World) -> [Action] {
        var actions: [Action] = []
        for (id, former) in authorizations.sorted(by: { $0.key < $1.key }) {
            authorizations[id] = nil
            let app = former.question.requestingApp
            switch former.state {
            case .starting: actions.append(.tellAsker(app, request: id, .nobodyThere))
            case .open:
                actions.append(.tellAsker(app, request: id, .nobodyThere))
                actions += enqueue(.endAuthorization(id, app: app, reason: "unknownApp"), world)
            case .approved(_, let caller):
                actions += [.fail(caller.call, failure), .tellAsker(app, request: id, .leftThePage)]
            case .presenting:
                actions.append(.tellAsker(app, request: id, .leftThePage))
            }
        }
        return actions
    }
}

extension AuthorizationQuestion {
    /// When it is too late.
    fileprivate func end(after seconds: Int, _ world: World) -> Instant {
        let end = world.now.boot.advanced(bySeconds: seconds)
        return min(end, expiry ?? end)
    }
}
