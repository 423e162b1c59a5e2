import LinuxIO
import SceneModel

/// A scene's events, for `for await`.
public struct SceneEvents: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = Never

    let scene: Scene

    public func makeAsyncIterator() -> Iterator {
        Iterator(scene: scene)
    }

    public final class Iterator: AsyncIteratorProtocol {
        private let scene: Scene
        private let buffer: EventBuffer

        init(scene: Scene) {
            self.scene = scene
            buffer = scene.core.state.withLock { state in
                var first = Event(.snapshot, at: state.cursor)
                first.scene = scene.id
                first.snapshot = state.snapshot
                let buffer = EventBuffer(first: first)
                if state.isClosed { buffer.finish() } else { state.buffers[ObjectIdentifier(buffer)] = buffer }
                return buffer
            }
        }

        deinit {
            scene.core.state.withLock { [buffer] in _ = $0.buffers.removeValue(forKey: ObjectIdentifier(buffer)) }
        }

        /// Nil when the scene has closed, or the task is cancelled.
        public func next() async -> Event? {
            await buffer.next()
        }
    }
}

/// What a loop over events has not taken yet: bounded, and made up for by a snapshot.
final class EventBuffer: Sendable {
    private static let limit = 1024

    private struct State {
        var events: [Event]
        var isFinished = false
        var waiting: CheckedContinuation<Event?, Never>?
    }

    private let state: Locked<State>

    init(first: Event) {
        state = Locked(State(events: [first]))
    }

    func add(_ event: Event, orInstead snapshot: Snapshot) {
        state.withLock { state in
            if state.events.count < Self.limit {
                state.events.append(event)
            } else {
                var gap = Event(.snapshot, at: event.at)
                gap.gap = true
                gap.snapshot = snapshot
                state.events = [gap]
            }
        }
    }

    /// Gives a waiting loop what has come.
    func wake() {
        let due: (CheckedContinuation<Event?, Never>, Event)? = state.withLock { state in
            guard let waiting = state.waiting, !state.events.isEmpty else { return nil }
            state.waiting = nil
            return (waiting, state.events.removeFirst())
        }
        if let (waiting, event) = due { waiting.resume(returning: event) }
    }

    func finish() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isFinished = true
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    func next() async -> Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Event?? = state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if !state.events.isEmpty { return state.events.removeFirst() }
                    if state.isFinished { return .some(nil) }
                    state.waiting = continuation
                    return .none
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: nil)
        }
    }
}
