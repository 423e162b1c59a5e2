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

    /// A cancelled task waits for it no longer; the others do.
    static func shared() async throws(SceneError) -> Scene {
        let task = state.withLock { state in
            if let task = state.task { return task }
            let task = Task { await connect() }
            state.task = task
            return task
        }
        return try await task.valueUnlessCancelled().get()
    }

    /// Does the work at once where the scene is connected, else as soon as it is.
    static func whenConnected(_ work: @escaping @Sendable (Scene) -> Void) {
        let scene = state.withLock { state in
            if state.scene == nil { state.waiting.append(work) }
            return state.scene
        }
        if let scene { work(scene) } else { keepTrying() }
    }

    /// What was asked for before the app was named may go on.
    static func configured() {
        if state.withLock({ !$0.waiting.isEmpty }) { keepTrying() }
    }

    private static func keepTrying() {
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

extension Task where Success == Result<Scene, SceneError>, Failure == Never {
    /// The task's value, or `cancelled` as soon as the waiting task is cancelled. The task itself goes on.
    fileprivate func valueUnlessCancelled() async -> Success {
        let outcome = Locked<(continuation: CheckedContinuation<Success, Never>?, isOver: Bool)>((nil, false))
        let end: @Sendable (Success) -> Void = { result in
            let waiting = outcome.withLock { outcome in
                defer { outcome = (nil, true) }
                return outcome.continuation
            }
            waiting?.resume(returning: result)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = outcome.withLock { outcome in
                    if !outcome.isOver { outcome.continuation = continuation }
                    return outcome.isOver
                }
                if isOver { return continuation.resume(returning: .failure(.cancelled)) }
                Task<Void, Never> { end(await self.value) }
            }
        } onCancel: {
            end(.failure(.cancelled))
        }
    }
}
