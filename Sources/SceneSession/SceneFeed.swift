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
    /// Every event once, in order; and snapshots where events were lost.
    var onEvent: (Event) -> Void = { _ in }

    private var channel: Channel?
    private var connectWaiters: [CheckedContinuation<Void, Never>] = []
    private var cursorWaiters: [(cursor: Cursor, continuation: CheckedContinuation<Void, Never>)] = []
    private var refusal: Failure?

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
        channel.onAnswer = { answer in self.arrived(answer, from: channel, transport) }
        let parameters = ConnectScene.Parameters(app: app, scene: id, title: title, after: cursor)
        channel.connection.send(VarlinkMessage.call(ConnectScene.self, parameters, more: true))
    }

    private var backoff = Backoff()

    private func retry(_ transport: isolated Transport) {
        guard !isClosed, let pause = backoff.next(patience: nil) else { return }
        let deadline = EventLoop.now.boot.advanced(byNanoseconds: Int64(pause) * 1_000_000)
        transport.loop.schedule(at: deadline) { self.run(on: transport) }
    }

    private func arrived(
        _ answer: Result<VarlinkAnswer, SceneError>, from channel: Channel, _ transport: isolated Transport
    ) {
        guard channel === self.channel else { return }
        switch answer {
        case .success(.reply(let parameters, _)):
            // A kind of event that this library does not know yet still moves the cursor.
            guard let reply = try? ConnectScene.Reply(lenient: parameters) else {
                return skip(parameters)
            }
            take(reply.event, transport)
        case .success(.error(let name, let parameters)):
            refusal = Failure(errorName: name, parameters: parameters) ?? .accessDenied(reason: name)
            disconnected(transport)
        case .failure:
            disconnected(transport)
        }
    }

    private func skip(_ parameters: JSONElement?) {
        guard let at = parameters?["event"]?["at"], let epoch = at["epoch"]?.string, let sequence = at["sequence"]?.int
        else { return }
        cursor = Cursor(epoch: epoch, sequence: sequence)
        resumeCursorWaiters()
    }

    private func take(_ event: Event, _ transport: isolated Transport) {
        cursor = event.at
        if let scene = event.scene { id = scene }
        if event.kind != .resumed { onEvent(event) }
        resumeCursorWaiters()
        guard !isConnected else { return }
        isConnected = true
        backoff = Backoff()
        refusal = nil
        if let activation, let id { tell(activation, id, transport) }
        for waiter in connectWaiters { waiter.resume() }
        connectWaiters = []
    }

    private func tell(_ activation: Activation, _ id: String, _ transport: isolated Transport) {
        let parameters = UpdateScene.Parameters(app: app, scene: id, activation: activation)
        Task { _ = try? await transport.call(UpdateScene.self, parameters) }
    }

    private func disconnected(_ transport: isolated Transport) {
        channel?.onAnswer = { _ in }
        channel?.connection.close()
        channel = nil
        isConnected = false
        if refusal != nil {
            for waiter in connectWaiters { waiter.resume() }
            connectWaiters = []
        }
        retry(transport)
    }

    func updated(activation: Activation?, title: String?) {
        if let activation { self.activation = activation }
        if let title { self.title = title }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        isConnected = false
        onEvent = { _ in }
        channel?.onAnswer = { _ in }
        channel?.connection.close()
        channel = nil
        for waiter in connectWaiters { waiter.resume() }
        for waiter in cursorWaiters { waiter.continuation.resume() }
        connectWaiters = []
        cursorWaiters = []
    }

    // MARK: Waiting

    /// Returns when the scene is connected; throws where it is closed or scened refuses it.
    func connected() async throws(SceneError) {
        while !isConnected {
            if isClosed { throw .sceneClosed }
            await withCheckedContinuation { connectWaiters.append($0) }
            if let refusal, !isConnected { throw .failure(refusal) }
        }
    }

    /// Returns when all events up to the cursor have been delivered. An epoch of later satisfies it: what was before
    /// is in its snapshot.
    func reached(_ wanted: Cursor?) async {
        guard let wanted, !isClosed, !isPast(wanted) else { return }
        await withCheckedContinuation { cursorWaiters.append((wanted, $0)) }
    }

    private func isPast(_ wanted: Cursor) -> Bool {
        guard let cursor else { return false }
        return cursor.epoch != wanted.epoch || cursor.sequence >= wanted.sequence
    }

    private func resumeCursorWaiters() {
        let due = cursorWaiters.filter { isPast($0.cursor) }
        cursorWaiters.removeAll { isPast($0.cursor) }
        for waiter in due { waiter.continuation.resume() }
    }
}
