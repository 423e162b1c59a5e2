import Glibc
import LinuxIO
import SceneModel
import SceneProtocol
import SceneSystem
import SessionCore
import Varlink

// org.scened.Manager: the service as a whole. Callers see their own uid's sessions; root sees all.

extension Daemon {
    static let managerMethods: [(String, Method)] = [
        serve(GetStatus.self) { daemon, request, _ in daemon.answer(request.id, daemon.serviceStatus(for: request)) },
        serve(ListApps.self) { daemon, request, _ in
            daemon.answer(request.id, ListApps.Reply(apps: daemon.configuration.listing))
        },
        serve(ListScenes.self) { daemon, request, call in
            let scenes = daemon.visible(to: request, app: call.app).flatMap { daemon.scenes(of: $0) }
            daemon.answer(request.id, ListScenes.Reply(scenes: scenes))
        },
        serve(ListRevocations.self) { daemon, request, _ in
            let now = EventLoop.now.wall
            let queue = daemon.visible(to: request, app: nil).flatMap { live in
                live.session.revocations.map { RevocationInfo($0, app: live.key.app, now: now) }
            }
            daemon.answer(request.id, ListRevocations.Reply(revocations: queue))
        },
        serve(Monitor.self) { daemon, request, call in
            guard request.call.more else { return daemon.answer(request.id, VarlinkMessage.expectedMore()) }
            daemon.monitor(request, app: call.app)
        },
        serve(LogoutUser.self) { daemon, request, call in daemon.logOutUser(request, call) },
        serve(Reload.self) { daemon, request, _ in
            guard request.peer.uid == 0 || request.peer.uid == getuid() else {
                return daemon.fail(request.id, .accessDenied(reason: "only root may reload the system's scened"))
            }
            daemon.reload()
            daemon.answer(request.id, Reload.Reply(apps: daemon.configuration.listing))
        },
        serve(GetMetrics.self) { daemon, request, _ in
            let metrics = daemon.metrics(of: request.visibleUser, daemon.visible(to: request, app: nil))
            daemon.answer(request.id, GetMetrics.Reply(metrics: metrics))
        },
    ]

    private func visible(to request: Request, app: String?) -> [LiveSession] {
        let uid = request.visibleUser
        return sessions.values
            .filter { (uid == nil || $0.key.uid == uid) && (app == nil || $0.key.app == app) }
            .sorted { ($0.key.app, $0.key.uid) < ($1.key.app, $1.key.uid) }
    }

    private func serviceStatus(for request: Request) -> ServiceStatus {
        let seen = visible(to: request, app: nil)
        var status = ServiceStatus()
        status.version = DaemonOptions.version
        status.uptimeSeconds = EventLoop.now.boot.seconds(since: started.boot)
        status.restoredScenes = quotas.tally.sum(of: request.visibleUser).restoredScenes
        status.scenes = seen.reduce(0) { $0 + $1.session.scenes.count }
        status.accounts = seen.reduce(0) { $0 + $1.session.accounts.count }
        status.sessions = seen.count
        status.logins = seen.count { $0.login != nil }
        status.storage = options.stateDirectory
        status.keySource = store?.keySource ?? ""
        status.problems =
            (store?.problems(of: request.visibleUser) ?? [])
            + [storeFailure, commitTrouble, screens?.problem].compactMap { $0 }
            + configuration.problems.map(\.description)
            + quotas.problems(of: request.visibleUser)
        return status
    }

    private func scenes(of live: LiveSession) -> [SceneInfo] {
        let now = EventLoop.now.boot
        return live.session.scenes.values.sorted { $0.connected < $1.connected }.map { scene in
            var info = SceneInfo()
            info.app = live.key.app
            info.id = scene.id
            info.title = scene.title
            info.uid = Int(live.key.uid)
            info.pid = Int(scene.process.pid)
            info.activation = scene.activation
            info.connectedSeconds = now.seconds(since: scene.connected)
            let position = connections[scene.call]?.stream.position
            info.backlog = position.map { live.session.record.sequence - $0 } ?? 0
            return info
        }
    }
}

// MARK: LogoutUser

/// A LogoutUser call: one logout for each of the user's sessions.
final class UserLogout {
    let call: CallID
    var waiting = 0
    var accounts = 0
    var failure: Failure?

    init(call: CallID) {
        self.call = call
    }
}

extension Daemon {
    private func logOutUser(_ request: Request, _ call: LogoutUser.Parameters) {
        guard request.peer.uid == 0 || Int(request.peer.uid) == call.uid else {
            return fail(request.id, .accessDenied(reason: "only root may sign another user out"))
        }
        // Nothing is known of anybody then: to say that nobody was signed in would be wrong.
        if let storeFailure { return fail(request.id, .storageUnavailable(reason: storeFailure)) }
        if let app = call.app, configuration.apps[app] == nil, visible(to: request, app: app).isEmpty {
            return fail(request.id, .unknownApp(app))
        }
        let logout = UserLogout(call: request.id)
        let found = sessions.values.filter {
            Int($0.key.uid) == call.uid && (call.app == nil || $0.key.app == call.app)
        }
        logout.waiting = found.count
        for live in found {
            let part = connections.nextCall(of: nil)
            userLogouts[part] = logout
            let caller = Caller(call: part, pid: request.peer.pid)
            happened(live) { $0.logoutAllRequested(caller, reason: call.reason, byUser: true, world: $1) }
        }
        if found.isEmpty { answer(request.id, LogoutUser.Reply(accounts: 0)) }
    }

    /// One of the user's sessions is done.
    func signedOut(_ part: CallID, _ accounts: Int, failure: Failure? = nil) {
        guard let logout = userLogouts.removeValue(forKey: part) else { return }
        logout.accounts += accounts
        logout.failure = logout.failure ?? failure
        logout.waiting -= 1
        guard logout.waiting == 0 else { return }
        if let failure = logout.failure {
            fail(logout.call, failure)
        } else {
            answer(logout.call, LogoutUser.Reply(accounts: logout.accounts))
        }
    }
}

extension Request {
    /// Whose sessions are shown to the caller; nil: everybody's.
    fileprivate var visibleUser: UInt32? { peer.uid == 0 ? nil : peer.uid }
}

extension RevocationInfo {
    fileprivate init(_ record: RevocationRecord, app: String, now: Int) {
        self.init()
        self.app = app
        loginHost = record.account.loginHost
        reason = record.reason
        attempts = record.attempts
        nextAttemptSeconds = max(0, record.nextAttempt - now)
    }
}
