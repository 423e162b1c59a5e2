import SceneModel

@testable import SessionCore

// One app signs in through another: "mail" through "notes" of the same user.
extension RandomHistory {
    func answerRequest() {
        guard !stage.session.policy.identityProviderFor.isEmpty else { return }
        if generator.once(in: 20) { return stage.happens { session, _ in session.startFailed() } }
        let scene = generator.once(in: 10) ? someScene : pick(stage.session.scenes.keys.sorted())
        let account = generator.once(in: 12) ? "nobody" : pick(stage.session.accounts)?.account.id ?? "nobody"
        if generator.once(in: 8) {
            detail("\(account) is to sign in to mail")
            ask(.authorize(request: nil), scene: scene) {
                $0.authorizationBegun($1, requestingApp: "mail", account: account, world: $2)
            }
            return
        }
        let open = stage.session.authorizations.keys.sorted()
        let request = generator.once(in: 8) ? pick(witness.answered.sorted()) : pick(open)
        guard let request else { return }
        let isApproved = !generator.once(in: 4)
        detail("\(request), \(isApproved ? account : "no")")
        ask(.authorize(request: request), scene: scene) {
            isApproved
                ? $0.authorizationApproved($1, request: request, account: account, world: $2)
                : $0.authorizationDenied($1, request: request, code: nil, description: nil, world: $2)
        }
    }

    private func key(of app: String) -> SessionKey { SessionKey(uid: stage.session.key.uid, app: app) }

    func told(_ app: String, _ message: ProviderMessage) {
        switch message {
        case .asks:
            if !witness.hasBegun { fault("a request of a login that history does not show") }
        case .isReady(_, let opening):
            guard case .presenting(let page) = stage.session.login?.state, opening == .screen(page) else {
                fault("a login screen is handed over that is not there")
                break
            }
        case .isOver: break
        }
        mailbox.post(message.request, to: key(of: app)) { history in
            history.stage.happens { $0.askerSaid(message, world: $1) }
        }
    }

    func told(_ app: String, _ request: String, _ answer: ProviderAnswer) {
        switch answer {
        case .leftThePage: break
        case .approved:
            count("a request is approved")
            fallthrough
        default:
            if !witness.answered.insert(request).inserted { fault("\(request) is answered twice") }
        }
        if case .nobodyThere = answer, !stage.session.scenes.isEmpty, !witness.appHasVanished,
            stage.session.policy.identityProviderFor.contains(app)
        {
            fault("somebody is there to be asked")
        }
        if app == Self.elsewhere { return answeredElsewhere(request, answer) }
        mailbox.post(request, to: key(of: app)) { history in
            if case .failed(let failure) = answer { history.witness.failuresOfProvider.insert(failure) }
            history.stage.happens { $0.providerAnswered(request, answer, world: $1) }
        }
    }

    func offered(_ app: String, _ request: String, _ choice: AuthorizedAccount) {
        let provider = stage.session.key.app
        mailbox.post(request, to: key(of: app)) { history in
            history.stage.happens { $0.loginOffered(request, by: provider, choice, world: $1) }
        }
    }

    func check(_ failure: Failure, ofAnswerTo request: String?) {
        switch failure {
        case .unknownRequest(let id):
            if id != request { fault("another request is unknown than was answered") }
            if let open = stage.session.authorizations[id], let deadline = open.deadline, deadline > stage.now.boot {
                fault("\(id) waits for an answer, and is unknown")
            }
        case .unknownScene(let scene):
            if stage.session.scenes[scene] != nil { fault("a scene that is there is unknown") }
        case .unknownAccount(let id):
            if stage.session.account(id) != nil { fault("\(id) is there, and unknown") }
        case .invalidParameter: fault("an answer is refused for \(failure)")
        default: break
        }
    }
}

extension ModelRun {
    /// Neither of the two waits for the other in vain.
    func strandedRequests() -> [String] {
        guard let asker = histories.first(where: { $0.stage.session.key == SessionKey(uid: 1000, app: "mail") }),
            let provider = histories.first(where: { $0.stage.session.key == SessionKey(uid: 1000, app: "notes") }),
            !asker.stage.isDead, !provider.stage.isDead
        else { return [] }
        var found: [String] = []
        let login = asker.stage.session.login
        let open = provider.stage.session.authorizations
        if case .asking = login?.state, let request = login?.asked?.request, !mailbox.isOnItsWay(request) {
            if open[request]?.deadline == nil { found.append("a login waits for an answer to nothing") }
        }
        for (request, authorization) in open where !mailbox.isOnItsWay(request) {
            if authorization.question.requestingApp.isScheme {
                if authorization.deadline == nil { found.append("\(request) waits for nothing to open") }
                continue
            }
            let asked = login.flatMap { $0.isEnding ? nil : $0.asked }
            if asked?.request != request { found.append("\(request) is of no login") }
            if case .presenting = authorization.state, asked?.presents != true {
                found.append("two show the login screen")
            }
        }
        return found
    }
}
