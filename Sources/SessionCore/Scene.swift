import SceneModel

/// The process behind a connection; its start time tells it from a later one with the same number.
package struct ProcessIdentity: Hashable, Sendable {
    package var pid: Int32
    package var startTime: UInt64

    package init(pid: Int32, startTime: UInt64) {
        self.pid = pid
        self.startTime = startTime
    }
}

/// A window: a process that holds a ConnectScene call open.
package struct Scene: Sendable {
    package let id: String
    /// Its ConnectScene call.
    package let call: CallID
    package let process: ProcessIdentity
    package var title: String?
    package var activation: Activation
    package let connected: Instant

    package init(
        id: String, call: CallID, process: ProcessIdentity, title: String? = nil,
        activation: Activation = .background, connected: Instant
    ) {
        self.id = id
        self.call = call
        self.process = process
        self.title = title
        self.activation = activation
        self.connected = connected
    }
}

extension Session {
    /// A process wants to be a scene. `isRunning` tells whether a process still lives.
    ///
    /// Errors: SceneInUse where another living process holds the identifier; InvalidParameter.
    package mutating func sceneConnected(
        _ caller: Caller, title: String?, after: Cursor?, process: ProcessIdentity,
        isRunning: (ProcessIdentity) -> Bool, world: World
    ) -> [Action] {
        if let scene = caller.scene, !isText(scene) { return [.fail(caller.call, .invalidParameter("scene"))] }
        if let title, title.utf8.count > Bounds.text { return [.fail(caller.call, .invalidParameter("title"))] }
        let id = caller.scene ?? world.newIdentifier()
        var actions: [Action] = []
        if let holder = scenes[id] {
            guard holder.process == process || !isRunning(holder.process) else {
                return [.fail(caller.call, .sceneInUse(id))]
            }
            actions.append(.closeStream(holder.call))
        }
        scenes[id] = Scene(
            id: id, call: caller.call, process: process, title: title,
            activation: scenes[id]?.activation ?? .background, connected: world.now.boot)
        let (opening, position) = opening(scene: id, after: after)
        actions.append(.openStream(caller.call, opening: opening, position: position))
        if !isStored, inFlight == nil, queue.isEmpty { actions += enqueue(.open, world) }
        return authorizations.isEmpty ? actions : actions + askNewScene(id, world)
    }

    /// The connection of the scene's ConnectScene call has ended: its lease is over, unless another call has it now.
    package mutating func sceneDisconnected(_ call: CallID, of id: String) -> [Action] {
        guard scenes[id]?.call == call else { return [] }
        scenes[id] = nil
        let asks = authorizations.values.contains { $0.state.scene == id }
        return (asks ? findSuccessorsLater() : []) + waitersLeft(waiters.of(scene: id))
    }

    /// Errors: UnknownScene, InvalidParameter.
    package mutating func sceneUpdated(_ caller: Caller, scene id: String, activation: Activation?, title: String?)
        -> [Action]
    {
        guard var scene = scenes[id] else { return [.fail(caller.call, .unknownScene(id))] }
        if let title {
            guard title.utf8.count <= Bounds.text else { return [.fail(caller.call, .invalidParameter("title"))] }
            scene.title = title
        }
        if let activation { scene.activation = activation }
        scenes[id] = scene
        return [.reply(caller.call, .done)]
    }

    /// What a stream begins with, and the sequence that it goes on after. With a gap it is a snapshot.
    package func opening(scene: String?, after: Cursor?) -> (event: Event, position: Int) {
        if let after, after.epoch == record.epoch, history.continues(after: after.sequence, newest: record.sequence) {
            var event = Event(.resumed, at: after)
            event.scene = scene
            return (event, after.sequence)
        }
        var event = Event(.snapshot, at: cursor)
        event.scene = scene
        event.gap = after != nil
        event.snapshot = snapshot
        return (event, record.sequence)
    }

    func isText(_ text: String) -> Bool {
        (1...Bounds.text).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    }
}
