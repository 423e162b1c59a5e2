import LinuxIO
import SceneModel
import SceneOAuth
import SceneProtocol
import SceneSystem
import SessionCore
import Varlink

// The one place where decisions become effects.

extension Daemon {
    /// Something happened to a session: it decides, and what it decides is done.
    func happened(_ live: LiveSession, _ event: (inout Session, World) -> [Action]) {
        let (actions, deadline) = live.decide(event, world)
        arm(live, for: deadline)
        for action in actions { carryOut(action, live) }
        toldLast = nil
        if live.inviting != nil { settleInvitation(live) }
        if !foreignRequests.isEmpty { settleQuestions(live) }
        stopIfQuiet()
    }

    private func arm(_ live: LiveSession, for deadline: Instant?) {
        guard deadline != live.deadline else { return }
        live.deadline = deadline
        live.timer?.cancel()
        live.timer = deadline.map { deadline in
            loop.schedule(at: deadline) {
                live.deadline = nil
                self.happened(live) { $0.timeReached(world: $1) }
            }
        }
    }

    private func carryOut(_ action: Action, _ live: LiveSession) {
        switch action {
        case .reply(let call, let reply): if !endedOnScreen(call, nil) { answer(call, reply) }
        case .progress(let call, let progress): tell(call, progress)
        case .fail(let call, let failure): if !endedOnScreen(call, failure) { fail(call, failure) }
        case .commit(let change): commit(change, live)
        case .awaitTurnEnd: loop.atEndOfTurn { self.happened(live) { $0.turnEnded(world: $1) } }
        case .published: published(live)
        case .openStream(let call, let opening, let position):
            openStream(call, opening: opening, position: position, live)
        case .closeStream(let call): closeStream(call)
        case .beginLogin(let order): beginLogin(order, live)
        case .moveLogin(let order): moveLogin(order, live)
        case .pollDevice(let id): pollDevice(id, live)
        case .endLogin(let id, let end): endLogin(id, end, live)
        case .leaveScreen(let id): endLogin(id, .cancelled, live)
        case .refresh(let order): refresh(order, live)
        case .revoke(let revocation, let idToken): revoke(revocation, idToken: idToken, live)
        case .tellProvider(let app, let message): tellProvider(app, message, from: live)
        case .tellAsker(let app, let request, let answer): tellAsker(app, request, answer, uid: live.key.uid)
        case .offerLogin(let app, let request, let choice): offerLogin(app, request, choice, from: live)
        case .startApp: startApp(live)
        case .audit(let entry): Journal.write(entry.journalEntry(of: live.key))
        }
    }

    private func answer(_ call: CallID, _ reply: Reply) {
        switch reply {
        case .login(let progress): answer(call, message(progress, continues: false))
        case .done: answer(call, UpdateScene.Reply())
        case .switched(let account, let at): answer(call, SwitchAccount.Reply(account: account, at: at))
        case .loggedOut(let result, let at): answer(call, Logout.Reply(result: result, at: at))
        case .loggedOutAll(let results, let at): answer(call, LogoutAll.Reply(results: results, at: at))
        case .token(let token): answer(call, token.message)
        case .loginHost(let host): answer(call, AddLoginHost.Reply(loginHost: host))
        case .authorized(let opening): answer(call, AuthorizeApp.Reply(opening))
        case .denied(let id, let code, let description):
            answer(call, AuthorizeApp.Reply(message: refusal(of: id, code: code, description: description)))
        case .accountsSignedOut(let count): signedOut(call, count)
        }
    }

    /// How a login stands, encoded once for all that are told so in a row: thousands may wait for it.
    func message(_ progress: LoginProgress, continues: Bool) -> [UInt8] {
        if let toldLast, toldLast.continues == continues, toldLast.progress == progress { return toldLast.message }
        let message = VarlinkMessage.reply(LoginIfRequired.Reply(progress: progress), continues: continues)
        toldLast = (progress, continues, message)
        return message
    }
}

extension AuthorizeApp.Reply {
    init(_ opening: Opening) {
        switch opening {
        case .screen(let page): self.init(loginScreen: page.loginScreen, authorizationUri: page.authorizationUri)
        case .loginHost(let uri): self.init(authorizationUri: uri)
        case .message(let url): self.init(message: url)
        }
    }
}

extension AccessToken {
    /// GetAccessToken's reply.
    var message: Secret {
        var bytes = VarlinkMessage.reply(GetAccessToken.Reply(token: self))
        return Secret(wiping: &bytes)
    }
}

extension OAuthFailure {
    /// For the journal and for people; what came from the login host is scrubbed already.
    var explanation: String {
        switch self {
        case .refused(let code, let description): description.map { "\(code): \($0)" } ?? code
        case .unavailable(_, let reason), .lost(_, let reason), .invalid(_, let reason): reason
        case .unusable(_, let cause): cause.explanation
        case .cancelled: "cancelled"
        }
    }

    /// What a call that waited for a login ends with.
    var failure: Failure {
        switch self {
        case .refused(let code, let description): .loginFailed(code: code, description: description)
        case .unavailable(let seconds, _), .lost(let seconds, _): .loginHostUnavailable(retryAfterSeconds: seconds)
        case .invalid(let code, let reason): .loginFailed(code: code, description: reason)
        case .unusable(_, let cause): cause.failure
        case .cancelled: .loginCancelled
        }
    }
}
