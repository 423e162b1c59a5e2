import LinuxIO
import SceneModel
import SceneProtocol
import SessionCore
import Varlink

// org.scened.Session: what each call means to the session.

extension Daemon {
    static let sessionMethods: [(String, Method)] = [
        serveSession(LoginIfRequired.self, app: \.app) { daemon, request, call, live in
            if let answer = live.answerIfSignedIn(scene: call.scene, options: call.options) {
                return daemon.answer(request.id, answer)
            }
            daemon.happened(live) {
                $0.loginIfRequired(request.caller(call.scene), options: call.options ?? LoginOptions(), world: $1)
            }
        },
        serveSession(GetAccessToken.self, app: \.app) { daemon, request, call, live in
            request.served.account.counters[.tokenRequests] += 1
            daemon.answerToken(request, call, live)
        },
        serveSession(ConnectScene.self, app: \.app) { daemon, request, call, live in
            guard request.call.more else { return daemon.answer(request.id, VarlinkMessage.expectedMore()) }
            if daemon.isOneTooMany(call.scene, of: request.served.account, live) {
                return daemon.fail(request.id, daemon.quotas.exceeded(.scenes, request.peer.uid))
            }
            let peer = request.peer
            let process = ProcessIdentity(pid: peer.pid, startTime: peer.startTime)
            daemon.happened(live) { session, world in
                session.sceneConnected(
                    request.caller(call.scene), title: call.title, after: call.after, process: process,
                    isRunning: { daemon.isRunning($0) }, world: world)
            }
        },
        serveSession(UpdateScene.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) { session, _ in
                let actions = session.sceneUpdated(
                    request.caller(nil), scene: call.scene, activation: call.activation, title: call.title)
                // Before it is acknowledged, so that a crash does not take it back.
                if let scene = session.scenes[call.scene] { daemon.described(scene) }
                return actions
            }
        },
        serveSession(Login.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) {
                $0.loginRequested(request.caller(call.scene), options: call.options ?? LoginOptions(), world: $1)
            }
        },
        serveSession(HandleLogout.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) {
                $0.logoutHandled(request.caller(call.scene), options: call.options ?? LoginOptions(), world: $1)
            }
        },
        serveSession(CancelLogin.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) { $0.loginCancelled(request.caller(call.scene), world: $1) }
        },
        serveSession(SwitchAccount.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) {
                $0.switchRequested(request.caller(call.scene), account: call.account, world: $1)
            }
        },
        serveSession(Logout.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) {
                $0.logoutRequested(
                    request.caller(call.scene), account: call.account, reason: call.reason, world: $1)
            }
        },
        serveSession(LogoutAll.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) {
                $0.logoutAllRequested(request.caller(call.scene), reason: call.reason, world: $1)
            }
        },
        serveSession(Lock.self, app: \.app) { daemon, request, _, live in
            daemon.happened(live) { $0.lockRequested(request.caller(nil), true, world: $1) }
        },
        serveSession(Unlock.self, app: \.app) { daemon, request, _, live in
            daemon.happened(live) { $0.lockRequested(request.caller(nil), false, world: $1) }
        },
        serveSession(ListAccounts.self, app: \.app) { daemon, request, _, live in
            let session = live.session
            daemon.answer(
                request.id,
                ListAccounts.Reply(
                    accounts: session.accounts.map(\.account), current: session.current?.account, at: session.cursor))
        },
        serveSession(GetIdentity.self, app: \.app) { daemon, request, call, live in
            daemon.answerIdentity(request, call.account, live)
        },
        serve(HandleResponse.self) { daemon, request, call in
            daemon.handle(call, request)
        },
    ]

    private func answerToken(_ request: Request, _ call: GetAccessToken.Parameters, _ live: LiveSession) {
        var answer = live.knownAnswer(call, EventLoop.now)
        if answer == nil {
            happened(live) { session, world in
                let actions = session.tokenRequested(
                    request.caller(nil), account: call.account, minimumValidity: call.minimumValiditySeconds,
                    rejected: call.rejected, scope: call.scope, world: world)
                // What is only given because nothing better can be had is asked for anew each time.
                guard call.rejected == nil, case .reply(_, .token(let token))? = actions.first,
                    token.account.state == .active
                else { return actions }
                let message = token.message
                let end = session.tokenAnswerEnds(token.account.id, world.now)
                live.remember(message, call, end: end, wall: world.now.wall)
                answer = message
                return []
            }
        }
        if let answer { self.answer(request.id, answer) }
    }

    static let loginHostMethods: [(String, Method)] = [
        serveSession(GetLoginScreen.self, app: \.app) { daemon, request, call, live in
            guard let app = daemon.configuration.apps[call.app] else {
                return daemon.fail(request.id, .unknownApp(call.app))
            }
            daemon.answer(request.id, GetLoginScreen.Reply(screen: daemon.screen(app, live)))
        },
        serveSession(AddLoginHost.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) {
                $0.loginHostAdded(request.caller(call.scene), url: call.url, label: call.label, world: $1)
            }
        },
        serveSession(RemoveLoginHost.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) { $0.loginHostRemoved(request.caller(call.scene), url: call.url, world: $1) }
        },
        serveSession(SelectLoginHost.self, app: \.app) { daemon, request, call, live in
            daemon.happened(live) { $0.loginHostSelected(request.caller(call.scene), url: call.url, world: $1) }
        },
    ]

    /// Whether a scene is new, and its user may have no more.
    private func isOneTooMany(_ scene: String?, of account: UserAccount, _ live: LiveSession) -> Bool {
        account.scenes >= quotas[.scenes] && scene.map { live.session.scenes[$0] == nil } ?? true
    }

    /// Whether a process lives that is the peer of some connection here.
    private func isRunning(_ process: ProcessIdentity) -> Bool {
        connections.contains { served in
            served.peer.pid == process.pid && served.stream.scene != nil && served.peer.startTime == process.startTime
                && served.peer.isRunning
        }
    }

    private func answerIdentity(_ request: Request, _ account: String?, _ live: LiveSession) {
        let session = live.session
        if session.record.locked { return fail(request.id, .sessionLocked) }
        guard let id = account ?? session.record.current else { return fail(request.id, .notSignedIn) }
        guard let holder = session.accounts.first(where: { $0.account.id == id }) else {
            return fail(request.id, .unknownAccount(id))
        }
        answer(
            request.id,
            GetIdentity.Reply(idToken: holder.grant.idToken, claims: JSONText(text: holder.claims ?? "{}")))
    }
}
