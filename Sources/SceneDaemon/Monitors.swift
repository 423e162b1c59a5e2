import LinuxIO
import SceneModel
import SceneProtocol
import SessionCore
import Varlink

// Monitor's streams: every session of the uid, or of all, and of the app, or of all.

/// A stream of org.scened.Manager, and where it is in each session's history.
final class MonitorStream {
    let uid: UInt32?
    let app: String?
    /// The sequence of the event that was written last, by session.
    var positions: [SessionKey: Int] = [:]

    init(callerUID: UInt32, app: String?) {
        uid = callerUID == 0 ? nil : callerUID
        self.app = app
    }

    func shows(_ key: SessionKey) -> Bool {
        (uid == nil || uid == key.uid) && (app == nil || app == key.app)
    }
}

extension Daemon {
    /// What a monitor may leave unread before it waits for its reader.
    private static let unreadLimit = 64 << 10

    func monitor(_ request: Request, app: String?) {
        if let app, configuration.apps[app] == nil { return fail(request.id, .unknownApp(app)) }
        let stream = MonitorStream(callerUID: request.peer.uid, app: app)
        for live in sessions.values { stream.positions[live.key] = live.session.record.sequence }
        request.served.wire.markEndless()
        // As long as there was no monitor, what was published was not marked.
        if monitors.isEmpty { for live in sessions.values { markShown(live) } }
        add(request.served, stream, request.id)
        keepMonitor(request.served)
    }

    func add(_ served: ServedConnection, _ stream: MonitorStream, _ id: CallID) {
        served.monitor = stream
        monitors[id] = served
    }

    /// The session's history has grown. What is being written is marked before it counts as shown, so that a monitor
    /// that is kept has been shown all of that, or none and is closed.
    func showMonitors(_ live: LiveSession) {
        guard !monitors.isEmpty else { return }
        for served in monitors.values where served.monitor?.shows(live.key) == true { sending(served, 0) }
        markShown(live)
        for served in monitors.values {
            follow(served, live)
            settled(served)
        }
    }

    private func markShown(_ live: LiveSession) {
        guard let marks else { return }
        let record = live.session.record
        if !marks.show(live.key, record.epoch, record.sequence) { for served in monitors.values { ended(served) } }
    }

    /// Writes what the monitor's reader has room for.
    func followAll(_ served: ServedConnection) {
        sending(served, 0)
        for live in sessions.values { follow(served, live) }
        settled(served)
    }

    private func follow(_ served: ServedConnection, _ live: LiveSession) {
        guard let monitor = served.monitor, monitor.shows(live.key) else { return }
        // A monitor begins with what happens; a session that is new to it, with its first event.
        var position = monitor.positions[live.key] ?? 0
        while position < live.session.record.sequence, hasRoom(served) {
            var event = live.session.history[position + 1]
            if event == nil {
                (event, position) = live.session.opening(scene: nil, after: Cursor())
            } else {
                position += 1
            }
            guard let event else { return }
            let reply = Monitor.Reply(app: live.key.app, uid: Int(live.key.uid), event: event)
            served.connection.send(VarlinkMessage.reply(reply, continues: true))
        }
        monitor.positions[live.key] = position
    }

    private func hasRoom(_ served: ServedConnection) -> Bool {
        served.connection.isOpen && served.connection.unsentBytes < Self.unreadLimit
    }
}
