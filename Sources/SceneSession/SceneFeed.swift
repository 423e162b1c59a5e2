import LinuxIO
import SceneModel
import SceneProtocol
import Varlink

/// A scene's stream of events, kept alive over restarts of scened. Belongs to the library's thread.
final class SceneFeed: @unchecked Sendable {
    let app: String
    private(set) var id: String?
    private(set) var title: String?
    private(set) var activation: Activation?
    private(set) var cursor: Cursor?
    private(set) var isConnected = false
    private(set) var isClosed = false
    /// How often it has been connected.
    private(set) var generation = 0
    /// Every event once, in order; and snapshots where events were lost.
    var onEvent: (Event) -> Void = { _ in }
    /// This process has become the same scene once more.
    var onReplaced: () -> Void = {}

    private var channel: Channel?
    private var backoff = Backoff()
    private var since = EventLoop.now.boot
    /// Why scened would not have it, and how often.
    private var refusal: SceneError?
    private var refusals = 0
    private let changes = Waiters<Void>()

    init(app: String, id: String?, title: String?) {
        self.app = app
        self.id = id
        self.title = title
    }

    /// Follows the session until `close`, whatever happens to the connection.
    func run(on transport: isolated Transport) {
        guard !isClosed else { return }
        guard let channel = transport.connect() else { return retry(transport) }
        self.channel = channel
        since = EventLoop.now.boot
        channel.onAnswer = { answer in self.arrived(answer, from: channel, transport) }
        let parameters = ConnectScene.Parameters(app: app, scene: id, title: title, after: cursor)
        channel.connection.send(VarlinkMessage.call(ConnectScene.self, parameters, more: true))
    }

    private func retry(_ transport: isolated Transport) {
        guard !isClosed else { return }
        let deadline = EventLoop.now.boot.advanced(byMilliseconds: backoff.next())
        transport.loop.schedule(at: deadline) { self.run(on: transport) }
    }

    func updated(activation: Activation?, title: String?) {
        if let activation { self.activation = activation }
        if let title { self.title = title }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        isConnected = false
        (onEvent, onReplaced) = ({ _ in }, {})
        leave()
        changes.resume(returning: ())
    }

    private func leave() {
        channel?.onAnswer = { _ in }
        channel?.connection.close()
        channel = nil
    }
}

// MARK: What scened sends

extension SceneFeed {
    private func arrived(
        _ answer: Result<VarlinkAnswer, SceneError>, from channel: Channel, _ transport: isolated Transport
    ) {
        guard channel === self.channel else { return }
        switch answer {
        case .success(.reply(let parameters, let continues)):
            if let reply = try? ConnectScene.Reply(lenient: parameters) {
                take(reply.event, transport)
            } else if let at = Self.unknownEvent(parameters), isConnected {
                cursor = at
                changes.resume(returning: ())
            } else {
                return disconnected(.unexpected("an event of ConnectScene"), transport)
            }
            if !continues, channel === self.channel { disconnected(nil, transport) }
        case .success(.error(let name, let parameters)):
            let failure = Failure(errorName: name, parameters: parameters)
            disconnected(failure.map { .failure($0) } ?? .unexpected(name), transport)
        case .failure(.connectionLost):
            disconnected(nil, transport)
        case .failure(let error):
            disconnected(error, transport)
        }
    }

    /// The place of an event whose kind this library does not know yet: it still moves the cursor.
    private static func unknownEvent(_ parameters: JSONElement?) -> Cursor? {
        guard let event = parameters?["event"], let kind = event["kind"]?.string, Event.Kind(rawValue: kind) == nil,
            let epoch = event["at"]?["epoch"]?.string, let sequence = event["at"]?["sequence"]?.int
        else { return nil }
        return Cursor(epoch: epoch, sequence: sequence)
    }

    private func take(_ event: Event, _ transport: isolated Transport) {
        if !isConnected {
            guard event.kind == .snapshot || event.kind == .resumed, let scene = event.scene ?? id else {
                return disconnected(.unexpected("a scene that begins with \(event.kind)"), transport)
            }
            id = scene
            transport.claim(scene, for: self)
        }
        cursor = event.at
        if event.kind != .resumed { onEvent(event) }
        if !isConnected { connected(transport) }
        changes.resume(returning: ())
    }

    private func connected(_ transport: isolated Transport) {
        isConnected = true
        generation += 1
        refusal = nil
        guard let activation, let id else { return }
        let parameters = UpdateScene.Parameters(app: app, scene: id, activation: activation)
        Task { _ = try? await transport.call(UpdateScene.self, parameters) }
    }

    /// The connection is of no more use. `refusal`: scened does not want it, or does not make sense.
    private func disconnected(_ refusal: SceneError?, _ transport: isolated Transport) {
        leave()
        isConnected = false
        if EventLoop.now.boot.seconds(since: since) >= Backoff.goodSeconds { backoff.reset() }
        self.refusal = refusal
        if refusal != nil {
            refusals += 1
            changes.resume(returning: ())
        }
        retry(transport)
    }
}

// MARK: Waiting

extension SceneFeed {
    /// Returns when the scene is connected, or has been meanwhile; throws where it is closed, scened refuses it, or does not
    /// answer in time.
    func connected(until deadline: Instant, on transport: isolated Transport) async throws(SceneError) {
        let former = (generation: generation, refusals: refusals)
        while !isConnected, generation == former.generation {
            if isClosed { throw .sceneClosed }
            if let refusal, refusals != former.refusals { throw refusal }
            switch await changes.wait(on: transport.loop, until: deadline) {
            case .value: continue
            case .cancelled: throw .cancelled
            case .timedOut: throw .notRunning(socket: transport.socketPath)
            }
        }
    }

    /// Returns when all events up to the cursor have been delivered. An epoch of later satisfies it: what was before
    /// is in its snapshot. Where scened has gone with the events, what it has answered still holds: waits no longer than
    /// the deadline.
    func reached(_ wanted: Cursor?, until deadline: Instant, on transport: isolated Transport) async {
        guard let wanted else { return }
        let former = refusals
        while !isClosed, !isPast(wanted), refusals == former {
            guard case .value = await changes.wait(on: transport.loop, until: deadline) else { return }
        }
    }

    private func isPast(_ wanted: Cursor) -> Bool {
        guard let cursor else { return false }
        return cursor.epoch != wanted.epoch || cursor.sequence >= wanted.sequence
    }
}
