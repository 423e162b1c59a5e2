import LinuxIO
import SceneModel
import SceneProtocol
import SceneSystem
import SessionCore

// Where the sessions of an app and of its identity provider meet: what one has to say goes to the other, of the same
// uid, when the decision that it came from is done.

extension Daemon {
    static let authorizationMethods: [(String, Method)] = [
        serveSession(ListAuthorizations.self, app: \.app) { daemon, request, _, live in
            daemon.answer(
                request.id,
                ListAuthorizations.Reply(requests: live.session.openAuthorizations(world: daemon.world)))
        },
        serveSession(AuthorizeApp.self, app: \.app) { daemon, request, call, live in
            daemon.authorize(request, call, live)
        },
    ]

    private func authorize(_ request: Request, _ call: AuthorizeApp.Parameters, _ live: LiveSession) {
        let caller = request.caller(call.scene)
        switch (call.decision, call.request, call.requestingApp, call.account) {
        case (.approve, let id?, nil, let account?):
            happened(live) { $0.authorizationApproved(caller, request: id, account: account, world: $1) }
        case (.approve, nil, let app?, let account?):
            happened(live) { $0.authorizationBegun(caller, requestingApp: app, account: account, world: $1) }
        case (.approve, _, _, nil):
            // Nobody's account is picked by default.
            fail(request.id, .invalidParameter("account"))
        case (.deny, let id?, nil, nil):
            happened(live) {
                $0.authorizationDenied(caller, request: id, code: call.code, description: call.description, world: $1)
            }
        case (.deny, _, _, _?):
            fail(request.id, .invalidParameter("account"))
        default:
            fail(request.id, .invalidParameter("request"))
        }
    }

    func tellProvider(_ app: String, _ message: ProviderMessage, from live: LiveSession) {
        let (uid, asker) = (live.key.uid, live.key.app)
        loop.atEndOfTurn {
            if let configured = self.configuration.apps[app] {
                // Also one that has none yet: it may be started.
                self.happened(self.session(SessionKey(uid: uid, app: app), configured)) {
                    $0.askerSaid(message, world: $1)
                }
            } else if case .asks(let question) = message {
                self.tellAsker(asker, question.request, .nobodyThere, uid: uid)
            }
        }
    }

    func tellAsker(_ app: String, _ request: String, _ answer: ProviderAnswer, uid: UInt32) {
        if app.isScheme { return loop.atEndOfTurn { self.tellForeignAsker(request, answer) } }
        loop.atEndOfTurn {
            guard let asker = self.sessions[SessionKey(uid: uid, app: app)] else { return }
            self.happened(asker) { $0.providerAnswered(request, answer, world: $1) }
        }
    }

    func offerLogin(_ app: String, _ request: String, _ choice: AuthorizedAccount, from live: LiveSession) {
        let key = SessionKey(uid: live.key.uid, app: app)
        loop.atEndOfTurn {
            if app.isScheme, let opening = self.invitation(of: app, choice, by: live) {
                return self.happened(live) { $0.askerSaid(.isReady(request: request, opening), world: $1) }
            }
            guard let configured = self.configuration.apps[app] else {
                return self.happened(live) {
                    $0.askerSaid(.isOver(request: request, .failed(.unknownApp(app))), world: $1)
                }
            }
            self.happened(self.session(key, configured)) {
                $0.loginOffered(request, by: live.key.app, choice, world: $1)
            }
        }
    }

    /// By the user's own service manager, so that it has none of this one's confinement: only that instance is the user's.
    func startApp(_ live: LiveSession) {
        guard let app = configuration.apps[live.key.app], let name = app.unit ?? app.desktopEntry else {
            return startFailed(live, "it has no unit")
        }
        guard let directories = options.dataDirectories else {
            return startFailed(live, "only a user's own instance starts \(name)")
        }
        if let unit = app.unit { return start(["systemctl", "--user", "--no-block", "start", "--", unit], live) }
        guard let path = DesktopEntries.path(of: name, in: directories) else {
            return startFailed(live, "there is no desktop entry \(name) in \(directories.joined(separator: ", "))")
        }
        start(DesktopEntries.launch(path), live)
    }

    private func start(_ words: [String], _ live: LiveSession) {
        let line = words.joined(separator: " ")
        guard let program = SpawnedProgram(words[0], Array(words.dropFirst())) else {
            return startFailed(live, "\(words[0]) cannot be run")
        }
        program.onEnd(on: loop) { hasFailed in
            if hasFailed { self.startFailed(live, "\(line) has failed") }
        }
    }

    private func startFailed(_ live: LiveSession, _ reason: String) {
        Journal.write(
            JournalEntry(
                priority: .warning, message: "The app \(live.key.app) could not be started: \(reason).",
                messageID: MessageID.appNotStarted,
                fields: [("SCENED_APP", live.key.app), ("SCENED_UID", "\(live.key.uid)")]))
        loop.atEndOfTurn { self.happened(live) { session, _ in session.startFailed() } }
    }
}
