import LinuxIO
import SceneModel
import SceneProtocol
import Varlink

/// What a scene is made of; the scene itself is only held by the program.
final class SceneCore: Sendable {
    struct State {
        var snapshot = Snapshot()
        var cursor = Cursor()
        var isClosed = false
        var buffers: [ObjectIdentifier: EventBuffer] = [:]
        var registrations: [Int: @MainActor @Sendable (Event) -> Void] = [:]
        var nextRegistration = 0
        var loginScreenConfiguration: LoginScreenConfiguration?
        var loginScreenCreationBlock: LoginScreenCreationBlock?
    }

    let app: String
    let transport: Transport
    let feed: SceneFeed
    let presentation = LoginPresentation()
    /// What is let go of is let go of outside of the lock: a block may hold the last reference to a scene.
    let state = Locked(State())

    init(app: String, id: String?, title: String?, on transport: Transport) {
        self.app = app
        self.transport = transport
        feed = SceneFeed(app: app, id: id, title: title)
    }

    // MARK: Being a scene

    /// Tries for as long as a call would; a refusal is final.
    func connect() async throws(SceneError) -> String {
        try await connect(on: transport)
    }

    private func connect(on transport: isolated Transport) async throws(SceneError) -> String {
        feed.onEvent = { [weak self] event in self?.happened(event) }
        feed.onReplaced = { [weak self] in self?.close() }
        feed.run(on: transport)
        try await feed.connected(until: transport.deadline, on: transport)
        guard let id = feed.id else { throw .unexpected("a scene without an identifier") }
        return id
    }

    func close() {
        let former = state.withLock { state in
            let former = state
            state.isClosed = true
            state.buffers = [:]
            state.registrations = [:]
            state.loginScreenCreationBlock = nil
            return former
        }
        for buffer in former.buffers.values { buffer.finish() }
        transport.loop.enqueue { [feed] in feed.close() }
    }

    func updated(activation: Activation?, title: String?) async {
        await updated(activation, title, on: transport)
    }

    private func updated(_ activation: Activation?, _ title: String?, on transport: isolated Transport) {
        feed.updated(activation: activation, title: title)
    }

    // MARK: Events

    private func happened(_ event: Event) {
        let (buffers, blocks, missed) = state.withLock { state in
            guard !state.isClosed else { return ([EventBuffer](), [Int](), [Event]()) }
            let former = state.snapshot
            state.snapshot.apply(event)
            state.cursor = event.at
            for buffer in state.buffers.values { buffer.add(event, orInstead: state.snapshot) }
            let missed = event.gap == true ? state.snapshot.changes(since: former, at: event.at) : []
            return (Array(state.buffers.values), state.registrations.keys.sorted(), missed)
        }
        for buffer in buffers { buffer.wake() }
        for event in missed + [event] {
            for number in blocks { run(number, for: event) }
        }
    }

    private func run(_ registration: Int, for event: Event) {
        BlockQueue.add { [weak self] in
            // Looked up now: a scene that has closed since, or a registration that was cancelled, runs nothing.
            self?.state.withLock { $0.registrations[registration] }?(event)
        }
    }

    func register(_ block: @escaping @MainActor @Sendable (Event) -> Void) -> Int? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.nextRegistration += 1
            state.registrations[state.nextRegistration] = block
            return state.nextRegistration
        }
    }

    func unregister(_ number: Int) {
        _ = state.withLock { $0.registrations.removeValue(forKey: number) }
    }

    /// The events up to a completion's place in history come before the completion.
    func reached(_ cursor: Cursor?) async {
        await reached(cursor, on: transport)
    }

    private func reached(_ cursor: Cursor?, on transport: isolated Transport) async {
        await feed.reached(cursor, until: transport.deadline, on: transport)
    }

    // MARK: Calls

    /// A call that names the scene: made when the scene is connected, and again where that is safe.
    func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: @autoclosure @Sendable () throws(SceneError) -> Method.Parameters,
        more: Bool = false, isRepeatable: Bool = true,
        progress: @escaping @Sendable (Method.Reply) -> Void = { _ in }
    ) async throws(SceneError) -> Method.Reply where Method.Parameters: Sendable, Method.Reply: Sendable {
        try await call(method, parameters, more, isRepeatable, progress, on: transport)
    }

    private func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: @Sendable () throws(SceneError) -> Method.Parameters, _ more: Bool,
        _ isRepeatable: Bool,
        _ progress: @Sendable (Method.Reply) -> Void, on transport: isolated Transport
    ) async throws(SceneError) -> Method.Reply where Method.Parameters: Sendable, Method.Reply: Sendable {
        while true {
            var generation = 0
            do throws(SceneError) {
                return try await transport.call(
                    method, try parameters(), more: more, isRepeatable: isRepeatable,
                    ready: { deadline throws(SceneError) in
                        try await feed.connected(until: deadline, on: transport)
                        generation = feed.generation
                    }, progress: progress)
            } catch .failure(.unknownScene(let scene))
                where scene == feed.id && !(feed.isConnected && feed.generation == generation)
            {
                // scened had not heard of the scene again yet: it has restarted, or the connection was lost.
                continue
            }
        }
    }
}
