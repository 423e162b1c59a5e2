import LinuxIO
import SceneModel
import SceneProtocol
import SessionCore
import Varlink

// Connections: calls are taken one at a time, and answered in order.

extension Daemon {
    /// Serves a new connection, or tells it why not.
    func accepted(_ connection: Connection) {
        quotas.tally.counters(of: connection.peer.uid)[.connections] += 1
        if let refusal = quotas.refusal(of: connection.peer.uid) {
            connection.send(refusal.message)
            return connection.close()
        }
        connected(connection)
    }

    @discardableResult
    func connected(_ connection: Connection) -> ServedConnection {
        let served = ServedConnection(connection, account: quotas.account(of: connection.peer.uid))
        quotas.opened(served.account)
        connections.add(served)
        // The connection lets its callbacks, and with them `served`, go when it has closed.
        connection.onReceive = { bytes in
            served.wire.received(bytes)
            self.serve(served)
        }
        connection.onDrained = {
            // A monitor that waited for its reader still lacks what came meanwhile.
            if served.monitor == nil { self.settled(served) }
            self.follow(served)
            self.serve(served)
        }
        connection.onInputEnded = { self.serve(served) }
        connection.onClosed = { self.disconnected(served) }
        return served
    }

    private func disconnected(_ served: ServedConnection) {
        ended(served)
        connections.remove(served)
        _ = served.account.bytes.change(from: served.charged, to: 0)
        served.charged = 0
        defer { quotas.closed(served.account) }
        guard let call = served.call else { return }
        served.call = nil
        monitors[call.id] = nil
        if served.stream.scene == nil { served.account.callEnded() } else { served.account.scenes -= 1 }
        guard let live = call.session else { return }
        if let scene = served.stream.scene {
            forgetStream(served, live)
            happened(live) { session, _ in session.sceneDisconnected(call.id, of: scene) }
        }
        happened(live) { session, _ in session.callAbandoned(call.id) }
    }

    /// Takes the calls that are here, as far as those before are answered and their answers read.
    func serve(_ served: ServedConnection) {
        guard !served.isServing else { return }
        if served.isWaiting { return regulate(served) }
        served.isServing = true
        defer { served.isServing = false }
        while served.connection.isOpen, served.connection.unsentBytes < ServedConnection.unreadLimit {
            guard served.account.hasTime(inTurn: loop.turns) else { return wait(served) }
            let (next, input) = Self.advance(&served.wire, isAnswered: served.call == nil)
            switch next {
            case .call(let call):
                take(call, from: served)
            case .nothing:
                // Some clients end their own side, and wait for us to end ours.
                if served.call == nil, served.connection.inputEnded { return served.connection.closeWhenSent() }
                return regulate(served, input)
            case .close:
                return served.connection.closeWhenSent()
            }
        }
        regulate(served)
    }

    /// What a wire wants of its socket and holds for its user.
    private struct Input {
        var isWanted: Bool
        var heldBytes: Int
    }

    // One access for all: each is checked at run time, and what is looked at through the property is copied.
    private static func advance(
        _ wire: inout ServerConnection, isAnswered: Bool
    ) -> (next: ServerConnection.Next, input: Input) {
        if isAnswered { wire.callEnded() }
        return (wire.next(), Input(isWanted: wire.wantsInput, heldBytes: wire.heldBytes))
    }

    private static func input(_ wire: inout ServerConnection, isAnswered: Bool, isWaiting: Bool) -> Input {
        if isAnswered { wire.callEnded() }
        let isWanted = isWaiting ? wire.bufferedBytes < ServerConnection.pipelineLimit : wire.wantsInput
        return Input(isWanted: isWanted, heldBytes: wire.heldBytes)
    }

    func regulate(_ served: ServedConnection) {
        regulate(
            served, Self.input(&served.wire, isAnswered: served.call == nil, isWaiting: served.isWaiting))
    }

    /// Reads no more than can be served, and holds no more than its user may.
    private func regulate(_ served: ServedConnection, _ input: Input) {
        if input.heldBytes != served.charged {
            guard served.connection.isOpen else { return }
            guard served.account.bytes.change(from: served.charged, to: input.heldBytes) else { return refuse(served) }
            served.charged = input.heldBytes
        }
        let isWilling = input.isWanted && served.connection.unsentBytes < ServedConnection.unreadLimit
        if isWilling != served.isReading {
            served.isReading = isWilling
            if isWilling { served.connection.resumeReading() } else { served.connection.pauseReading() }
        }
    }

    /// What it has sent is too much for its user.
    private func refuse(_ served: ServedConnection) {
        served.connection.send(Failure.quotaExceeded(resource: Quota.bytes.rawValue, limit: quotas[.bytes]).message)
        served.connection.close()
        // At once: there may be many in a turn.
        served.wire = ServerConnection()
    }

    private func take(_ call: VarlinkCall, from served: ServedConnection) {
        served.account.counters[.calls] += 1
        var open = OpenCall(id: connections.nextCall(of: served), more: call.more, oneway: call.oneway)
        let called = called(call)
        open.isManager = called.isManager
        served.call = open
        guard served.account.callBegan() else {
            return fail(open.id, quotas.exceeded(.calls, served.account.uid))
        }
        guard let method = called.method else {
            return answer(open.id, unknown(call))
        }
        do throws(WireError) {
            try method(self, Request(call: call, id: open.id, served: served))
        } catch {
            answer(open.id, VarlinkMessage.invalidParameter(error.parameter))
        }
    }

    private func unknown(_ call: VarlinkCall) -> [UInt8] {
        switch call.interface {
        case SessionInterface.name, ManagerInterface.name, VarlinkService.name:
            VarlinkMessage.methodNotFound(call.method)
        default:
            VarlinkMessage.interfaceNotFound(call.interface)
        }
    }

    /// The call's last message. The next one behind it is taken.
    func answer(_ id: CallID, _ message: [UInt8]) { answer(id, message.count) { $0.send(message) } }

    func answer(_ id: CallID, _ message: Secret) { answer(id, message.count) { $0.send(message) } }

    private func answer(_ id: CallID, _ count: Int, sending: (Connection) -> Void) {
        guard let served = connections[id], let oneway = served.call?.oneway else { return }
        served.call = nil
        served.account.callEnded(bytes: count)
        if !oneway { sending(served.connection) }
        serve(served)
    }

    func answer<Reply: WireRecord>(_ id: CallID, _ reply: Reply) {
        answer(id, VarlinkMessage.reply(reply))
    }

    func fail(_ id: CallID, _ failure: Failure) {
        if userLogouts[id] != nil { return signedOut(id, 0, failure: failure) }
        guard let served = connections[id], let call = served.call else { return }
        if failure.isRefusal { served.account.counters[.refusals] += 1 }
        answer(id, call.isManager ? failure.managerMessage : failure.message)
    }

    /// A message with more to come, for a call that asked for more.
    func tell(_ id: CallID, _ progress: LoginProgress) {
        guard let served = connections[id], let call = served.call, call.more else { return }
        served.connection.send(message(progress, continues: true))
    }
}

extension Failure {
    fileprivate var isRefusal: Bool {
        switch self {
        case .accessDenied, .quotaExceeded: true
        default: false
        }
    }
}
