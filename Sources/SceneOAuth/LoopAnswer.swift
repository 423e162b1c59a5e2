import LinuxIO

/// Waits for a callback on the loop's thread. `start` returns what makes the callback come early; it is called, on the
/// loop, when the task is cancelled.
func answer<Value: Sendable, Failure: Error>(
    on loop: EventLoop, cancelled: Failure,
    isolation: isolated (any Actor)? = #isolation,
    start: (@escaping (Result<Value, Failure>) -> Void) -> () -> Void
) async throws(Failure) -> Value {
    if Task.isCancelled { throw cancelled }
    let pending = PendingAnswer()
    let result = await withTaskCancellationHandler {
        _ = isolation  // keeps the closure on the caller's actor
        return await withCheckedContinuation { continuation in
            pending.cancel = start { continuation.resume(returning: $0) }
        }
    } onCancel: {
        loop.enqueue { pending.cancel() }
    }
    pending.cancel = {}
    return try result.get()
}

/// Crosses threads only as a reference: what it holds is used on the loop's thread alone.
private final class PendingAnswer: @unchecked Sendable {
    var cancel: () -> Void = {}
}
