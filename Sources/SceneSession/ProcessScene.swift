import LinuxIO

/// The scene that stands for the whole process in calls that name none. It is connected when it is first wanted.
enum ProcessScene {
    private struct State {
        var task: Task<Result<Scene, SceneError>, Never>?
        var scene: Scene?
        var waiting: [@Sendable (Scene) -> Void] = []
    }

    private static let state = Locked(State())

    /// Nil until it is connected.
    static var connected: Scene? { state.withLock(\.scene) }

    static func shared() async throws(SceneError) -> Scene {
        let task = state.withLock { state in
            if let task = state.task { return task }
            let task = Task { await connect() }
            state.task = task
            return task
        }
        return try await task.value.get()
    }

    /// Does the work at once where the scene is connected, else as soon as it is.
    static func whenConnected(_ work: @escaping @Sendable (Scene) -> Void) {
        let scene = state.withLock { state in
            if state.scene == nil { state.waiting.append(work) }
            return state.scene
        }
        if let scene { return work(scene) }
        Task { while case .failure(.notRunning) = await Result.of({ () throws(SceneError) in try await shared() }) {} }
    }

    private static func connect() async -> Result<Scene, SceneError> {
        let title = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
        let result = await Result.of { () throws(SceneError) in try await Scene.connect(title: title) }
        let waiting = state.withLock { state in
            guard case .success(let scene) = result else {
                // The next one to want it tries again.
                state.task = nil
                return [@Sendable (Scene) -> Void]()
            }
            state.scene = scene
            defer { state.waiting = [] }
            return state.waiting
        }
        if case .success(let scene) = result { for work in waiting { work(scene) } }
        return result
    }
}

extension Result where Success: Sendable, Failure == SceneError {
    static func of(_ body: () async throws(SceneError) -> Success) async -> Result {
        do throws(SceneError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
