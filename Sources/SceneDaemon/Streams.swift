import LinuxIO
import SceneModel
import SceneProtocol
import SessionCore
import Varlink

// Streams of events. A stream is a place in a history: whoever reads slowly costs a number, and what fell out of the
// history meanwhile is made up for by a snapshot.

extension Daemon {
    /// How many scenes an event goes to before others are served.
    private static let deliveryBatch = 256

    func openStream(_ id: CallID, opening: Event, position: Int, _ live: LiveSession) {
        guard let served = connections[id], let scene = opening.scene else { return }
        served.stream = SceneStream(scene: scene, position: position)
        served.account.callEnded()
        served.account.scenes += 1
        served.call?.session = live
        served.wire.markEndless()
        live.add(served)
        served.connection.send(VarlinkMessage.reply(ConnectScene.Reply(event: opening), continues: true))
        if let scene = live.session.scenes[scene] { keep(served, scene, live) }
        follow(served, live)
        statusChanged()
    }

    /// The scene's connection has ended.
    func forgetStream(_ served: ServedConnection, _ live: LiveSession) {
        if let moved = live.remove(served) { follow(moved, live) }
    }

    /// The session's history has grown.
    func published(_ live: LiveSession) {
        // A delivery that is under way finds what is new by itself.
        if live.delivery == nil { deliver(live) }
        showMonitors(live)
        statusChanged()
    }

    /// Writes what is new to the streams in turn. Where there are many, others are served between the batches.
    private func deliver(_ live: LiveSession) {
        let newest = live.session.record.sequence
        guard let frame = live.frame() else { return live.delivery = nil }
        var delivery = live.delivery ?? Delivery(newest: newest)
        let end = min(delivery.next + Self.deliveryBatch, live.streams.count)
        while delivery.next < end {
            follow(live.streams[delivery.next], live, newest, frame)
            delivery.next += 1
        }
        if end < live.streams.count {
            live.delivery = delivery
        } else {
            // Who had their turn before an event that came meanwhile gets it now.
            live.delivery = delivery.newest < newest ? Delivery(newest: newest) : nil
        }
        if live.delivery != nil { loop.atEndOfTurn { self.deliver(live) } }
    }

    /// The usual case: a stream lacks the newest event only, and its reader has read all others.
    private func follow(_ served: ServedConnection, _ live: LiveSession, _ newest: Int, _ frame: [UInt8]) {
        guard served.stream.position == newest - 1 else { return follow(served, live) }
        _ = send(frame, served, newest)
    }

    /// Writes what the streams' reader has room for.
    func follow(_ served: ServedConnection) {
        if served.stream.scene != nil, let live = served.call?.session { follow(served, live) }
        if served.monitor != nil { followAll(served) }
    }

    private func follow(_ served: ServedConnection, _ live: LiveSession) {
        let newest = live.session.record.sequence
        // Whoever does not read is not even looked at.
        while served.stream.position < newest, !served.connection.isFull {
            if let (frames, last) = live.frames(after: served.stream.position) {
                guard send(frames, served, last) else { break }
            } else {
                let (opening, place) = live.session.opening(scene: served.stream.scene, after: Cursor())
                let frame = VarlinkMessage.reply(ConnectScene.Reply(event: opening), continues: true)
                if let slot = served.markSlot { marks?.began(slot, opening.at.epoch, place, isQuiet: false) }
                guard send(frame, served, place) else { break }
            }
        }
        if !live.replays.isEmpty { forgetReplaysLater(live) }
    }

    /// What one scene has missed others have, too, but only for a while.
    private func forgetReplaysLater(_ live: LiveSession) {
        guard live.replayTimer == nil else { return }
        live.replayTimer = loop.schedule(at: EventLoop.now.boot.advanced(bySeconds: 1)) { live.forgetReplays() }
    }

    /// Writes what brings a scene to this place in its history. False: the scene has not read what it was sent
    /// before, and costs no more than its place until it has.
    private func send(_ frames: [UInt8], _ served: ServedConnection, _ position: Int) -> Bool {
        sending(served, position)
        guard served.connection.offer(frames) else {
            unsent(served)
            return false
        }
        served.stream.position = position
        settled(served)
        return true
    }

    /// Another connection has taken the scene over: this one ends.
    func closeStream(_ id: CallID) {
        guard let served = connections[id] else { return }
        served.connection.close()
    }
}
