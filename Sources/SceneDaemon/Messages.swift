import LinuxIO
import SceneModel
import SceneOAuth
import SceneProtocol
import SceneSystem
import SessionCore

// Messages of identity provider apps, and to them, that the desktop opened as URLs. Whatever such a URL asks for needs the
// user, or a nonce that only who was asked can know.

/// A request of an app elsewhere, until it is answered. It has a number of ours: what a URL says is no key.
struct ForeignRequest {
    let message: IdentityProviderMessage
    let parameters: AuthorizationParameters
    let provider: LiveSession
    /// HandleResponse, as long as it has no answer.
    var call: CallID?
}

extension Daemon {
    /// Takes a message up; the call is answered, now or later. Throws where nothing has changed.
    func take(_ response: HandleResponse.Parameters, _ request: Request) throws(ResponseRefusal) {
        let message: IdentityProviderMessage
        do throws(IdentityProviderMessage.Fault) {
            message = try IdentityProviderMessage(response.url)
        } catch {
            throw .badMessage(error)
        }
        guard message.isTimely(at: EventLoop.now.wall) else { throw .untimely }
        guard storeFailure == nil else { throw .noStore }
        switch message.content {
        case .authrequest(let parameters):
            try ask(message, parameters, scene: response.scene, request)
        case .idpinit(let loginHint):
            try invite(message, loginHint, scene: response.scene, request)
        case .authresponse(let answer):
            try answered(message, with: answer, scene: response.scene, request)
        case .idpauthcodeinit(let answer):
            try answered(message, with: answer, scene: response.scene, request)
        case .error(let code, let description):
            let live = try asker(of: message, scene: response.scene, request).0
            happened(live) {
                $0.requestRefused(message.request ?? "", code: code, description: description, world: $1)
            }
            answer(request.id, HandleResponse.Reply(handled: true))
        }
    }

    // MARK: To an app that has asked

    /// The login whose request the message answers, once.
    private func asker(
        of message: IdentityProviderMessage, scene: String?, _ request: Request
    ) throws(ResponseRefusal) -> (LiveSession, RunningLogin, SentRequest) {
        let found = loginOnItsWay { live, _ in live.session.login?.sent?.request == message.request }
        guard let (live, running, pending) = found, let sent = live.session.login?.sent else { throw .unknownRequest }
        guard live.key.uid == request.peer.uid else { throw .otherUser }
        guard Secret(sent.nonce) == Secret(message.nonce) else { throw .otherNonce }
        guard sent.provider == message.sender + ":", pending.scheme == message.receiver else { throw .otherSender }
        guard live.session.login?.awaitsUser == true else { throw .usedState }
        if let scene, !live.session.isLogin(of: scene) { throw .otherScene }
        return (live, running, sent)
    }

    private func answered(
        _ message: IdentityProviderMessage, with answer: CallbackParameters, scene: String?, _ request: Request
    ) throws(ResponseRefusal) {
        let (live, running, sent) = try asker(of: message, scene: scene, request)
        if case .idpauthcodeinit = message.content, !sent.isInvited { throw .notInvited }
        guard take(answer, running, live, respond: { _ in }) else { throw .otherIssuer }
        pages.returned(login: running.page)
        self.answer(request.id, HandleResponse.Reply(handled: true))
    }

    private func invite(
        _ message: IdentityProviderMessage, _ loginHint: String?, scene: String?, _ request: Request
    ) throws(ResponseRefusal) {
        let app = listeners(at: message.receiver).first { $0.identityProvider == message.sender + ":" }
        guard let app else { throw .senderNotAllowed }
        let live = session(SessionKey(uid: request.peer.uid, app: app.name), app)
        if let scene, live.session.scenes[scene] == nil { throw .otherScene }
        guard live.session.refusalOfInvitation == nil, live.inviting == nil else { throw .busy }
        try see(message, live)
        live.inviting = request.id
        happened(live) { $0.loginInvited(loginHint: loginHint, world: $1) }
    }

    /// The provider's message has been taken up as far as it can be without the user.
    func settleInvitation(_ live: LiveSession) {
        guard let call = live.inviting else { return }
        let login = live.session.login
        // It is gone at once only where its beginning could not be stored.
        var reply = HandleResponse.Reply(handled: login != nil)
        switch login?.state {
        case .starting, .asking, .preparing: return
        case .presenting(let page): reply.open = login?.sent == nil ? nil : page.identityProviderUri
        default: break
        }
        live.inviting = nil
        answer(call, reply)
    }

    /// What the scene that presents a login is to open first, where its identity provider is asked by a URL.
    func identityProviderUri(_ pending: PendingAuthorization, _ live: LiveSession) -> String? {
        guard let login = live.session.login, let sent = login.sent, let scheme = pending.scheme,
            let parameters = AuthorizationParameters(
                pending, loginHint: login.loginHint, scene: login.presenter.scene)
        else { return nil }
        return IdentityProviderMessage(
            receiver: String(sent.provider.dropLast()), sender: scheme, request: sent.request, nonce: sent.nonce,
            expires: EventLoop.now.wall + Bounds.authorization, content: .authrequest(parameters)
        ).url
    }

