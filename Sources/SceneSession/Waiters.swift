import LinuxIO
import SceneModel

/// How a wait ended.
enum Waited<Value: Sendable>: Sendable {
    case value(Value)
    /// The task was cancelled.
    case cancelled
    case timedOut
}

/// Tasks that wait on the library's thread, each for one value, as long as they care to. Belongs to that thread.
final class Waiters<Value: Sendable>: @unchecked Sendable {
    private var continuations: [(number: Int, continuation: CheckedContinuation<Waited<Value>, Never>)] = []
    private var number = 0

    var isEmpty: Bool { continuations.isEmpty }

    /// `isolation` is an actor on the loop's thread.
    func wait(
        on loop: EventLoop, until deadline: Instant? = nil, isolation: isolated (any Actor)? = #isolation
    ) async -> Waited<Value> {
        number += 1
        // A cancellation that comes late finds its own wait gone, and no other.
        let number = number
        let timer = deadline.map { deadline in
            loop.schedule(at: deadline) { self.end(number, .timedOut) }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            // Without this the closure would run on some other thread.
            _ = isolation
            return await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: .cancelled)
                } else {
                    continuations.append((number, continuation))
                }
            }
        } onCancel: {
            loop.enqueue { self.end(number, .cancelled) }
        }
    }

    /// To all who wait, the first that came first.
    func resume(returning value: Value) {
        let due = continuations
        continuations = []
        for (_, continuation) in due { continuation.resume(returning: .value(value)) }
    }

    private func end(_ number: Int, _ end: Waited<Value>) {
        guard let index = continuations.firstIndex(where: { $0.number == number }) else { return }
        continuations.remove(at: index).continuation.resume(returning: end)
    }
}
