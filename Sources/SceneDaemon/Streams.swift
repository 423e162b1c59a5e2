import SceneModel
import SceneProtocol
import SessionCore
import Varlink

// Streams of events. A stream is a place in a history: whoever reads slowly costs a number, and what fell out of the
// history meanwhile is made up for by a snapshot.

extension Daemon {
    /// What a stream may leave unread before it waits for its reader.
    private static let unreadLimit = 64 << 10

    func openStream(_ id: CallID, opening: Event, position: Int, _ live: LiveSession) {
        guard let served = calls[id], let scene = opening.scene else { return }
        let stream = EventStream(call: id, kind: .scene(scene))
        stream.positions[live.key] = position
        served.stream = stream
        served.call?.session = live
        served.wire.markEndless()
        live.streams[id] = served
        served.connection.send(VarlinkMessage.reply(ConnectScene.Reply(event: opening), continues: true))
        if let scene = live.session.scenes[scene] { keep(served, scene, live) }
        follow(served)
        statusChanged()
    }

    /// The session's history has grown.
    func published(_ live: LiveSession) {
        for served in live.streams.values { follow(served, live) }
        for served in monitors.values { follow(served, live) }
        statusChanged()
    }

    /// Writes what the stream's reader has room for.
    func follow(_ served: ServedConnection) {
        guard let stream = served.stream else { return }
        switch stream.kind {
        case .scene:
            if let live = served.call?.session { follow(served, live) }
        case .monitor:
            for live in sessions.values { follow(served, live) }
        }
    }

    private func follow(_ served: ServedConnection, _ live: LiveSession) {
        guard let stream = served.stream, shows(stream, live.key) else { return }
        let newest = live.session.record.sequence
        // A monitor begins with what happens; a session that is new to it, with its first event.
        var position = stream.positions[live.key] ?? 0
        while position < newest, served.connection.isOpen, served.connection.unsentBytes < Self.unreadLimit {
            if let event = live.session.history[position + 1] {
                sending(served, position + 1)
                served.connection.send(frame(of: event, for: stream, live))
                position += 1
            } else {
                let (opening, place) = live.session.opening(scene: stream.scene, after: Cursor())
                if let slot = served.slot { marks?.began(slot, opening.at.epoch, place, isQuiet: false) }
                served.connection.send(frame(of: opening, for: stream, live))
                position = place
            }
            settled(served)
        }
        stream.positions[live.key] = position
    }

    private func shows(_ stream: EventStream, _ key: SessionKey) -> Bool {
        guard case .monitor(let uid, let app) = stream.kind else { return true }
        return (uid == nil || uid == key.uid) && (app == nil || app == key.app)
    }

    private func frame(of event: Event, for stream: EventStream, _ live: LiveSession) -> [UInt8] {
        switch stream.kind {
        case .monitor:
            VarlinkMessage.reply(
                Monitor.Reply(app: live.key.app, uid: Int(live.key.uid), event: event), continues: true)
        case .scene where event.kind == .snapshot:
            VarlinkMessage.reply(ConnectScene.Reply(event: event), continues: true)
        case .scene:
            live.frame(of: event)
        }
    }

    /// Another connection has taken the scene over: this one ends.
    func closeStream(_ id: CallID) {
        guard let served = calls[id] else { return }
        served.connection.close()
    }
}

extension EventStream {
    fileprivate var scene: String? {
        if case .scene(let id) = kind { id } else { nil }
    }
}
