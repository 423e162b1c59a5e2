import LinuxIO
import SceneModel
import SceneProtocol
import Varlink

/// A window of an app: a connection to scened that follows the app's session and comes back by itself.
///
/// All scenes of one app and one Unix user share one session: a sign-in, a switch or a sign-out made in one applies to
/// all. A scene lives until `close` or until nobody refers to it any more.
public final class Scene: Sendable {
    let core: SceneCore

    /// The app, as scened's configuration names it.
    public var app: String { core.app }
    /// Persistent: a program that keeps it can be the same scene again after a restart of its own.
    public let id: String

    private init(_ core: SceneCore, id: String) {
        self.core = core
        self.id = id
    }

    deinit { core.close() }

    /// Becomes a scene of the app, and waits until scened has said how its session stands.
    ///
    /// - Parameters:
    ///   - app: by default the one that `SceneSession.configure(app:)` or `$SCENED_APP` names.
    ///   - id: an identifier of before, or none for a new one.
    ///   - title: what people call the window.
    /// - Throws: `notRunning` where no scened answers within 30 seconds; `Failure.unknownApp`, `.sceneInUse`,
    ///   `.accessDenied`.
    public static func connect(
        app: String? = nil, id: String? = nil, title: String? = nil
    ) async throws(SceneError) -> Scene {
        let core = try SceneCore(app: SceneSession.app(app), id: id, title: title)
        do throws(SceneError) {
            return Scene(core, id: try await core.connect())
        } catch {
            core.close()
            throw error
        }
    }

    /// How the session stands, as far as scened has told.
    public var snapshot: Snapshot { core.state.withLock(\.snapshot) }

    public var isClosed: Bool { core.state.withLock(\.isClosed) }

    /// The session's history from here on. Each loop over it begins with a `snapshot` of the present and then gets every
    /// event once, in order; where some were lost there is another `snapshot`, with `gap`. It ends when the scene closes.
    public var events: SceneEvents { SceneEvents(scene: self) }

    /// Gives the scene up: loops over its events end, no registered block runs any more, and a login screen that it
    /// shows goes to another scene.
    public func close() { core.close() }

    /// Tells scened whether the user looks at this scene, or what it is called now.
    public func update(activation: Activation? = nil, title: String? = nil) async throws(SceneError) {
        await core.updated(activation: activation, title: title)
        _ = try await core.call(
            UpdateScene.self, UpdateScene.Parameters(app: app, scene: id, activation: activation, title: title))
    }
}

/// What a scene is made of; the scene itself is only held by the program.
final class SceneCore: Sendable {
    struct State {
        var snapshot = Snapshot()
        var cursor = Cursor()
        var isClosed = false
        var buffers: [ObjectIdentifier: EventBuffer] = [:]
        var registrations: [Int: @MainActor @Sendable (Event) -> Void] = [:]
        var nextRegistration = 0
    }

    let app: String
    let transport: Transport
    let feed: SceneFeed
    let state = Locked(State())

    init(app: String, id: String?, title: String?) throws(SceneError) {
        self.app = app
        transport = try Transport.shared()
        feed = SceneFeed(app: app, id: id, title: title)
    }

    func connect() async throws(SceneError) -> String {
        try await start(transport)
    }

    /// Tries for as long as a call would; a refusal is final.
    private func start(_ transport: isolated Transport) async throws(SceneError) -> String {
        feed.onEvent = { [weak self] event in self?.happened(event) }
        feed.run(on: transport)
        let limit = EventLoop.now.boot.advanced(bySeconds: Transport.patience)
        let timer = transport.loop.schedule(at: limit) { [feed] in
            if !feed.isConnected { feed.close() }
        }
        do throws(SceneError) {
            try await feed.connected()
        } catch .sceneClosed {
            throw .notRunning(socket: Transport.socketPath)
        }
        timer.cancel()
        guard let id = feed.id else { throw .unexpected("a scene without an identifier") }
        return id
    }

    private func happened(_ event: Event) {
        let (buffers, blocks) = state.withLock { state in
            guard !state.isClosed else { return ([EventBuffer](), [Int]()) }
            state.snapshot.apply(event)
            state.cursor = event.at
            for buffer in state.buffers.values { buffer.add(event, orInstead: state.snapshot) }
            return (Array(state.buffers.values), state.registrations.keys.sorted())
        }
        for buffer in buffers { buffer.wake() }
        for number in blocks {
            BlockQueue.add { [weak self] in
                // Looked up now: a scene that has closed since, or a registration that was cancelled, runs nothing.
                self?.state.withLock { $0.isClosed ? nil : $0.registrations[number] }?(event)
            }
        }
    }

    func close() {
        let buffers = state.withLock { state in
            defer {
                state.isClosed = true
                state.buffers = [:]
                state.registrations = [:]
            }
            return Array(state.buffers.values)
        }
        for buffer in buffers { buffer.finish() }
        transport.loop.enqueue { [feed] in feed.close() }
    }

    func updated(activation: Activation?, title: String?) async {
        await onThread { feed in feed.updated(activation: activation, title: title) }
    }

    private func onThread(_ body: @Sendable (SceneFeed) -> Void) async {
        await run(body, on: transport)
    }

    private func run(_ body: @Sendable (SceneFeed) -> Void, on transport: isolated Transport) {
        body(feed)
    }

    /// A call that names the scene: made when the scene is connected, and again where that is safe.
    func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, more: Bool = false, isRepeatable: Bool = true,
        progress: @escaping @Sendable (Method.Reply) -> Void = { _ in }
    ) async throws(SceneError) -> Method.Reply where Method.Parameters: Sendable, Method.Reply: Sendable {
        try await call(method, parameters, more, isRepeatable, progress, on: transport)
    }

    private func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, _ more: Bool, _ isRepeatable: Bool,
        _ progress: @Sendable (Method.Reply) -> Void, on transport: isolated Transport
    ) async throws(SceneError) -> Method.Reply where Method.Parameters: Sendable, Method.Reply: Sendable {
        while true {
            do throws(SceneError) {
                return try await transport.call(
                    method, parameters, more: more, isRepeatable: isRepeatable,
                    ready: { () async throws(SceneError) in try await feed.connected() }, progress: progress)
            } catch .failure(.unknownScene(let scene)) where scene == feed.id && !feed.isConnected {
                // scened has restarted in between, and has not heard of the scene yet.
                continue
            }
        }
    }

    /// The events up to a completion's place in history come before the completion.
    func reached(_ cursor: Cursor?) async {
        await reached(cursor, on: transport)
    }

    private func reached(_ cursor: Cursor?, on transport: isolated Transport) async {
        await feed.reached(cursor)
    }
}