    // MARK: To an identity provider

    private func ask(
        _ message: IdentityProviderMessage, _ parameters: AuthorizationParameters, scene: String?, _ request: Request
    ) throws(ResponseRefusal) {
        let asker = message.sender + ":"
        guard let app = listeners(at: message.receiver).first(where: { $0.identityProviderFor.contains(asker) }) else {
            throw .senderNotAllowed
        }
        let live = session(SessionKey(uid: request.peer.uid, app: app.name), app)
        if let scene, live.session.scenes[scene] == nil { throw .otherScene }
        guard live.session.loginHosts.contains(where: { $0.url == parameters.loginHost }) else { throw .unknownHost }
        guard live.session.hasRoomForMessages else { throw .busy }
        try see(message, live)
        let id = Self.newIdentifier()
        foreignRequests[id] = ForeignRequest(
            message: message, parameters: parameters, provider: live, call: request.id)
        let expiry = world.now.boot.advanced(bySeconds: message.expires - EventLoop.now.wall)
        let question = AuthorizationQuestion(
            request: id, requestingApp: asker, loginHosts: [parameters.loginHost], loginHint: parameters.loginHint,
            expiry: expiry)
        happened(live) { $0.askerSaid(.asks(question), world: $1) }
    }

    /// A scene has been asked, or there is none: until then the app is being started.
    private func handed(_ id: String, open message: String? = nil) {
        guard let call = foreignRequests[id]?.call else { return }
        foreignRequests[id]?.call = nil
        answer(call, HandleResponse.Reply(handled: true, open: message))
    }

    func settleQuestions(_ live: LiveSession) {
        for (id, foreign) in foreignRequests where foreign.call != nil && foreign.provider === live {
            if live.session.isAsking(id) { handed(id) }
        }
    }

    /// What the provider's session says to an app elsewhere.
    func tellForeignAsker(_ id: String, _ answer: ProviderAnswer) {
        guard let foreign = foreignRequests[id] else { return }
        switch answer {
        case .approved(let choice):
            return approve(id, foreign, choice)
        case .nobodyThere:
            handed(id, open: refusal(of: foreign, code: Session.nobodyThereCode, description: nil))
        case .denied, .expired, .failed, .leftThePage:
            handed(id)
        }
        foreignRequests[id] = nil
    }

    private func approve(_ id: String, _ foreign: ForeignRequest, _ choice: AuthorizedAccount) {
        let hint = choice.account.username ?? choice.account.email ?? foreign.parameters.loginHint
        request { [self] in
            let opening: Opening
            do throws(OAuthFailure) {
                opening = .loginHost(
                    authorizationUri: try await oauth.authorizationUri(for: foreign.parameters, loginHint: hint))
            } catch {
                note(error, foreign.provider)
                opening = .message(refusal(of: foreign, code: "temporarily_unavailable", description: nil))
            }
            foreignRequests[id] = nil
            happened(foreign.provider) { $0.askerSaid(.isReady(request: id, opening), world: $1) }
        }
    }

    /// What the scene where the user said no is to open; nil for an app of ours.
    func refusal(of id: String, code: String, description: String?) -> String? {
        foreignRequests[id].map { refusal(of: $0, code: code, description: description) }
    }

    private func refusal(of foreign: ForeignRequest, code: String, description: String?) -> String {
        IdentityProviderMessage(
            receiver: foreign.message.sender, sender: foreign.message.receiver, request: foreign.message.request,
            nonce: foreign.message.nonce, expires: EventLoop.now.wall + Bounds.authorization,
            content: .error(code: code, description: description)
        ).url
    }

    /// The user of a provider app begins a login of an app elsewhere: that app is to ask.
    func invitation(of scheme: String, _ choice: AuthorizedAccount, by live: LiveSession) -> Opening? {
        guard let sender = configuration.apps[live.key.app]?.messageSchemes.first else { return nil }
        return .message(
            IdentityProviderMessage(
                receiver: String(scheme.dropLast()), sender: sender, request: nil, nonce: Self.newIdentifier(),
                expires: EventLoop.now.wall + Bounds.authorization,
                content: .idpinit(loginHint: choice.account.username ?? choice.account.email)
            ).url)
    }

    // MARK: Either

    private func listeners(at scheme: String) -> [AppConfiguration] {
        configuration.apps.values.filter { $0.messageSchemes.contains(scheme) }.sorted { $0.name < $1.name }
    }

    private func see(_ message: IdentityProviderMessage, _ live: LiveSession) throws(ResponseRefusal) {
        let seconds = message.expires - EventLoop.now.wall
        let isNew = live.session.isFirstSight(of: message.sender + ":" + message.nonce, seconds: seconds, world: world)
        if !isNew { throw .replayed }
    }
}
